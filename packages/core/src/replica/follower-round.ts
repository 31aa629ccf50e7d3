/**
 * One round of one follower of one partition, from the cut to the news that it brings its leader.
 *
 * A fetch tells the leader where the follower ends, and the answer tells the follower how far the leader has made things
 * visible. Here the next fetch's question is a part of the round: the leader hears at once where the follower ends now, while
 * the follower hears of the high watermark that moves thereby only in its next round, as in Kafka.
 *
 * Never: one follower's trouble in the way of another's.
 */
import { instantOf } from "../env/clock.ts";
import type { Env } from "../env/env.ts";
import { BrokerError } from "../errors.ts";
import type { PartitionLog } from "../log/partition-log.ts";
import { type Copied, type Cut, copyBatches, dueCut } from "./follower-fetch.ts";
import { afterFailure } from "./follower-trouble.ts";
import { afterFetch } from "./isr.ts";
import type { Replica } from "./replica.ts";
import type { PartitionReplicaSet } from "./replica-set.ts";

export interface FollowerRound {
  readonly brokerId: number;
  readonly batches: number;
  readonly bytes: number;
  /** Where its log ended after the cut that came first; `null` when none was due. */
  readonly truncatedTo: number | null;
  /** What went wrong; what was copied before stays. */
  readonly problem: string | null;
}

export interface RoundOptions {
  readonly env: Env;
  /** The high watermark that the leader answers with: the one at the beginning of the round of all followers. */
  readonly heard: number;
  /** Called before a replica gives up what lies at `offset` and behind it: what its broker has noted of it goes first. */
  readonly onCut: (follower: Replica, offset: number) => void;
}

/** `null` when there is nobody to follow, or no way to. */
export function leaderToFollow(set: PartitionReplicaSet, follower: Replica): Replica | null {
  const leader = set.leadership.onlineLeader;
  if (leader === null || leader === follower || leader.isBeingCut || set.isRetired) return null;
  return follower.isOnline && follower.broker.isRunning && !follower.isBeingCut ? leader : null;
}

/** What was deleted at the leader goes here as well (KIP-107). Its own retention a follower applies by itself. */
export function goesWithLogStart(
  { logStartOffset, logEndOffset }: Pick<PartitionLog, "logStartOffset" | "logEndOffset">,
  leaderStartOffset: number,
): boolean {
  return logStartOffset < leaderStartOffset && logEndOffset >= leaderStartOffset;
}

/** Who is not in sync yet joins with a flushed copy, so that what was acknowledged is on its disk as well. */
export function flushesToJoin(
  { waitsForDisk, inSyncReplicas }: PartitionReplicaSet,
  { brokerId }: Replica,
  { logEndOffset, flushedOffset }: Pick<PartitionLog, "logEndOffset" | "flushedOffset">,
  highWatermark: number,
): boolean {
  if (!waitsForDisk || inSyncReplicas.includes(brokerId)) return false;
  return logEndOffset >= highWatermark && flushedOffset < highWatermark;
}

/** Resolves with `null` as leaderToFollow() says. */
export async function followerRound(
  set: PartitionReplicaSet,
  follower: Replica,
  options: RoundOptions,
): Promise<FollowerRound | null> {
  const { leadership } = set;
  const leader = leaderToFollow(set, follower);
  if (leader === null) return null;
  const { brokerId } = follower;
  let truncatedTo: number | null = null;
  try {
    const cut = dueCut(set, follower, leader);
    if (follower.progress.logEndOffset === null) follower.log.endEpoch();
    if (cut !== null) {
      const { state } = leadership;
      await cutLog(set, follower, cut, options);
      truncatedTo = follower.logEndOffset;
      // The world went on meanwhile.
      if (set.isRetired || leadership.state !== state || !follower.isOnline || !leader.isOnline)
        return { brokerId, batches: 0, bytes: 0, truncatedTo, problem: null };
    }
    const copied = copyFrom(set, follower, leader, options);
    // From here on it is this log's: the follower may get another one meanwhile, or none.
    const { log } = follower;
    const { logStartOffset } = leadership;
    if (goesWithLogStart(log, logStartOffset)) await log.deleteRecords(logStartOffset);
    if (flushesToJoin(set, follower, log, set.highWatermark)) await log.flush();
    noteSuccess(set, follower, leader, options);
    return { brokerId, ...copied, truncatedTo, problem: null };
  } catch (problem) {
    if (!(problem instanceof BrokerError)) throw problem;
    noteFailure(set, follower, leader, problem, options);
    return { brokerId, batches: 0, bytes: 0, truncatedTo, problem: problem.message };
  }
}

function noteSuccess(
  { place }: PartitionReplicaSet,
  follower: Replica,
  leader: Replica,
  { env }: RoundOptions,
): void {
  const { trouble, brokerId } = follower;
  if (trouble === null) return;
  follower.trouble = null;
  const { failures } = trouble;
  env.trace({ kind: "replication_resumed", brokerId, ...place, leaderId: leader.brokerId, failures });
}

function noteFailure(
  { place }: PartitionReplicaSet,
  follower: Replica,
  { brokerId: leaderId }: Replica,
  { message: problem }: BrokerError,
  { env }: RoundOptions,
): void {
  const { brokerId } = follower;
  follower.trouble = afterFailure(follower.trouble, env.clock.nowMs());
  const { failures } = follower.trouble;
  env.trace({ kind: "replication_failed", brokerId, ...place, leaderId, failures, problem });
}

function copyFrom(
  set: PartitionReplicaSet,
  follower: Replica,
  leader: Replica,
  { env, heard }: RoundOptions,
): Copied {
  const { brokerId } = follower;
  const fromOffset = follower.log.logEndOffset;
  try {
    const copied = copyBatches(follower.log, leader.log, set.replication.replicaFetchMaxBytes);
    const { logEndOffset } = follower.log;
    if (copied.batches > 0) {
      const facts = { leaderId: leader.brokerId, fromOffset, logEndOffset, highWatermark: heard };
      env.trace({ kind: "replicated", brokerId, ...set.place, ...facts, ...copied });
    }
    return copied;
  } finally {
    // Also after trouble in the middle: what was copied was copied.
    const { logEndOffset } = follower.log;
    follower.learnHighWatermark(Math.min(heard, logEndOffset));
    const leaderEndOffset = leader.log.logEndOffset;
    const at = instantOf(env.clock);
    follower.progress = afterFetch(follower.progress, { logEndOffset, leaderEndOffset, at });
    set.noteProgress();
  }
}

async function cutLog(
  set: PartitionReplicaSet,
  follower: Replica,
  cut: Cut,
  { env, onCut }: RoundOptions,
): Promise<void> {
  const { log, brokerId } = follower;
  const fromOffset = log.logEndOffset;
  follower.isBeingCut = true;
  try {
    onCut(follower, cut.offset);
    // Whoever notes what it has heard of, while the disk is at work, notes nothing of what goes.
    follower.learnHighWatermark(Math.min(follower.highWatermark, cut.offset));
    if (cut.kind === "truncate") await log.truncateTo(cut.offset);
    else await log.restartAt(cut.offset);
  } finally {
    follower.isBeingCut = false;
  }
  env.trace({
    kind: "reconciled",
    brokerId,
    ...set.place,
    leaderId: set.assignedLeaderId ?? -1,
    leaderEpoch: set.leaderEpoch,
    fromOffset,
    logEndOffset: log.logEndOffset,
    reconciliation: cut.kind === "restart" ? "log-start" : set.replication.reconciliation,
  });
}
