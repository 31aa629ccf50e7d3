/**
 * Where a replica that follows a new leader has to cut its log. Pure.
 *
 * A leader epoch has one leader, so that two logs which hold the same offset of the same epoch are the same up to there. What a
 * follower holds beyond the last such offset was never the leader's, and goes (KIP-101; KIP-279 for epochs that one of the
 * two has never seen).
 */
import { assert } from "../assert.ts";
import type { EpochEnd, EpochEntry } from "../log/manifest/leader-epochs.ts";
import type { Reconciliation } from "./replication-config.ts";

/** A log as its leader epochs tell it. */
export interface EpochHistory {
  readonly logEndOffset: number;
  /** Rising; the last is the latest that the log has seen, also without a batch. */
  readonly leaderEpochs: readonly EpochEntry[];
  /** Kafka: OffsetsForLeaderEpoch. `null` for an epoch that is later than all of the log's. */
  endOfEpoch(leaderEpoch: number): EpochEnd | null;
}

/**
 * The offset up to which the follower's log is the leader's, as their epochs tell: at most the follower's end. The two ask each
 * other, in turn, for the end of the latest epoch that one of them knows and the other may not.
 */
export function divergence(follower: EpochHistory, leader: EpochHistory): number {
  const latest = leader.leaderEpochs.at(-1)?.leaderEpoch ?? 0;
  let endOffset = Math.min(follower.logEndOffset, leader.logEndOffset);
  let epoch = follower.leaderEpochs.at(-1)?.leaderEpoch;
  while (epoch !== undefined) {
    const asked = Math.min(epoch, latest);
    const theirs = leader.endOfEpoch(asked) ?? { leaderEpoch: asked, endOffset: leader.logEndOffset };
    if (theirs.leaderEpoch === epoch) return Math.min(endOffset, theirs.endOffset);
    const ours = follower.endOfEpoch(theirs.leaderEpoch);
    assert(ours !== null, `the follower has seen epoch ${epoch}, and not ${theirs.leaderEpoch}`);
    endOffset = Math.min(endOffset, theirs.endOffset, ours.endOffset);
    if (ours.leaderEpoch === theirs.leaderEpoch) return endOffset;
    epoch = ours.leaderEpoch;
  }
  return endOffset;
}

/** Where the follower has to cut its log before its first fetch from this leader. Its own end when nowhere. */
export function cutOffset(
  follower: EpochHistory,
  followerHighWatermark: number,
  leader: EpochHistory,
  reconciliation: Reconciliation,
): number {
  if (reconciliation === "leader-epoch") return divergence(follower, leader);
  return Math.min(followerHighWatermark, follower.logEndOffset, leader.logEndOffset);
}
