import { type BatchHeader, encodeBatch, readBatchHeader } from "@minikafka/record";
import { expect, test } from "vitest";
import { AbortedRanges } from "./aborted-ranges.ts";

const plain = readBatchHeader(
  encodeBatch({ records: [{ key: null, value: null, timestampMs: 0, headers: [] }] }),
);
const batch = (producerId: number, baseOffset: number, transactional = true): BatchHeader => ({
  ...plain,
  producerId,
  baseOffset,
  transactional,
});

test("a batch is hidden exactly between the first record and the marker of an aborted transaction of its producer", () => {
  const ranges = new AbortedRanges([{ producerId: 7, firstOffset: 10, lastOffset: 20 }]);
  const hidden = [9, 10, 15, 20, 21].filter((offset) => ranges.hides(batch(7, offset)));
  expect(hidden).toEqual([10, 15, 20]);
});

test("neither another producer's batch is hidden nor a plain one", () => {
  const ranges = new AbortedRanges([{ producerId: 7, firstOffset: 10, lastOffset: 20 }]);
  expect([ranges.hides(batch(8, 15)), ranges.hides(batch(7, 15, false))]).toEqual([false, false]);
});

test("committed batches between two aborted transactions of one producer are shown", () => {
  const ranges = new AbortedRanges([
    { producerId: 7, firstOffset: 0, lastOffset: 3 },
    { producerId: 8, firstOffset: 1, lastOffset: 9 },
    { producerId: 7, firstOffset: 6, lastOffset: 8 },
  ]);
  const shown = [0, 2, 4, 5, 6, 7, 9].filter((offset) => !ranges.hides(batch(7, offset)));
  expect(shown).toEqual([4, 5, 9]);
});
