import { expect, test } from "vitest";
import { epochAt, holdsVisible, isWithin, lacksItsEpoch } from "./log-history.ts";
import type { StartedReplica } from "./started-replica.ts";

/** A log that ends at `logEndOffset`, and where each of its epochs begins. */
function log(logEndOffset: number | null, epochs: readonly (readonly [number, number])[]): StartedReplica {
  const leaderEpochs = epochs.map(([leaderEpoch, startOffset]) => ({ leaderEpoch, startOffset }));
  const facts = { brokerId: 1, isNew: true, isClean: true, isOlder: false, durableHighWatermark: 0 };
  return { ...facts, closedEnd: null, lastEpoch: null, logEndOffset, leaderEpochs };
}

const NOW = log(6, [
  [0, 0],
  [2, 3],
  [5, 5],
]);
const OLDER = log(6, [[0, 0]]);

test("each offset is of the last epoch that begins at it or before it; beyond the ends of a log nobody knows", () => {
  expect([0, 2, 3, 4, 5].map((offset) => epochAt(NOW, offset))).toEqual([0, 0, 2, 2, 5]);
  expect([epochAt(NOW, 6), epochAt(log(6, [[4, 3]]), 2), epochAt(log(null, []), 0)]).toEqual([
    null,
    null,
    null,
  ]);
});

test("of two that differ at the last visible offset, the one with the earlier epoch does not hold it", () => {
  const members = [NOW, OLDER];
  expect(members.map((each) => holdsVisible(each, members, 6))).toEqual([true, false]);
  expect(members.map((each) => holdsVisible(each, members, 4))).toEqual([true, false]);
  expect(members.map((each) => holdsVisible(each, members, 3))).toEqual([true, true]);
  expect(members.map((each) => holdsVisible(each, members, 0))).toEqual([true, true]);
});

test("who ends before it does not hold it; whose log begins behind it says nothing against it", () => {
  expect(holdsVisible(log(3, [[0, 0]]), [NOW], 4)).toBe(false);
  expect(holdsVisible(log(null, []), [NOW], 4)).toBe(false);
  expect(holdsVisible(log(9, [[2, 8]]), [NOW], 4)).toBe(true);
});

test("a log is within another when it is its beginning", () => {
  expect(isWithin(log(3, [[0, 0]]), NOW)).toBe(true);
  expect(isWithin(NOW, NOW)).toBe(true);
  expect(isWithin(log(0, []), NOW)).toBe(true);
  expect(isWithin(log(5, [[2, 5]]), NOW)).toBe(true);
  expect(isWithin(log(4, [[0, 0]]), NOW)).toBe(false);
  expect(isWithin(NOW, log(3, [[0, 0]]))).toBe(false);
  expect(isWithin(log(null, []), NOW)).toBe(false);
});

test("a leader lacks its epoch when something older lies where it began", () => {
  const state = { leaderId: 1, leaderEpoch: 5, leaderEpochStartOffset: 5, inSyncReplicas: [1] };
  expect(lacksItsEpoch(OLDER, state)).toBe(true);
  expect(lacksItsEpoch(NOW, state)).toBe(false);
  expect(lacksItsEpoch(log(5, [[0, 0]]), state)).toBe(false);
  expect(lacksItsEpoch(log(9, [[5, 7]]), state)).toBe(false);
});
