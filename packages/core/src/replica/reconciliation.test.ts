import { expect, test } from "vitest";
import { LeaderEpochs } from "../log/manifest/leader-epochs.ts";
import { cutOffset, divergence, type EpochHistory } from "./reconciliation.ts";

/** A log of `[epoch, start offset]` entries that ends at `logEndOffset`. */
function log(logEndOffset: number, ...entries: readonly (readonly [number, number])[]): EpochHistory {
  const epochs = new LeaderEpochs(
    entries.map(([leaderEpoch, startOffset]) => ({ leaderEpoch, startOffset })),
  );
  return {
    logEndOffset,
    leaderEpochs: epochs.entries,
    endOfEpoch: (leaderEpoch) => epochs.endOf(leaderEpoch, logEndOffset),
  };
}

test.each<[string, EpochHistory, EpochHistory, number]>([
  ["a log that is shorter keeps all", log(3, [0, 0]), log(5, [0, 0]), 3],
  ["an empty log has nothing to give up", log(0), log(5, [0, 0], [1, 5]), 0],
  ["a tail that the new leader never had goes", log(5, [0, 0]), log(3, [0, 0], [1, 3]), 3],
  ["a tail of equal length is seen by its epoch", log(5, [0, 0], [1, 3]), log(5, [0, 0], [2, 3]), 3],
  ["a longer tail of an older epoch goes, the rest stays", log(9, [0, 0]), log(6, [0, 0], [1, 4]), 4],
  [
    "KIP-279: an epoch that the leader has never seen is no reason to trust what lies before it",
    log(6, [0, 0], [1, 2], [3, 5]),
    log(8, [0, 0], [2, 2], [4, 7]),
    2,
  ],
  ["two leaders ago", log(7, [0, 0], [2, 3], [5, 6]), log(9, [0, 0], [1, 2], [3, 4], [6, 8]), 2],
  ["an epoch without a batch parts nobody", log(4, [0, 0], [1, 4]), log(4, [0, 0], [2, 4]), 4],
  ["what is older than all that the leader has left goes", log(9, [0, 0]), log(20, [3, 7], [4, 15]), 7],
  ["a leader that lost its tail takes no more than it has", log(5, [1, 0]), log(3, [1, 0], [2, 3]), 3],
])("%s", (_what, follower, leader, expected) => {
  expect(divergence(follower, leader)).toBe(expected);
  expect(cutOffset(follower, 0, leader, "leader-epoch")).toBe(expected);
});

test("under the dial a follower gives up everything from its own high watermark on, whoever holds it", () => {
  expect(cutOffset(log(5, [0, 0]), 2, log(5, [0, 0]), "high-watermark")).toBe(2);
  expect(cutOffset(log(5, [0, 0]), 5, log(4, [0, 0]), "high-watermark")).toBe(4);
});

/** All that two logs can hold which grew apart under leaders that chance has drawn. */
test("for any history of leaders the two logs agree up to the offset that is found, and not one batch further", () => {
  let state = 7;
  const below = (bound: number) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return (state >>> 16) % bound;
  };
  for (let round = 0; round < 3000; round++) {
    // Each log is the epoch of each offset. A leader appends its epoch; the other copies some of it, cut where they part.
    const logs: number[][] = [[], []];
    for (let epoch = 0; epoch < 5; epoch++) {
      const [leader = [], follower = []] = below(2) === 0 ? logs : [logs[1], logs[0]];
      if (below(2) === 0) {
        let common = 0;
        while (common < leader.length && leader[common] === follower[common]) common++;
        follower.splice(common);
        follower.push(...leader.slice(common, common + below(4)));
      }
      for (let appends = below(4); appends > 0; appends--) leader.push(epoch);
    }
    const history = (offsets: readonly number[], begun: number | null) => {
      const entries = offsets.flatMap((epoch, offset): [number, number][] =>
        offset === 0 || offsets[offset - 1] !== epoch ? [[epoch, offset]] : [],
      );
      if (begun !== null) entries.push([begun, offsets.length]);
      return log(offsets.length, ...entries);
    };
    const [leader = [], follower = []] = logs;
    let common = 0;
    while (common < leader.length && common < follower.length && leader[common] === follower[common])
      common++;
    expect(divergence(history(follower, null), history(leader, 9)), JSON.stringify(logs)).toBe(common);
  }
});
