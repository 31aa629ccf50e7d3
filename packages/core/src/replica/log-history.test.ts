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

/** An earlier leader's record, and a later leader's that was cut for it. */
const KEPT = log(1, [[0, 0]]);
const CUT = log(2, [[1, 0]]);

test("a log that was put back is not believed beside one that was not, whichever epochs their batches have", () => {
  const members = [KEPT, { ...CUT, isOlder: true }];
  expect(members.map((each) => holdsVisible(each, members, 1))).toEqual([true, false]);
  const turned = [{ ...KEPT, isOlder: true }, CUT];
  expect(turned.map((each) => holdsVisible(each, turned, 1))).toEqual([false, true]);
  // One that ends before it says nothing of it.
  const short = [...turned.slice(0, 1), log(0, [])];
  expect(short.map((each) => holdsVisible(each, short, 1))).toEqual([true, false]);
});

test.each([false, true])(
  "of logs alike, that one is believed which knows the latest leader, also without a batch of it (put back: %s)",
  (isOlder) => {
    const known = log(1, [
      [0, 0],
      [2, 1],
    ]);
    const members = [CUT, KEPT, known].map((each) => ({ ...each, isOlder }));
    for (const order of [members, members.toReversed()])
      expect(members.map((each) => holdsVisible(each, order, 1))).toEqual([false, true, true]);
    const unknown = members.slice(0, 2);
    expect(unknown.map((each) => holdsVisible(each, unknown, 1))).toEqual([true, false]);
  },
);

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
