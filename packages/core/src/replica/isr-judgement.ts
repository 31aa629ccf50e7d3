/** Who is in sync in a partition as it is, or as it would be after a round of one follower. Pure. */
import { type FollowerView, type IsrChange, type IsrQuestion, isrChange } from "./isr.ts";
import type { Replica } from "./replica.ts";
import type { PartitionReplicaSet } from "./replica-set.ts";

export interface JudgedAt {
  readonly only: IsrQuestion["only"];
  /** By the clock that nobody sets. */
  readonly monotonicMs: number;
  /** In the order of placement. Default: as they are. */
  readonly followers?: readonly FollowerView[];
  /** Default: where it is. */
  readonly highWatermark?: number;
}

/** How those in sync change, or `null`: when they do not, or when nobody is there to judge them. */
export function judgeIsr(set: PartitionReplicaSet, asked: JudgedAt): IsrChange | null {
  const { leadership, state } = set;
  const leader = leadership.onlineLeader;
  if (leader === null || leader.isBeingCut || set.isRetired) return null;
  const { only, monotonicMs, highWatermark = set.highWatermark } = asked;
  return isrChange(state, {
    followers: asked.followers ?? leadership.followers().map((follower) => follower.view()),
    leader: {
      logEndOffset: leader.log.logEndOffset,
      highWatermark,
      leaderEpochStartOffset: state.leaderEpochStartOffset,
      logStartOffset: leadership.logStartOffset,
      monotonicMs,
    },
    rule: { ...set.replication, joinsFlushed: set.waitsForDisk },
    only,
  });
}

/** The in-sync replicas after `change`, in the order of placement. */
export function inSyncAfter(set: PartitionReplicaSet, change: IsrChange | null): readonly number[] {
  if (change === null) return set.inSyncReplicas;
  return set.replicas.filter((id) => change.inSyncReplicas.includes(id));
}

/** Where the high watermark stands when those are in sync, and their leader knows what `endOf` tells; by default what it knows. */
export function highWatermarkWith(
  set: PartitionReplicaSet,
  inSyncReplicas: readonly number[],
  endOf: (copy: Replica) => number | null = ({ progress }) => progress.logEndOffset,
): number {
  const inSync = set.copies.filter(({ brokerId }) => inSyncReplicas.includes(brokerId));
  return set.leadership.foretold(set.minInSyncReplicas, inSync, endOf);
}
