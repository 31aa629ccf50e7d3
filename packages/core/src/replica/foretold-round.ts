/**
 * What one round of one follower would do if it were taken now (follower-round.ts), told without doing any of it. It asks the
 * same questions in the same order, and reads what the round would copy.
 *
 * Never: anything changed. What a disk will refuse nobody can foretell.
 */
import type { Instant } from "../env/clock.ts";
import { BrokerError } from "../errors.ts";
import { type Cut, dueCut, endAfterCut, type Walked, walkBatches } from "./follower-fetch.ts";
import { flushesToJoin, goesWithLogStart, leaderToFollow } from "./follower-round.ts";
import { afterFetch, type FollowerView, type IsrMove } from "./isr.ts";
import { highWatermarkWith, inSyncAfter, judgeIsr } from "./isr-judgement.ts";
import type { Replica } from "./replica.ts";
import type { PartitionReplicaSet } from "./replica-set.ts";

export interface ForetoldRound {
  /** Where the follower's log ends before. */
  readonly fromOffset: number;
  /** As FollowerRound says it. */
  readonly truncatedTo: number | null;
  readonly batches: number;
  readonly bytes: number;
  readonly problem: string | null;
  /** Of the follower, afterwards. */
  readonly logStartOffset: number;
  readonly logEndOffset: number;
  /** As far as the follower has heard then. */
  readonly highWatermark: number;
  /** Of the partition, afterwards. */
  readonly leaderHighWatermark: number;
  /** Afterwards, in the order of placement. */
  readonly inSyncReplicas: readonly number[];
  /** Who joins them. */
  readonly moves: readonly IsrMove[];
}

/** `null` when a round would do nothing, or there is nobody to follow, or no way to. */
export function foretoldRound(
  set: PartitionReplicaSet,
  follower: Replica,
  at: Instant,
): ForetoldRound | null {
  const leader = leaderToFollow(set, follower);
  if (leader === null) return null;
  try {
    const cut = dueCut(set, follower, leader);
    const truncatedTo = cut === null ? null : endAfterCut(follower, cut);
    const end = truncatedTo ?? follower.log.logEndOffset;
    const walked = walkBatches(leader.log.looked, end, set.replication.replicaFetchMaxBytes, () => {});
    return afterRound({ set, follower, leader, cut, truncatedTo, walked }, at);
  } catch (problem) {
    if (!(problem instanceof BrokerError)) throw problem;
    return failedRound(set, follower, problem.message);
  }
}

function failedRound(set: PartitionReplicaSet, follower: Replica, problem: string): ForetoldRound {
  const { logStartOffset, logEndOffset } = follower.log;
  return {
    ...{ fromOffset: logEndOffset, truncatedTo: null, batches: 0, bytes: 0, problem },
    ...{ logStartOffset, logEndOffset, highWatermark: follower.highWatermark },
    leaderHighWatermark: set.highWatermark,
    inSyncReplicas: set.inSyncReplicas,
    moves: [],
  };
}

interface Round {
  readonly set: PartitionReplicaSet;
  readonly follower: Replica;
  readonly leader: Replica;
  readonly cut: Cut | null;
  readonly truncatedTo: number | null;
  readonly walked: Walked;
}

function afterRound(round: Round, at: Instant): ForetoldRound | null {
  const { set, follower, leader, cut, truncatedTo, walked } = round;
  const { endOffset: logEndOffset, batches, bytes } = walked;
  const { logEndOffset: leaderEndOffset } = leader.log;
  const endOf = (copy: Replica) => (copy === follower ? logEndOffset : copy.progress.logEndOffset);
  const fetched = highWatermarkWith(set, set.inSyncReplicas, endOf);
  const logStartOffset = startAfter(round);
  const flushedOffset = truncatedTo ?? follower.log.flushedOffset;
  const flushes = flushesToJoin(set, follower, { logEndOffset, flushedOffset }, fetched);
  const view: FollowerView = {
    ...follower.view(),
    progress: afterFetch(follower.progress, { logEndOffset, leaderEndOffset, at }),
    flushedOffset: flushes ? logEndOffset : flushedOffset,
    logStartOffset,
  };
  const followers = set.leadership.followers().map((copy) => (copy === follower ? view : copy.view()));
  const { monotonicMs } = at;
  const change = judgeIsr(set, { only: "joins", monotonicMs, followers, highWatermark: fetched });
  const inSyncReplicas = inSyncAfter(set, change);
  const leaderHighWatermark = Math.max(fetched, highWatermarkWith(set, inSyncReplicas, endOf));
  const highWatermark = Math.min(set.highWatermark, logEndOffset);
  const foretold = {
    ...{ fromOffset: follower.log.logEndOffset, truncatedTo, batches, bytes, problem: null },
    ...{ logStartOffset, logEndOffset, highWatermark, leaderHighWatermark, inSyncReplicas },
    moves: change?.moves ?? [],
  };
  return flushes || cut !== null || isNews(set, follower, foretold) ? foretold : null;
}

/** Whether the follower gets something, hears something, or tells its leader something. */
function isNews(set: PartitionReplicaSet, follower: Replica, foretold: ForetoldRound): boolean {
  const { batches, moves, highWatermark, logStartOffset, logEndOffset, leaderHighWatermark } = foretold;
  return (
    batches + moves.length > 0 ||
    follower.trouble !== null ||
    highWatermark !== follower.highWatermark ||
    logStartOffset !== follower.log.logStartOffset ||
    logEndOffset !== follower.progress.logEndOffset ||
    leaderHighWatermark !== set.highWatermark
  );
}

function startAfter({ set, follower, cut, truncatedTo, walked }: Round): number {
  const { logStartOffset: own } = follower.log;
  const logStartOffset = cut?.kind === "restart" ? cut.offset : Math.min(own, truncatedTo ?? own);
  const { logStartOffset: leaders } = set.leadership;
  const { endOffset: logEndOffset } = walked;
  return goesWithLogStart({ logStartOffset, logEndOffset }, leaders) ? leaders : logStartOffset;
}
