/**
 * dump_log: batches as they lie in the leader's files. Refuses: UNKNOWN_TOPIC, UNKNOWN_PARTITION, OFFSET_OUT_OF_RANGE,
 * STORAGE_ERROR when off line; damage is no refusal but a part of the answer.
 */
import type { DumpedBatch, DumpedIndexes } from "@minikafka/core";
import type { ResponseFields } from "@minikafka/protocol";
import type { BatchHeader } from "@minikafka/record";
import { onTheWire } from "../fetch-reading.ts";
import type { Handler } from "../handler.ts";

type Answer = ResponseFields<"dump_log">;

/** What is read and checked for one answer, so that it does not hold up the others for long. */
const READ_BYTES_MAX = 16 * 1024 * 1024;
/** The same where the records are in the answer: as text they are larger. */
const RECORD_BYTES_MAX = 1024 * 1024;

export const dumpLog: Handler<"dump_log"> = (request, { cluster }) => {
  const { topic, partition, records: withRecords, indexes: withIndexes, max_batches: batchesMax } = request;
  const { logStartOffset, logEndOffset } = cluster.describePartition({ topic, partition });
  const bytesMax = withRecords ? RECORD_BYTES_MAX : READ_BYTES_MAX;
  const limits = { batchesMax, bytesMax, withRecords, withIndexes };
  const dump = cluster.dumpLog({ topic, partition }, request.offset ?? logStartOffset, limits);
  const answer: Answer = {
    topic,
    partition,
    log_start_offset: logStartOffset,
    log_end_offset: logEndOffset,
    batches: [],
    damage: [],
    ...(withIndexes ? { indexes: dump.indexes.map(indexFields) } : {}),
    next_offset: dump.nextOffset,
  };
  for (const batch of dump.batches) {
    const { header, segmentBaseOffset: segment, position, problem } = batch;
    if (header === null) answer.damage.push({ segment, position, problem: problem ?? "" });
    else answer.batches.push(batchFields(batch, header));
  }
  return answer;
};

function batchFields(
  { segmentBaseOffset, position, problem, records }: DumpedBatch,
  header: BatchHeader,
): Answer["batches"][number] {
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
    ...(records === null ? {} : { records: records.map(onTheWire) }),
  };
}

function indexFields({ segmentBaseOffset, offsets, times }: DumpedIndexes) {
  return {
    segment: segmentBaseOffset,
    offsets: [...offsets],
    times: times.map(({ timestampMs, offset }) => ({ timestamp_ms: timestampMs, offset })),
  };
}

/** A damaged header may hold what is no exact number of JSON's. */
function exact(value: number): number {
  return Math.max(Number.MIN_SAFE_INTEGER, Math.min(Number.MAX_SAFE_INTEGER, value));
}
