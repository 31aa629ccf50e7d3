import { expect, test } from "vitest";
import type { PartitionState } from "./partition-state.ts";
import { stateAfterStart } from "./replica-start.ts";
import type { StartedReplica } from "./started-replica.ts";

const STATE: PartitionState = {
  leaderId: 1,
  leaderEpoch: 4,
  leaderEpochStartOffset: 10,
  inSyncReplicas: [1, 2, 3],
};

function replica(brokerId: number, facts: Partial<StartedReplica> = {}): StartedReplica {
  return {
    brokerId,
    isNew: true,
    isClean: true,
    isOlder: false,
    logEndOffset: 20,
    lastEpoch: 4,
    durableHighWatermark: 20,
    closedEnd: null,
    leaderEpochs: historyOf(facts),
    ...facts,
  };
}

/** Epoch 3 up to 10, where the leader's begins, unless the last one is said to be another. */
function historyOf({ lastEpoch = 4 }: Partial<StartedReplica>): StartedReplica["leaderEpochs"] {
  const before = { leaderEpoch: Math.min(3, lastEpoch ?? 3), startOffset: 0 };
  return lastEpoch === 4 ? [before, { leaderEpoch: 4, startOffset: 10 }] : [before];
}

const UNCLEAN = { isClean: false };

test("after a clean end of all nothing changes", () => {
  expect(stateAfterStart(STATE, [replica(1), replica(2), replica(3, { logEndOffset: 20 })])).toBeNull();
});

test("one replica alone is believed, whatever it recovered", () => {
  const alone = { ...STATE, inSyncReplicas: [1] };
  expect(stateAfterStart(alone, [replica(1, { ...UNCLEAN, logEndOffset: 3 })])).toBeNull();
});

test("after an unclean end the leader leads on under a new epoch; in sync stay those that hold as much as it", () => {
  const decision = stateAfterStart(STATE, [
    replica(1, { ...UNCLEAN, durableHighWatermark: 10 }),
    replica(2, { ...UNCLEAN, durableHighWatermark: 10 }),
    replica(3, { ...UNCLEAN, logEndOffset: 20, durableHighWatermark: 10, lastEpoch: 3 }),
  ]);
  expect(decision).toEqual({
    state: { leaderId: 1, leaderEpoch: 5, leaderEpochStartOffset: 20, inSyncReplicas: [1, 2] },
    moves: [{ brokerId: 3, reason: "unclean_start", logEndOffset: 20 }],
  });
});

test("a leader that ends before a follower that has records of its own epoch has lost some, and leads no more", () => {
  const decision = stateAfterStart(STATE, [
    replica(1, { ...UNCLEAN, logEndOffset: 19, durableHighWatermark: 12 }),
    replica(2, { ...UNCLEAN, durableHighWatermark: 12 }),
    replica(3, { ...UNCLEAN, logEndOffset: 18, durableHighWatermark: 12 }),
  ]);
  expect(decision?.state).toEqual({ ...STATE, leaderId: null, inSyncReplicas: [2] });
  expect(decision?.moves).toEqual([
    { brokerId: 1, reason: "lost_records", logEndOffset: 19 },
    { brokerId: 3, reason: "unclean_start", logEndOffset: 18 },
  ]);
});

test("a follower that is longer by an older leader's tail says nothing against its leader", () => {
  const decision = stateAfterStart(STATE, [
    replica(1, { ...UNCLEAN, logEndOffset: 11, durableHighWatermark: 10 }),
    replica(2, { ...UNCLEAN, logEndOffset: 14, lastEpoch: 3, durableHighWatermark: 10 }),
    replica(3, { isNew: false, logEndOffset: null, durableHighWatermark: 10 }),
  ]);
  expect(decision?.state).toMatchObject({ leaderId: 1, leaderEpoch: 5, inSyncReplicas: [1, 3] });
});

