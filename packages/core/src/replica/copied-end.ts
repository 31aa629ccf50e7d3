/**
 * Up to where the replicas of a partition surely hold their leader's log on their disks.
 *
 * Below the least of these ends all of them hold one beginning. It is nobody's to lose: no crash takes it from anyone, and whoever leads
 * next, be it by an unclean promotion, leads with it and cuts nobody there. So there a tombstone or a marker has been heard of by all
 * who hold what it ended, and compaction may drop it, at each for itself (docs/decisions/0012).
 */
import type { Replica } from "./replica.ts";
import type { PartitionReplicaSet } from "./replica-set.ts";

export interface CopiedEnd {
  readonly brokerId: number;
  readonly endOffset: number;
}

/** Of each replica; 0 for one of which nothing is known, since it is away or has not fetched from this leader yet. */
export function copiedEnds({ copies, leadership }: PartitionReplicaSet): readonly CopiedEnd[] {
  const { onlineLeader: leader } = leadership;
  return copies.map((copy) => ({ brokerId: copy.brokerId, endOffset: copiedEnd(copy, copy === leader) }));
}

/** The least of them. */
export function copiedEndOf(set: PartitionReplicaSet): number {
  return Math.min(...copiedEnds(set).map(({ endOffset }) => endOffset));
}

function copiedEnd(copy: Replica, isLeader: boolean): number {
  const { isOnline, progress, flushedOffset } = copy.view();
  if (!isOnline) return 0;
  return isLeader ? flushedOffset : Math.min(progress.logEndOffset ?? 0, flushedOffset);
}
