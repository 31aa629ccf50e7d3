/**
 * find_in_log: where an offset or a time lies in the leader's files, and the way to it. Refuses: INVALID_REQUEST without one
 * of the two or with both, UNKNOWN_TOPIC, UNKNOWN_PARTITION, OFFSET_OUT_OF_RANGE, STORAGE_ERROR when off line; damage is no
 * refusal but a part of the answer.
 */
import { BrokerError, type LookupStep, type SoughtPlace } from "@minikafka/core";
import type { ParsedRequest, ResponseFields } from "@minikafka/protocol";
import { batchFields } from "../batch-fields.ts";
import type { Handler } from "../handler.ts";

type Answer = ResponseFields<"find_in_log">;
type TimeEntry = { readonly timestampMs: number; readonly offset: number };

/** The last ones lead to what is sought; before them are segments that were not taken. */
const STEPS_MAX = 1_000;

export const findInLog: Handler<"find_in_log"> = (request, { cluster }) => {
  const { topic, partition } = request;
  const sought = soughtIn(request);
  const { logStartOffset, logEndOffset } = cluster.replicaLog({ topic, partition });
  const { steps, batch, record, damage } = cluster.findInLog({ topic, partition }, sought);
  return {
    topic,
    partition,
    log_start_offset: logStartOffset,
    log_end_offset: logEndOffset,
    steps: steps.slice(-STEPS_MAX).map(stepFields),
    steps_left_out: Math.max(0, steps.length - STEPS_MAX),
    batch: batch === null ? null : batchFields(batch),
    record:
      record === null
        ? null
        : { offset: record.offset, timestamp_ms: record.timestampMs, place: record.place },
    damage:
      damage === null
        ? null
        : { segment: damage.segmentBaseOffset, position: damage.position, problem: damage.problem },
  };
};

function soughtIn({ offset, timestamp_ms: timestampMs }: ParsedRequest<"find_in_log">): SoughtPlace {
  if (offset !== undefined && timestampMs === undefined) return { offset };
  if (offset === undefined && timestampMs !== undefined) return { timestampMs };
  throw new BrokerError("INVALID_REQUEST", "offset and timestamp_ms: expected one of the two");
}

function stepFields(step: LookupStep): Answer["steps"][number] {
  const { kind, segment } = step;
  switch (kind) {
    case "segment": {
      const { nextOffset, maxTimestampMs, taken } = step;
      return { step: kind, segment, next_offset: nextOffset, max_timestamp_ms: maxTimestampMs, taken };
    }
    case "time_index":
      return { step: kind, segment, after: timeEntry(step.after), until: timeEntry(step.until) };
    case "offset_index":
      return { step: kind, segment, offset: step.offset, position: step.position };
    case "scan":
      return { step: kind, segment, position: step.position, batches: step.batches };
    case "index_refused":
      return { step: kind, segment, problem: step.problem };
  }
}

function timeEntry(entry: TimeEntry | null) {
  return entry === null ? null : { timestamp_ms: entry.timestampMs, offset: entry.offset };
}
