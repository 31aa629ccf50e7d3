/** All that a partition's leader knows, and each replica of itself, for who wants to look inside. */
import type { PartitionLog } from "../log/partition-log.ts";
import { lastSequenceOf, type ProducerEntry } from "../log/producers/producer-state.ts";
import { stableEnd } from "./last-stable-offset.ts";
import type {
  PartitionDescription,
  PartitionLogDescription,
  PartitionProducers,
  ProducerDescription,
  ReplicaDescription,
} from "./partition-view.ts";
import type { Replica } from "./replica.ts";
import type { PartitionReplicaSet } from "./replica-set.ts";

const PRODUCERS_SHOWN = 100;
const TRANSACTIONS_SHOWN = 100;

/**
 * While nobody leads, the log is that of the first replica in sync that can be read; when there is none, what only a log can tell
 * is `null` or empty. Where each replica stands is told in any case.
 */
export function describePartition(set: PartitionReplicaSet): PartitionDescription {
  const { leadership } = set;
  const shown = leadership.onlineLeader ?? leadership.inSync().find(({ isOnline }) => isOnline) ?? null;
  return {
    ...set.place,
    leaderId: set.leaderId,
    leaderEpoch: set.leaderEpoch,
    inSyncReplicas: set.inSyncReplicas,
    replicas: set.copies.map((copy) => describeReplica(set, copy)),
    ...(shown === null ? UNKNOWN : describeLog(set, shown.log)),
  };
}

const UNKNOWN: PartitionLogDescription = {
  logStartOffset: null,
  logEndOffset: null,
  highWatermark: null,
  lastStableOffset: null,
  segments: [],
  producerCount: 0,
  producers: [],
  openTransactions: [],
  epochs: [],
};

function describeLog(set: PartitionReplicaSet, log: PartitionLog): PartitionLogDescription {
  const { highWatermark } = set;
  const lastStableOffset = set.isOnline ? set.lastStableOffset : stableEnd(log, highWatermark);
  const { logStartOffset, logEndOffset, producerCount } = log;
  return {
    logStartOffset,
    logEndOffset,
    highWatermark,
    lastStableOffset,
    segments: log.segments(),
    producerCount,
    ...describeProducers(log),
    epochs: log.leaderEpochs.map(({ leaderEpoch: epoch, startOffset }) => ({ epoch, startOffset })),
  };
}

export function describeProducers(log: PartitionLog): PartitionProducers {
  return {
    producers: log.producers().slice(-PRODUCERS_SHOWN).reverse().map(describeProducer),
    openTransactions: log.openTransactions.slice(0, TRANSACTIONS_SHOWN),
  };
}

function describeReplica(
  { inSyncReplicas, assignedLeaderId }: PartitionReplicaSet,
  copy: Replica,
): ReplicaDescription {
  const { brokerId, logEndOffset, highWatermark, isOnline, offlineProblem } = copy;
  return {
    brokerId,
    logEndOffset,
    highWatermark: logEndOffset === null ? null : highWatermark,
    isInSync: inSyncReplicas.includes(brokerId),
    isHeldOut: copy.isHeldOut,
    lastCaughtUpMs: brokerId === assignedLeaderId ? null : (copy.progress.lastCaughtUp?.nowMs ?? null),
    isOnline,
    problem: offlineProblem?.message ?? null,
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
