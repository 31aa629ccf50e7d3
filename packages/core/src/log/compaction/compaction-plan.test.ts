import { expect, test } from "vitest";
import {
  type CompactionFacts,
  groupForMerging,
  isHeld,
  planCompaction,
  type Reach,
  type TimedReach,
} from "./compaction-plan.ts";

const FOR_EVER = Number.MAX_SAFE_INTEGER;

/** Segments of ten offsets, of the sizes that are given; the first is of the times 100 to 190, the next of 200 to 290. */
function segments(...sizes: number[]): TimedReach[] {
  return sizes.map((sizeBytes, index) => ({
    baseOffset: 10 * index,
    nextOffset: 10 * index + 10,
    sizeBytes,
    firstTimestampMs: 100 * (index + 1),
    maxTimestampMs: 100 * (index + 1) + 90,
  }));
}

const FACTS: CompactionFacts<TimedReach> = {
  sealed: segments(100, 100, 100, 100),
  firstDirtyOffset: 0,
  cleanEnd: 40,
  copiedEnd: 40,
  minCleanableDirtyRatio: 0.5,
  minCompactionLagMs: 0,
  maxCompactionLagMs: FOR_EVER,
  nextHorizonMs: null,
  nowMs: 1000,
};

const plan = (facts: Partial<CompactionFacts<TimedReach>>) => planCompaction({ ...FACTS, ...facts });

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

test("what waits for its time is no reason for a pass before every replica holds the clean part, and is held until then", () => {
  const facts = { firstDirtyOffset: 30, minCleanableDirtyRatio: 1, nextHorizonMs: 1000 };
  const at = (copiedEnd: number, changes: Partial<CompactionFacts<TimedReach>> = {}) => {
    const all = { ...FACTS, ...facts, copiedEnd, ...changes };
    return { isDue: planCompaction(all) !== null, isHeld: isHeld(all) };
  };
  expect(at(29)).toEqual({ isDue: false, isHeld: true });
  expect(at(30)).toEqual({ isDue: true, isHeld: false });
  expect(at(29, { nowMs: 999 })).toEqual({ isDue: false, isHeld: false });
  expect(at(29, { sealed: [] })).toEqual({ isDue: false, isHeld: false });
  expect(at(0, { minCleanableDirtyRatio: 0 }).isDue).toBe(true);
});

test("a segment with a record that is younger than the least lag is not compacted, nor is what lies behind it (KIP-58)", () => {
  const dirtyAt = (nowMs: number, sealed = segments(100, 100, 100, 100)) =>
    bases(plan({ nowMs, sealed, minCompactionLagMs: 50 })?.dirty);
  expect(dirtyAt(239)).toBeUndefined();
  expect(dirtyAt(240)).toEqual([0]);
  expect(dirtyAt(339)).toEqual([0]);
  expect(dirtyAt(340)).toEqual([0, 10]);
  expect(dirtyAt(10_000)).toEqual([0, 10, 20, 30]);
  const [first, ...rest] = segments(100, 100, 100);
  const late = { ...(first as TimedReach), maxTimestampMs: 9_999 };
  expect(dirtyAt(1_000, [late, ...rest])).toBeUndefined();
  // Without a time it is as old as can be.
  expect(dirtyAt(340, [{ ...late, maxTimestampMs: -1 }, ...rest])).toEqual([0, 10]);
});

test("what an earlier pass has been over is gone over again, however young it is", () => {
  const found = plan({ nowMs: 300, minCompactionLagMs: 1000, firstDirtyOffset: 20, nextHorizonMs: 0 });
  expect([bases(found?.clean), bases(found?.dirty)]).toEqual([[0, 10], []]);
});

test("a pass is due, whatever the ratio, once a dirty segment began longer ago than the greatest lag (KIP-354)", () => {
  const late = (nowMs: number, facts: Partial<CompactionFacts<TimedReach>> = {}) =>
    plan({ nowMs, firstDirtyOffset: 30, maxCompactionLagMs: 50, ...facts });
  expect(late(450)).toBeNull();
  expect(bases(late(451)?.dirty)).toEqual([30]);
  expect(late(451, { cleanEnd: 39 })).toBeNull();
  expect(late(10_000, { firstDirtyOffset: 40 })).toBeNull();
  for (const firstTimestampMs of [null, -1, 0])
    expect(
      late(10_000, { sealed: segments(1, 1, 1, 1).map((each) => ({ ...each, firstTimestampMs })) }),
    ).toBeNull();
});

test("neighbours merge as long as they fit one segment, in order and none left out", () => {
  const groups = (segmentBytes: number, sizes: number[], offsetsMax = 1000) =>
    groupForMerging(segments(...sizes), { segmentBytes, offsetsMax }).map(bases);
  expect(groups(100, [40, 60, 1, 99, 100, 5])).toEqual([[0, 10], [20, 30], [40], [50]]);
  expect(groups(100, [500, 500])).toEqual([[0], [10]]);
  expect(groups(100, [])).toEqual([]);
  expect(groups(1000, [1, 1, 1, 1, 1], 20)).toEqual([[0, 10], [20, 30], [40]]);
});