test("of two logs that differ in what was visible, the one of the older epoch has lost records, whoever leads", () => {
  const old = { lastEpoch: 2 };
  expect(stateAfterStart(STATE, [replica(1), replica(2, old), replica(3)])).toEqual({
    state: { ...STATE, inSyncReplicas: [1, 3] },
    moves: [{ brokerId: 2, reason: "lost_records", logEndOffset: 20 }],
  });
  expect(stateAfterStart(STATE, [replica(1, old), replica(2), replica(3)])?.state).toEqual({
    ...STATE,
    leaderId: null,
    inSyncReplicas: [2, 3],
  });
  // Behind what was visible they may differ: nobody has cut anything yet.
  const tail = { lastEpoch: 2, durableHighWatermark: 10 };
  const rest = {
    durableHighWatermark: 10,
    leaderEpochs: [
      { leaderEpoch: 2, startOffset: 0 },
      { leaderEpoch: 4, startOffset: 10 },
    ],
  };
  expect(stateAfterStart(STATE, [replica(1, rest), replica(2, tail), replica(3, rest)])).toBeNull();
});

test("a follower that ended cleanly is in sync with a leader that did not only when it holds as much", () => {
  const started = (leader: Partial<StartedReplica>, end: number) =>
    stateAfterStart(STATE, [
      replica(1, { durableHighWatermark: 9, ...leader }),
      replica(2, { durableHighWatermark: 9, logEndOffset: end }),
      replica(3, { durableHighWatermark: 9, logEndOffset: 20 }),
    ]);
  expect(started(UNCLEAN, 20)?.state.inSyncReplicas).toEqual([1, 2, 3]);
  expect(started(UNCLEAN, 12)).toMatchObject({
    state: { inSyncReplicas: [1, 3] },
    moves: [{ brokerId: 2, reason: "unclean_start", logEndOffset: 12 }],
  });
  expect(started({ ...UNCLEAN, isNew: false }, 12)).toBeNull();
  expect(started({}, 12)).toBeNull();
});

test.each<[string, Partial<StartedReplica>]>([
  ["ends before what it had on its disk and visible, however cleanly", { logEndOffset: 19 }],
  [
    "ends before what another one in sync had noted",
    { ...UNCLEAN, logEndOffset: 19, durableHighWatermark: 0 },
  ],
  ["ends before its own epoch began", { ...UNCLEAN, logEndOffset: 9, durableHighWatermark: 0 }],
])("a leader that %s leads no more", (_what, facts) => {
  const decision = stateAfterStart(STATE, [replica(1, facts), replica(2), replica(3)]);
  expect(decision?.state).toEqual({ ...STATE, leaderId: null, inSyncReplicas: [2, 3] });
  expect(decision?.moves).toMatchObject([{ brokerId: 1, reason: "lost_records" }]);
});

test("the last replica in sync that has lost records leaves nobody to lead", () => {
  const last = { ...STATE, inSyncReplicas: [1] };
  const decision = stateAfterStart(last, [replica(1, { logEndOffset: 5 }), replica(2), replica(3)]);
  expect(decision?.state).toEqual({ ...last, leaderId: null, inSyncReplicas: [] });
});

test("a follower whose log cannot be opened, or that lost records, is out of sync; the leader is not touched", () => {
  const decision = stateAfterStart(STATE, [
    replica(1, { isNew: false }),
    replica(2, { logEndOffset: null, lastEpoch: null }),
    replica(3, { logEndOffset: 7 }),
  ]);
  expect(decision).toEqual({
    state: { ...STATE, inSyncReplicas: [1] },
    moves: [
      { brokerId: 2, reason: "log_offline", logEndOffset: null },
      { brokerId: 3, reason: "lost_records", logEndOffset: 7 },
    ],
  });
});

test("a leader that cannot be opened, and one that nobody named, are judged by nobody", () => {
  const off = replica(1, { logEndOffset: null, lastEpoch: null });
  expect(stateAfterStart(STATE, [off, replica(2, UNCLEAN), replica(3)])).toBeNull();
  expect(stateAfterStart({ ...STATE, leaderId: null }, [replica(1), replica(2), replica(3)])).toBeNull();
});

