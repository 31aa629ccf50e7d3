import { expect, test } from "vitest";
import { type CompactionFacts, groupForMerging, planCompaction, type Reach } from "./compaction-plan.ts";

/** Segments of ten offsets, of the sizes that are given. */
function segments(...sizes: number[]): Reach[] {
  return sizes.map((sizeBytes, index) => ({
    baseOffset: 10 * index,
    nextOffset: 10 * index + 10,
    sizeBytes,
  }));
}

function plan(facts: Partial<CompactionFacts<Reach>>) {
  return planCompaction({
    sealed: segments(100, 100, 100, 100),
    firstDirtyOffset: 0,
    cleanEnd: 40,
    minCleanableDirtyRatio: 0.5,
    nextHorizonMs: null,
    nowMs: 1000,
    ...facts,
  });
}

const bases = (list: readonly Reach[] | undefined) => list?.map(({ baseOffset }) => baseOffset);

test("a log is compacted when its dirty bytes are a large enough share, and left alone otherwise", () => {
  expect(plan({ firstDirtyOffset: 20 })?.dirtyRatio).toBe(0.5);
  expect(plan({ firstDirtyOffset: 30 })).toBeNull();
  expect(plan({ firstDirtyOffset: 30, minCleanableDirtyRatio: 0.25 })?.dirtyRatio).toBe(0.25);
  expect(plan({ firstDirtyOffset: 40, minCleanableDirtyRatio: 0 })).toBeNull();
  expect(plan({ sealed: [], minCleanableDirtyRatio: 0 })).toBeNull();
});

test("a segment that reaches over the clean point, and those behind it, are not looked at", () => {
  expect(bases(plan({ cleanEnd: 29 })?.dirty)).toEqual([0, 10]);
  expect(plan({ cleanEnd: 9 })).toBeNull();
});

test("what an earlier pass has been over is looked at again, also when the clean point has moved back", () => {
  const found = plan({ cleanEnd: 5, firstDirtyOffset: 25, nextHorizonMs: 0 });
  expect(bases(found?.clean)).toEqual([0, 10]);
  expect(bases(found?.dirty)).toEqual([20]);
});

test("a segment that is clean only in part counts as dirty", () => {
  const found = plan({ firstDirtyOffset: 15 });
  expect(bases(found?.clean)).toEqual([0]);
  expect(bases(found?.dirty)).toEqual([10, 20, 30]);
  expect(found?.dirtyRatio).toBe(0.75);
});

test("a log with nothing dirty is compacted once a tombstone's time has come", () => {
  expect(plan({ firstDirtyOffset: 40, nextHorizonMs: 1001 })).toBeNull();
  expect(plan({ firstDirtyOffset: 40, nextHorizonMs: 1000 })).toMatchObject({ dirty: [], dirtyRatio: 0 });
});

test("neighbours merge as long as they fit one segment, in order and none left out", () => {
  const groups = (segmentBytes: number, sizes: number[], offsetsMax = 1000) =>
    groupForMerging(segments(...sizes), { segmentBytes, offsetsMax }).map(bases);
  expect(groups(100, [40, 60, 1, 99, 100, 5])).toEqual([[0, 10], [20, 30], [40], [50]]);
  expect(groups(100, [500, 500])).toEqual([[0], [10]]);
  expect(groups(100, [])).toEqual([]);
  expect(groups(1000, [1, 1, 1, 1, 1], 20)).toEqual([[0, 10], [20, 30], [40]]);
});
