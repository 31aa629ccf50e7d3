/** A batch of a log's files as the answers show it. */
import type { FoundBatch } from "@minikafka/core";
import type { ResponseFields } from "@minikafka/protocol";

export function batchFields({
  segmentBaseOffset,
  position,
  header,
  problem,
}: FoundBatch): NonNullable<ResponseFields<"find_in_log">["batch"]> {
  return {
    segment: segmentBaseOffset,
    position,
    size_bytes: header.frameBytes,
    base_offset: exact(header.baseOffset),
    next_offset: exact(header.nextOffset),
    record_count: header.recordCount,
    leader_epoch: header.leaderEpoch,
    timestamp_type: header.timestampType,
    first_timestamp_ms: exact(header.firstTimestampMs),
    max_timestamp_ms: exact(header.maxTimestampMs),
    producer_id: exact(header.producerId),
    producer_epoch: header.producerEpoch,
    base_sequence: header.baseSequence,
    transactional: header.transactional,
    control: header.control,
    codec: header.codec,
    delete_horizon_ms: header.deleteHorizonMs === null ? null : exact(header.deleteHorizonMs),
    crc: header.crc,
    problem,
  };
}

/** A damaged header may hold what is no exact number of JSON's. */
function exact(value: number): number {
  return Math.max(Number.MIN_SAFE_INTEGER, Math.min(Number.MAX_SAFE_INTEGER, value));
}