test("in a running process its own high watermark says what was visible, also when nobody noted it", () => {
  const unnoted = { durableHighWatermark: 0 };
  const older = { ...unnoted, logEndOffset: 19 };
  const others = [replica(2, { ...unnoted, isNew: false }), replica(3, { ...unnoted, isNew: false })];
  expect(stateAfterStart(STATE, [replica(1, older), ...others], 20)?.state).toEqual({
    ...STATE,
    leaderId: null,
    inSyncReplicas: [2, 3],
  });
  const leader = replica(1, { ...unnoted, isNew: false });
  expect(stateAfterStart(STATE, [leader, replica(2, older), replica(3, unnoted)], 20)).toEqual({
    state: { ...STATE, inSyncReplicas: [1, 3] },
    moves: [{ brokerId: 2, reason: "lost_records", logEndOffset: 19 }],
  });
});

test("a follower that ends before another member's note is out of sync, also when its leader does not run", () => {
  const older = replica(2, { logEndOffset: 19, durableHighWatermark: 10 });
  const off = replica(1, { isNew: false, logEndOffset: null, lastEpoch: null });
  for (const leader of [replica(1), off])
    expect(stateAfterStart(STATE, [leader, older, replica(3)])).toEqual({
      state: { ...STATE, inSyncReplicas: [1, 3] },
      moves: [{ brokerId: 2, reason: "lost_records", logEndOffset: 19 }],
    });
});

test.each<[string, Partial<StartedReplica>, Partial<StartedReplica>]>([
  ["ends before its epoch began", { logEndOffset: 9 }, { logEndOffset: 9 }],
  ["ends before it was closed in this process", { logEndOffset: 18, closedEnd: 19 }, { logEndOffset: 18 }],
  ["ends before what anybody has of its epoch", { logEndOffset: 18 }, { logEndOffset: 19 }],
])("a clean leader that %s has lost records, though nobody had seen them", (_what, facts, other) => {
  const unnoted = { durableHighWatermark: 0 };
  const replicas = [1, 2, 3].map((id) => replica(id, { ...unnoted, ...(id === 1 ? facts : other) }));
  const alone = { ...STATE, inSyncReplicas: [1] };
  expect(stateAfterStart(alone, replicas)?.state).toEqual({ ...alone, leaderId: null, inSyncReplicas: [] });
});

test("when the leader has lost records and nobody who runs has them, those that do not run stay in sync", () => {
  const off = replica(2, { isNew: false, logEndOffset: null, lastEpoch: null });
  const decision = stateAfterStart({ ...STATE, inSyncReplicas: [1, 2] }, [
    replica(1, { logEndOffset: 5 }),
    off,
    replica(3),
  ]);
  expect(decision?.state).toMatchObject({ leaderId: null, inSyncReplicas: [2] });
});

const OLDER = { isClean: false, isOlder: true, durableHighWatermark: 0 };

test.each<[string, Partial<StartedReplica>, string]>([
  ["is as long and holds an older epoch at its end", { lastEpoch: 3 }, "lost_records"],
  [
    "is longer and holds an older epoch where its own began",
    { lastEpoch: 3, logEndOffset: 30 },
    "lost_records",
  ],
  ["ends where others go on", { logEndOffset: 19 }, "older_copy"],
  ["ends where its epoch began", { logEndOffset: 10, lastEpoch: 3 }, "older_copy"],
])(
  "a leader whose folder was put back and that %s leads no more, also when nothing was noted",
  (_what, facts, reason) => {
    const unnoted = { durableHighWatermark: 0 };
    for (const others of [{ isNew: false }, { isClean: false }, {}]) {
      const leader = replica(1, { ...OLDER, ...unnoted, ...facts });
      const followers = [2, 3].map((id) => replica(id, { ...unnoted, ...others }));
      const decision = stateAfterStart(STATE, [leader, ...followers]);
      expect(decision?.state).toEqual({ ...STATE, leaderId: null, inSyncReplicas: [2, 3] });
      expect(decision?.moves).toMatchObject([{ brokerId: 1, reason }]);
    }
  },
);

test("a leader whose folder was put back leads on under a new epoch when somebody in sync holds the same", () => {
  const decision = stateAfterStart(STATE, [replica(1, OLDER), replica(2), replica(3, { isNew: false })]);
  expect(decision).toEqual({
    state: { ...STATE, leaderEpoch: 5, leaderEpochStartOffset: 20 },
    moves: [],
  });
});

