import { expect, test } from "vitest";
import { isOutdated, stateFromLogs } from "./outdated-metadata.ts";
import type { PartitionState } from "./partition-state.ts";
import type { StartedReplica } from "./started-replica.ts";

const STATE: PartitionState = {
  leaderId: 1,
  leaderEpoch: 4,
  leaderEpochStartOffset: 10,
  inSyncReplicas: [1, 2],
};

/** A replica whose log ends at `logEndOffset`, with a batch of `lastEpoch` at its end. */
function replica(brokerId: number, logEndOffset: number | null, lastEpoch: number | null): StartedReplica {
  const facts = { isNew: true, isClean: true, isOlder: false, durableHighWatermark: 0, closedEnd: null };
  const leaderEpochs = lastEpoch === null ? [] : [{ leaderEpoch: lastEpoch, startOffset: 0 }];
  return { ...facts, brokerId, logEndOffset, lastEpoch, leaderEpochs };
}

test("it is outdated when a log has a batch of a later epoch, and not before", () => {
  expect(isOutdated(STATE, [{ lastEpoch: 4 }, { lastEpoch: null }])).toBe(false);
  expect(isOutdated(STATE, [{ lastEpoch: 4 }, { lastEpoch: 5 }])).toBe(true);
  expect(isOutdated(STATE, [{ lastEpoch: null }])).toBe(false);
});

test("those count as in sync that hold the most, by epochs first, and nobody leads", () => {
  const replicas = [replica(1, 30, 4), replica(2, 20, 6), replica(3, 20, 6), replica(4, 19, 6)];
  expect(stateFromLogs(STATE, replicas)).toEqual({
    state: { ...STATE, leaderId: null, leaderEpoch: 6, inSyncReplicas: [2, 3] },
    moves: [
      { brokerId: 1, reason: "outdated_metadata", logEndOffset: 30 },
      { brokerId: 3, reason: "outdated_metadata", logEndOffset: 20 },
    ],
  });
});

test("while a copy cannot be seen nobody counts as in sync, since it may hold more", () => {
  const { state } = stateFromLogs(STATE, [replica(1, 30, 4), replica(2, 20, 6), replica(3, null, null)]);
  expect(state).toMatchObject({ leaderId: null, leaderEpoch: 6, inSyncReplicas: [] });
});

test("who was held out and holds the most is held out no more", () => {
  const replicas = [replica(1, 9, 4), replica(2, 9, 4), replica(3, 9, 5)];
  const decided = (heldOut: readonly number[]) =>
    stateFromLogs({ ...STATE, inSyncReplicas: [1], heldOut }, replicas).state;
  expect(decided([2, 3])).toMatchObject({ inSyncReplicas: [3], heldOut: [2] });
  expect(decided([3]).heldOut).toBeUndefined();
});

test("one replica alone goes on, under an epoch that no batch has yet", () => {
  const alone = { ...STATE, inSyncReplicas: [1] };
  expect(stateFromLogs(alone, [replica(1, 12, 7)])).toEqual({
    state: { ...alone, leaderEpoch: 8, leaderEpochStartOffset: 12 },
    moves: [],
  });
});
