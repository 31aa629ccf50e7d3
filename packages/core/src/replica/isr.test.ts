import { expect, test } from "vitest";
import type { Instant } from "../env/clock.ts";
import {
  afterFetch,
  type FollowerView,
  isrChange,
  type LeaderView,
  outOfSync,
  unknownProgress,
} from "./isr.ts";

const RULE = { joinsFlushed: true, replicaLagTimeMs: 100, replicaLagMaxOffsets: null };
const LEADER: LeaderView = {
  logEndOffset: 20,
  highWatermark: 10,
  leaderEpochStartOffset: 5,
  logStartOffset: 4,
  monotonicMs: 1000,
};

/** The time of day is another one, and goes back while time passes: it decides nothing. */
function at(monotonicMs: number): Instant {
  return { nowMs: 50_000 - monotonicMs, monotonicMs };
}

function follower(facts: Partial<FollowerView["progress"]> & Partial<FollowerView> = {}): FollowerView {
  const { logEndOffset = 20, lastCaughtUp = at(1000), lastFetch = null, ...rest } = facts;
  const progress = { logEndOffset, lastCaughtUp, lastFetch };
  return {
    brokerId: 2,
    isOnline: true,
    isHeldOut: false,
    flushedOffset: 20,
    logStartOffset: 4,
    ...rest,
    progress,
  };
}

test.each([
  ["holds everything", {}, null],
  ["holds what is visible, and was caught up in time", { logEndOffset: 10, lastCaughtUp: at(900) }, null],
  ["was caught up a millisecond too long ago", { logEndOffset: 10, lastCaughtUp: at(899) }, "lag_time"],
  ["was never caught up", { logEndOffset: 15, lastCaughtUp: null }, "lag_time"],
  ["ends before what is visible", { logEndOffset: 9 }, "behind_high_watermark"],
  ["has not fetched in this leadership", { logEndOffset: null }, "not_fetched"],
  ["has what is visible in memory alone", { flushedOffset: 9 }, "not_flushed"],
  ["still has what is deleted", { logStartOffset: 3 }, "behind_log_start"],
  ["is stopped", { isOnline: false }, "offline"],
  ["was taken out by an operator", { isHeldOut: true }, "removed"],
] as const)("one that wants in and %s: %s", (_what, facts, reason) => {
  expect(outOfSync(follower(facts), LEADER, { isMember: false, rule: RULE })).toBe(reason);
});

test("one that wants in must have reached the beginning of the leader's epoch", () => {
  const leader = { ...LEADER, leaderEpochStartOffset: 12 };
  const at = (logEndOffset: number) =>
    outOfSync(follower({ logEndOffset }), leader, { isMember: false, rule: RULE });
  expect([at(11), at(12)]).toEqual(["behind_epoch_start", null]);
});

test("where nobody waits for the disk, a copy in memory is enough to join", () => {
  const rule = { ...RULE, joinsFlushed: false };
  expect(outOfSync(follower({ flushedOffset: 0 }), LEADER, { isMember: false, rule })).toBeNull();
});

test.each([
  ["holds everything, however long ago it was told so", { lastCaughtUp: at(1) }, null],
  [
    "has not fetched from the new leader, within the time",
    { logEndOffset: null, lastCaughtUp: at(950) },
    null,
  ],
  [
    "has not fetched from the new leader, past the time",
    { logEndOffset: null, lastCaughtUp: at(800) },
    "lag_time",
  ],
  ["is stopped within the time", { isOnline: false, lastCaughtUp: at(950) }, null],
  ["is stopped past the time, though it has all", { isOnline: false, lastCaughtUp: at(800) }, "lag_time"],
] as const)("a member that %s: %s", (_what, facts, reason) => {
  expect(outOfSync(follower(facts), LEADER, { isMember: true, rule: RULE })).toBe(reason);
});

test("the cap on offsets counts from what is known, and from what is visible when nothing is", () => {
  const rule = { ...RULE, replicaLagMaxOffsets: 9 };
  const lagging = (logEndOffset: number | null) =>
    outOfSync(follower({ logEndOffset, lastCaughtUp: at(1000) }), LEADER, { isMember: true, rule });
  expect([lagging(11), lagging(10), lagging(null)]).toEqual([null, "lag_offsets", "lag_offsets"]);
});

test("a fetch catches up with all that the leader has, or with what it had at the fetch before", () => {
  const fetched = (progress: ReturnType<typeof unknownProgress>, logEndOffset: number, endAndTime: number) =>
    afterFetch(progress, { logEndOffset, leaderEndOffset: endAndTime, at: at(endAndTime) });
  const first = fetched(unknownProgress(null), 5, 10);
  expect(first).toEqual({
    logEndOffset: 5,
    lastCaughtUp: null,
    lastFetch: { at: at(10), leaderEndOffset: 10 },
  });
  const second = fetched(first, 10, 20);
  expect(second.lastCaughtUp).toEqual(at(10));
  expect(fetched(second, 19, 30).lastCaughtUp).toEqual(at(10));
  expect(fetched(second, 30, 30).lastCaughtUp).toEqual(at(30));
});

test("a fetch lets in and puts nobody out; the check does both, and says what moved each", () => {
  const state = { leaderId: 1, leaderEpoch: 0, leaderEpochStartOffset: 0, inSyncReplicas: [1, 2] };
  const followers = [follower({ lastCaughtUp: at(1), logEndOffset: 12 }), follower({ brokerId: 3 })];
  const question = { followers, leader: LEADER, rule: RULE };
  expect(isrChange(state, { ...question, only: "joins" })).toEqual({
    inSyncReplicas: [1, 2, 3],
    moves: [{ brokerId: 3, reason: "caught_up", logEndOffset: 20, lastCaughtUpMs: at(1000).nowMs }],
  });
  expect(isrChange(state, { ...question, only: "all" })).toEqual({
    inSyncReplicas: [1, 3],
    moves: [
      { brokerId: 2, reason: "lag_time", logEndOffset: 12, lastCaughtUpMs: at(1).nowMs },
      { brokerId: 3, reason: "caught_up", logEndOffset: 20, lastCaughtUpMs: at(1000).nowMs },
    ],
  });
  expect(isrChange(state, { ...question, followers: [follower()], only: "all" })).toBeNull();
});
