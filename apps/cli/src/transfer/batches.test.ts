import type { StoredRecord } from "@minikafka/record";
import { expect, test } from "vitest";
import { batchesOf, sequenceAfter } from "./batches.ts";

function record(offset: number, bytes: number): StoredRecord {
  return { offset, timestampMs: 0, key: null, value: Buffer.alloc(bytes), headers: [] };
}

test("batches keep the order, stay below what a cluster takes by default, and a larger record goes alone", () => {
  const sizes = [10, 500_000, 500_000, 2_000_000, 10, 10];
  const batches = batchesOf(sizes.map((bytes, offset) => record(offset, bytes)));
  expect(batches.map((batch) => batch.map(({ offset }) => offset))).toEqual([[0, 1], [2], [3], [4, 5]]);
  expect(batchesOf([])).toEqual([]);
});

test("the names and values of headers count", () => {
  const headers = [{ key: "a".repeat(200_000), value: Buffer.alloc(400_000) }];
  const heavy = { ...record(1, 1), headers };
  expect(batchesOf([record(0, 1), heavy, record(2, 1)])).toHaveLength(3);
});

test("a producer's records are counted from 0 again past the last int32", () => {
  expect(sequenceAfter(5, 3)).toBe(8);
  expect(sequenceAfter(2 ** 31 - 2, 1)).toBe(2 ** 31 - 1);
  expect(sequenceAfter(2 ** 31 - 2, 2)).toBe(0);
  expect(sequenceAfter(2 ** 31 - 1, 10)).toBe(9);
});
