import { describe, expect, test } from "vitest";
import { type EpochEntry, epochsFrom, epochsUpTo, LeaderEpochs } from "./leader-epochs.ts";

const entries = (...pairs: [leaderEpoch: number, startOffset: number][]): EpochEntry[] =>
  pairs.map(([leaderEpoch, startOffset]) => ({ leaderEpoch, startOffset }));

const epochs = (...pairs: [leaderEpoch: number, startOffset: number][]) =>
  new LeaderEpochs(entries(...pairs));

describe("an epoch begins", () => {
  test("once, at its first batch", () => {
    const history = epochs();
    history.begin(2, 0);
    history.begin(2, 5);
    history.begin(4, 9);
    expect(history.entries).toEqual(entries([2, 0], [4, 9]));
  });

  test("in the place of one that wrote nothing", () => {
    const history = epochs([2, 0], [4, 9]);
    history.begin(5, 9);
    expect(history.entries).toEqual(entries([2, 0], [5, 9]));
  });

  test("and takes the place of later ones that a log without an order shows", () => {
    const history = epochs([2, 0], [4, 9], [6, 20]);
    history.begin(3, 30);
    expect(history.entries).toEqual(entries([2, 0], [3, 30]));
  });

  test("where it began, when it goes on behind one that was given up", () => {
    const history = epochs([2, 0], [4, 9]);
    history.begin(2, 9);
    expect(history.entries).toEqual(entries([2, 0]));
  });
});

// KIP-279: the answer names the epoch that it is about, which may be below the one that was asked for.
test.each([
  ["the latest epoch ends where the log does", 7, { leaderEpoch: 7, endOffset: 50 }],
  ["an epoch ends where the next begins", 3, { leaderEpoch: 3, endOffset: 40 }],
  ["an epoch that wrote nothing is answered with the one before it", 5, { leaderEpoch: 3, endOffset: 40 }],
  ["the first epoch ends where the second begins", 2, { leaderEpoch: 2, endOffset: 20 }],
  ["an epoch older than all ends where the first begins", 0, { leaderEpoch: 0, endOffset: 10 }],
  ["an epoch that the log has not seen has no end here", 8, null],
])("%s", (_what, leaderEpoch, end) => {
  expect(epochs([2, 10], [3, 20], [7, 40]).endOf(leaderEpoch, 50)).toEqual(end);
});

test("a log without a batch knows no end of any epoch", () => {
  expect(epochs().endOf(0, 0)).toBeNull();
});

test.each([
  [21, entries([2, 10], [3, 20])],
  [20, entries([2, 10])],
  [10, []],
  [99, entries([2, 10], [3, 20], [7, 40])],
])("a log that is cut to %d has the epochs that begin below", (endOffset, left) => {
  const history = epochs([2, 10], [3, 20], [7, 40]);
  history.cutTo(endOffset);
  expect(history.entries).toEqual(left);
});

test.each([
  [5, entries([2, 10], [3, 20], [7, 40])],
  [10, entries([2, 10], [3, 20], [7, 40])],
  [19, entries([2, 19], [3, 20], [7, 40])],
  [20, entries([3, 20], [7, 40])],
  [60, entries([7, 60])],
])("a log that begins at %d keeps the epoch that reaches over it", (startOffset, left) => {
  expect(epochsFrom(entries([2, 10], [3, 20], [7, 40]), startOffset)).toEqual(left);
});

test("what a manifest keeps includes an epoch that begins at its end", () => {
  expect(epochsUpTo(entries([2, 10], [3, 20], [7, 40]), 20)).toEqual(entries([2, 10], [3, 20]));
});
