/** All that a partition's leader knows, and each replica of itself, for who wants to look inside. */
import type { PartitionDescription } from "./partition-view.ts";
import type { PartitionReplicaSet } from "./replica-set.ts";

/**
 * While nobody leads, the log is that of the first replica in sync that can be read. Throws LEADER_NOT_AVAILABLE when there is
 * none, and STORAGE_ERROR with the reason when the leader's log could not be opened.
 */
export function describePartition(set: PartitionReplicaSet): PartitionDescription {
  const { leaderEpoch, leadership } = set;
  const shown = leadership.onlineLeader ?? leadership.inSync().find(({ isOnline }) => isOnline);
  const log = shown?.log ?? set.leaderLog;
  const { logStartOffset, logEndOffset } = log;
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
    segments: log.segments(),
    epochs: log.leaderEpochs.map(({ leaderEpoch: epoch, startOffset }) => ({ epoch, startOffset })),
  };
}
