/**
 * find_in_log: where an offset or a time lies in the leader's files, and the way to it. Refuses: INVALID_REQUEST without one
 * of the two or with both, UNKNOWN_TOPIC, UNKNOWN_PARTITION, OFFSET_OUT_OF_RANGE, STORAGE_ERROR when off line; damage is no
 * refusal but a part of the answer.
 */
import { BrokerError, foundRecordFields, lookupStepFields, type SoughtPlace } from "@minikafka/core";
import type { ParsedRequest } from "@minikafka/protocol";
import { batchFields } from "../batch-fields.ts";
import type { Handler } from "../handler.ts";

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
    steps: steps.slice(-STEPS_MAX).map(lookupStepFields),
    steps_left_out: Math.max(0, steps.length - STEPS_MAX),
    batch: batch === null ? null : batchFields(batch),
    record: record && foundRecordFields(record),
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
