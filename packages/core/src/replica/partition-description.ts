/** All that a partition's leader knows, for who wants to look inside. */
import type { PartitionDescription } from "./partition-view.ts";
import type { PartitionReplicaSet } from "./replica-set.ts";

/** Throws STORAGE_ERROR with the reason when the leader's log could not be opened. */
export function describePartition(set: PartitionReplicaSet): PartitionDescription {
  const { leaderEpoch, leaderLog } = set;
  const { logStartOffset, logEndOffset } = leaderLog;
  return {
    ...set.place,
    leaderId: set.leaderId,
    leaderEpoch,
    logStartOffset,
    logEndOffset,
    highWatermark: set.highWatermark,
    lastStableOffset: set.lastStableOffset,
    inSyncReplicas: set.inSyncReplicas,
    replicas: set.copies.map((copy) => ({
      brokerId: copy.brokerId,
      logEndOffset: copy.logEndOffset,
      highWatermark: copy.highWatermark,
      isInSync: set.inSyncReplicas.includes(copy.brokerId),
      lastCaughtUpMs: copy.brokerId === set.assignedLeaderId ? null : copy.progress.lastCaughtUpMs,
      isOnline: copy.isOnline,
    })),
    segments: leaderLog.segments(),
    epochs: leaderLog.leaderEpochs.map(({ leaderEpoch: epoch, startOffset }) => ({ epoch, startOffset })),
  };
}
