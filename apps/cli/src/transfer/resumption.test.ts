import { expect, test } from "vitest";
import type { JournalLine } from "./journal.ts";
import { journaled, resumption } from "./resumption.ts";

const started: JournalLine = { kind: "started", partition: 0, targetStart: 10, spans: [] };

function sent(source: number, target: number, count: number, sequence = 0): JournalLine & { kind: "sent" } {
  const place = { partition: 0, source, sourceEnd: source + count, target, count };
  return { kind: "sent", ...place, producerId: "7", producerEpoch: 0, sequence };
}

function resumed(lines: readonly JournalLine[], end: number) {
  const journal = journaled(lines, 0);
  if (journal === null) throw new Error("the journal has nothing of it");
  return resumption("orders [0]", journal, end);
}

test("a partition of which nothing stands there has not begun", () => {
  expect(journaled([started], 1)).toBeNull();
});

test("the last batch has arrived where the copy ends behind it", () => {
  const { kind, spans } = resumed([started, sent(0, 10, 4), sent(4, 14, 2)], 16);
  expect({ kind, spans }).toEqual({
    kind: "arrived",
    spans: [{ source: 0, sourceEnd: 6, target: 10, count: 6 }],
  });
});

test("the last batch is missing where the copy ends before it, and those before it are not", () => {
  const batch = sent(4, 14, 2, 4);
  const { kind: _kind, ...fields } = batch;
  expect(resumed([started, sent(0, 10, 4), batch], 14)).toEqual({
    kind: "missing",
    spans: [{ source: 0, sourceEnd: 4, target: 10, count: 4 }],
    batch: expect.objectContaining(fields),
  });
});

test("a batch that was sent once more, smaller, counts once", () => {
  const { spans } = resumed([started, sent(0, 10, 4), sent(0, 10, 2), sent(2, 12, 2)], 14);
  expect(spans).toEqual([{ source: 0, sourceEnd: 4, target: 10, count: 4 }]);
});

test.each([
  ["beyond", [started, sent(0, 10, 4)], 15, "somebody else has written to it"],
  ["within the last batch", [started, sent(0, 10, 4)], 12, "somebody else has written to it"],
  ["before", [started, sent(0, 10, 4), sent(4, 14, 2)], 13, "records of the copy are gone"],
  ["beyond, though nothing was sent", [started], 11, "somebody else has written to it"],
] as const)("a copy that ends %s is not gone on with", (_where, lines, end, why) => {
  expect(() => resumed(lines, end)).toThrow(expect.objectContaining({ code: "COPY_DIFFERS" }));
  expect(() => resumed(lines, end)).toThrow(why);
});
