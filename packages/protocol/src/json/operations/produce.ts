import { RECORDS_PER_BATCH_MAX } from "@minikafka/record";
import { z } from "zod";
import * as fields from "../fields.ts";
import { operation } from "../operation.ts";
import { transactionalId } from "../transaction-fields.ts";

/**
 * Three forms, one at a time: a single record in the request's own fields, several in `records`, or a whole encoded batch
 * in `batch_b64`, which nobody on the way re-encodes. The broker's handler refuses a mixture by name.
 */
export const produce = operation({
  name: "produce",
  summary:
    "Appends one record, several, or a whole encoded batch to a partition. One of a transaction may have to wait for its coordinator: other requests to the partition that were sent behind it may take effect before it. An error whose details say `appended` leaves it open whether the records stay; after another one than REQUEST_TIMED_OUT and NOT_ENOUGH_REPLICAS_AFTER_APPEND nothing was appended.",
  request: () => ({
    topic: fields.topic,
    partition: fields.partition.default(0),
    key_b64: fields.nullableBase64.optional().describe("one record: its key"),
    value_b64: fields.nullableBase64.optional().describe("one record: its value; null is a tombstone"),
    records: z
      .array(fields.producedRecord())
      .min(1)
      .max(RECORDS_PER_BATCH_MAX)
      .optional()
      .describe("several records, appended as one batch"),
    batch_b64: fields.base64.optional().describe("one unassigned MKB1 frame"),
    acks: fields.acks,
    one_way: z.boolean().default(false).describe('with acks "0": send no answer at all'),
    producer_id: fields.producerId.optional(),
    producer_epoch: fields.producerEpoch.optional(),
    base_sequence: fields.sequence
      .optional()
      .describe(
        "with producer_id and producer_epoch: a retry is known as one. A batch_b64 says all three itself",
      ),
    transactional_id: transactionalId
      .optional()
      .describe(
        "the records are a part of its open transaction, and appended once the partition is; with producer_id, producer_epoch and base_sequence, or a transactional batch_b64, and acks all",
      ),
    leader_epoch: z
      .int()
      .min(0)
      .optional()
      .describe("refuse with FENCED_LEADER_EPOCH unless this is the leader's epoch"),
    timeout_ms: z
      .int()
      .min(0)
      .max(600_000)
      .default(30_000)
      .describe("how long acks all may take; 0: no replica is waited for, and the disk all the same"),
  }),
  response: () =>
    z.object({
      partition: z.int(),
      offset: fields.offset.nullable().describe('the first record\'s offset; null (unknown) with acks "0"'),
      next_offset: fields.offset.nullable().describe("the offset after the last record; null with acks 0"),
      duplicate: z
        .literal(true)
        .optional()
        .describe("the same batch was there already: the offsets are those that it got then"),
      log_append_time_ms: fields.timestampMs
        .optional()
        .describe(
          "the time that the leader gave the records; only with message_timestamp_type LogAppendTime",
        ),
    }),
});
