/**
 * dump_log: batches as they lie in the files of the leader, or of a named replica. Refuses: UNKNOWN_TOPIC, UNKNOWN_PARTITION,
 * INVALID_REQUEST (no copy there), OFFSET_OUT_OF_RANGE, LEADER_NOT_AVAILABLE, BROKER_NOT_AVAILABLE, STORAGE_ERROR when off line;
 * damage is no refusal but a part of the answer.
 */
import type { DumpedIndexes } from "@minikafka/core";
import type { ResponseFields } from "@minikafka/protocol";
import { batchFields } from "../batch-fields.ts";
import { onTheWire } from "../fetch-reading.ts";
import type { Handler } from "../handler.ts";

type Answer = ResponseFields<"dump_log">;

/** What is read and checked for one answer, so that it does not hold up the others for long. */
const READ_BYTES_MAX = 16 * 1024 * 1024;
/** The same where the records are in the answer: as text they are larger. */
const RECORD_BYTES_MAX = 1024 * 1024;

export const dumpLog: Handler<"dump_log"> = (request, { cluster }) => {
  const { topic, partition, records: withRecords, indexes: withIndexes, max_batches: batchesMax } = request;
  const log = cluster.replicaLog({ topic, partition }, request.broker_id);
  const { logStartOffset, logEndOffset } = log;
  const bytesMax = withRecords ? RECORD_BYTES_MAX : READ_BYTES_MAX;
  const limits = { batchesMax, bytesMax, withRecords, withIndexes };
  const dump = log.dump(request.offset ?? logStartOffset, limits);
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
    else {
      const records = batch.records === null ? {} : { records: batch.records.map(onTheWire) };
      answer.batches.push({ ...batchFields({ ...batch, header }), ...records });
    }
  }
  return answer;
};

function indexFields({ segmentBaseOffset, offsets, times, aborted }: DumpedIndexes) {
  return {
    segment: segmentBaseOffset,
    offsets: [...offsets],
    times: times.map(({ timestampMs, offset }) => ({ timestamp_ms: timestampMs, offset })),
    ...(aborted.length > 0 && {
      aborted: aborted.map(({ producerId, firstOffset, lastOffset, position }) => ({
        producer_id: producerId,
        first_offset: firstOffset,
        last_offset: lastOffset,
        position,
      })),
    }),
  };
}