test("it does not when those who could say so do not run: they stay in sync", () => {
  const off = { isNew: false, logEndOffset: null, lastEpoch: null };
  const decision = stateAfterStart(STATE, [replica(1, OLDER), replica(2, off), replica(3, off)]);
  expect(decision?.state).toEqual({ ...STATE, leaderId: null, inSyncReplicas: [2, 3] });
  expect(decision?.moves).toEqual([{ brokerId: 1, reason: "older_copy", logEndOffset: 20 }]);
});

test("a follower whose folder was put back stays in sync only with its leader's log, and without a leader only when all were put back", () => {
  const other = replica(2, { ...OLDER, lastEpoch: 3 });
  const leader = replica(1, { isNew: false, durableHighWatermark: 0 });
  expect(stateAfterStart(STATE, [leader, other, replica(3, OLDER)])).toEqual({
    state: { ...STATE, inSyncReplicas: [1, 3] },
    moves: [{ brokerId: 2, reason: "older_copy", logEndOffset: 20 }],
  });
  const nobody = { ...STATE, leaderId: null, inSyncReplicas: [2, 3] };
  expect(stateAfterStart(nobody, [replica(1, OLDER), replica(2, OLDER), replica(3, OLDER)])).toBeNull();
  expect(stateAfterStart(nobody, [replica(1, OLDER), replica(2, OLDER), replica(3)])?.state).toMatchObject({
    inSyncReplicas: [3],
  });
});

test("when a leader has lost records, one that was put back stays in sync only when all others were", () => {
  const lost = replica(1, { logEndOffset: 9, durableHighWatermark: 0 });
  const older = replica(2, { ...OLDER, logEndOffset: 25 });
  const whole = replica(3, { durableHighWatermark: 0 });
  expect(stateAfterStart(STATE, [lost, older, whole])?.state.inSyncReplicas).toEqual([3]);
  const alone = { ...STATE, inSyncReplicas: [1, 2] };
  expect(stateAfterStart(alone, [lost, older, whole])?.state.inSyncReplicas).toEqual([2]);
});

/** Of epoch 2 alone: cut since, for what the leader of epoch 3 had. */
const CUT = { ...OLDER, lastEpoch: 2, leaderEpochs: [{ leaderEpoch: 2, startOffset: 0 }] };

test("a leader of batches of an earlier epoch leads on beside a follower that was put back, which is out of sync", () => {
  const state = { ...STATE, leaderEpochStartOffset: 20 };
  const leaderEpochs = [{ leaderEpoch: 1, startOffset: 0 }];
  const kept = { lastEpoch: 1, leaderEpochs };
  expect(stateAfterStart(state, [replica(1, kept), replica(2, CUT), replica(3, kept)])).toEqual({
    state: { ...state, inSyncReplicas: [1, 3] },
    moves: [{ brokerId: 2, reason: "lost_records", logEndOffset: 20 }],
  });
  // Without a leader as well.
  const off = replica(1, { isNew: false, logEndOffset: null, lastEpoch: null, leaderEpochs: [] });
  expect(stateAfterStart(state, [off, replica(2, CUT), replica(3, kept)])?.state.inSyncReplicas).toEqual([
    1, 3,
  ]);
});

test("one that ends before its epoch began has lost nothing that a follower holds which was put back with something else", () => {
  const leader = replica(1, { ...UNCLEAN, logEndOffset: 8, lastEpoch: 3, durableHighWatermark: 5 });
  const off = replica(3, { isNew: false, logEndOffset: null, lastEpoch: null, durableHighWatermark: 0 });
  const started = (other: Partial<StartedReplica>) =>
    stateAfterStart(STATE, [leader, replica(2, { ...OLDER, ...other }), off])?.state;
  expect(started({ ...CUT, logEndOffset: 12 })).toEqual({
    ...STATE,
    leaderEpoch: 5,
    leaderEpochStartOffset: 8,
    inSyncReplicas: [1, 3],
  });
  expect(started({ lastEpoch: 3, logEndOffset: 12 })).toMatchObject({ leaderId: null });
});
