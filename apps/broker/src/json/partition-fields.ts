/** All that the leader of a partition knows, and where each replica stands, as the wire says it. */
import type { BrokerCluster, TopicPartition } from "@minikafka/core";
import type { ResponseFields } from "@minikafka/protocol";

/** Throws UNKNOWN_TOPIC, UNKNOWN_PARTITION. */
export function partitionFields(
  cluster: BrokerCluster,
  { topic, partition }: TopicPartition,
): ResponseFields<"describe_partition"> {
  const view = cluster.describePartition({ topic, partition });
  return {
    topic,
    partition,
    leader_id: view.leaderId,
    leader_epoch: view.leaderEpoch,
    log_start_offset: view.logStartOffset,
    log_end_offset: view.logEndOffset,
    high_watermark: view.highWatermark,
    last_stable_offset: view.lastStableOffset,
    isr: [...view.inSyncReplicas],
    replicas: view.replicas.map((replica) => ({
      broker_id: replica.brokerId,
      log_end_offset: replica.logEndOffset,
      high_watermark: replica.highWatermark,
      in_sync: replica.isInSync,
      held_out: replica.isHeldOut,
      last_caught_up_ms: replica.lastCaughtUpMs,
      online: replica.isOnline,
      problem: replica.problem,
    })),
    segments: view.segments.map((segment) => ({
      base_offset: segment.baseOffset,
      next_offset: segment.nextOffset,
      size_bytes: segment.sizeBytes,
      latest_time_ms: segment.latestTimeMs,
      active: segment.active,
    })),
    producer_count: view.producerCount,
    producers: view.producers.map((producer) => ({
      producer_id: producer.producerId,
      producer_epoch: producer.producerEpoch,
      last_sequence: producer.lastSequence,
      last_offset: producer.lastOffset,
      last_seen_ms: producer.lastSeenMs,
    })),
    open_transactions: view.openTransactions.map(({ producerId, producerEpoch, firstOffset }) => ({
      transactional_id: cluster.transactions.idOf(producerId),
      producer_id: producerId,
      producer_epoch: producerEpoch,
      first_offset: firstOffset,
    })),
    epochs: view.epochs.map(({ epoch, startOffset }) => ({ epoch, start_offset: startOffset })),
  };
}
