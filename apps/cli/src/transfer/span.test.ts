import { expect, test } from "vitest";
import { addSpan, type Span, translated } from "./span.ts";

const whole = (source: number, target: number, count: number): Span => ({
  ...{ source, target, count },
  sourceEnd: source + count,
});

test("what follows without a gap is one span with what was there", () => {
  const spans: Span[] = [];
  for (const each of [whole(5, 0, 3), whole(8, 3, 2), whole(11, 5, 1)]) addSpan(spans, each);
  expect(spans).toEqual([whole(5, 0, 5), whole(11, 5, 1)]);
});

test("a span with gaps stays by itself, so that what lies in it can be counted", () => {
  const gappy = { source: 8, sourceEnd: 20, target: 3, count: 4 };
  const spans = [whole(5, 0, 3)];
  addSpan(spans, gappy);
  addSpan(spans, whole(20, 7, 1));
  expect(spans).toEqual([whole(5, 0, 3), gappy, whole(20, 7, 1)]);
});

test("each offset of a source with gaps goes to the same next record, by a model that counts", () => {
  // The records of a source, and what was copied to 100 and on in batches of three.
  const offsets = [4, 5, 6, 9, 10, 11, 12, 20, 21, 22, 23, 24, 40];
  const spans: Span[] = [];
  for (let at = 0; at < offsets.length; at += 3) {
    const batch = offsets.slice(at, at + 3);
    const [source = 0] = batch;
    const sourceEnd = (batch.at(-1) ?? 0) + 1;
    addSpan(spans, { source, sourceEnd, target: 100 + at, count: batch.length });
  }
  const copy = { spans, targetStart: 100, sourceNext: 50 };
  for (let offset = 0; offset <= 50; offset += 1) {
    const expected = 100 + offsets.filter((each) => each < offset).length;
    const found = translated(copy, offset);
    if (found.kind === "within") {
      const { span } = found;
      const before = offsets.filter((each) => each >= span.source && each < offset).length;
      expect(span.target + before).toBe(expected);
    } else expect({ offset, ...found }).toEqual({ offset, kind: "exact", target: expected });
  }
});

test("an offset past what was copied is not guessed", () => {
  expect(translated({ spans: [whole(0, 0, 3)], targetStart: 0, sourceNext: 3 }, 4)).toEqual({
    kind: "ahead",
    copiedTo: 3,
  });
});

test("where nothing was copied, every offset up to there goes to where the copy begins", () => {
  expect(translated({ spans: [], targetStart: 7, sourceNext: 3 }, 2)).toEqual({ kind: "exact", target: 7 });
});
