/** All that a partition's leader knows, and each replica of itself, for who wants to look inside. */
import { lastSequenceOf, type ProducerEntry } from "../log/producers/producer-state.ts";
import type { PartitionDescription, ProducerDescription } from "./partition-view.ts";
import type { PartitionReplicaSet } from "./replica-set.ts";

const PRODUCERS_SHOWN = 100;

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
    producerCount: log.producerCount,
    producers: log.producers().slice(-PRODUCERS_SHOWN).reverse().map(describeProducer),
    epochs: log.leaderEpochs.map(({ leaderEpoch: epoch, startOffset }) => ({ epoch, startOffset })),
  };
}

function describeProducer(producer: ProducerEntry): ProducerDescription {
  const { producerId, producerEpoch, lastSeenMs } = producer;
  const last = producer.batches.at(-1);
  return {
    producerId,
    producerEpoch,
    lastSequence: last === undefined ? null : lastSequenceOf(last),
    lastOffset: last === undefined ? null : last.nextOffset - 1,
    lastSeenMs,
  };
}
