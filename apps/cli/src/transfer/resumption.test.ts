import { expect, test } from "vitest";
import type { JournalLine } from "./journal-form.ts";
import { type FoundBatch, journaled, requireOwn, resumption } from "./resumption.ts";

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

const own: FoundBatch = {
  ...{ baseOffset: 10, recordCount: 2 },
  ...{ producerId: "7", producerEpoch: 0, baseSequence: 4 },
};

test.each([
  ["the batch itself", own],
  ["the batch, thinned by compaction", { ...own, recordCount: 0 }],
  ["the gap that compaction left", { ...own, recordCount: 0, producerId: "-1", baseSequence: -1 }],
  ["a batch behind it", { ...own, baseOffset: 12, producerId: "8" }],
  ["nothing any more", null],
] as const)("a batch has arrived where its place has %s", (_what, found) => {
  requireOwn("orders [0]", sent(4, 10, 2, 4), found);
});

test.each([
  [
    "producer",
    { producerId: "8" },
    "of producer 8, epoch 0, sequence 4; expected producer 7, epoch 0, sequence 4",
  ],
  ["producer without an id", { producerId: "-1", baseSequence: -1 }, "of a producer without an id"],
  ["producer epoch", { producerEpoch: 1 }, "epoch 1, sequence 4"],
  ["sequence", { baseSequence: 0 }, "sequence 0"],
  ["producer, begun before it", { producerId: "8", baseOffset: 9 }, "somebody else has written to it"],
] as const)("a batch of another %s in its place is somebody else's", (_what, change, why) => {
  const look = () => requireOwn("orders [0]", sent(4, 10, 2, 4), { ...own, ...change });
  expect(look).toThrow(expect.objectContaining({ code: "COPY_DIFFERS" }));
  expect(look).toThrow(why);
});
