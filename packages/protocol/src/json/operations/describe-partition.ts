import { z } from "zod";
import * as fields from "../fields.ts";
import { operation } from "../operation.ts";

const replica = () =>
  z.object({
    broker_id: z.int(),
    log_end_offset: fields.count
      .nullable()
      .describe("null while its broker is stopped or its log is off line"),
    high_watermark: fields.count
      .nullable()
      .describe("as this replica has heard of it: a follower is a fetch behind; null when log_end_offset is"),
    in_sync: z.boolean(),
    held_out: z.boolean().describe("an operator took it out of those in sync: it stays out until it rejoins"),
    last_caught_up_ms: z
      .int()
      .nullable()
      .describe("when it last held all that the leader had; null for the leader, and for who never did"),
    online: z.boolean(),
    problem: z.string().nullable().describe("why it cannot be read; null while it is on line"),
  });

const openTransaction = () =>
  z.object({
    transactional_id: z
      .string()
      .nullable()
      .describe("null when none that its coordinator knows has the producer id, or nobody leads that"),
    producer_id: z.int(),
    producer_epoch: z.int(),
    first_offset: fields.offset.describe("of its first batch that is left"),
  });

export const describePartition = operation({
  name: "describe_partition",
  summary:
    "Shows all that a partition's leader knows, and where each replica stands: marks, segments, epochs. While nobody leads, it is what the first replica in sync knows that can be read; when there is none, offsets are null and lists are empty, but for the replicas.",
  request: () => ({ topic: fields.topic, partition: fields.partition }),
  response: () =>
    z.object({
      topic: z.string(),
      partition: z.int(),
      leader_id: z.int().nullable().describe("null while nobody leads, as in metadata"),
      leader_epoch: z.int(),
      log_end_offset: fields.count.nullable().describe("the next offset to be written"),
      high_watermark: fields.marks.high_watermark.nullable(),
      last_stable_offset: fields.marks.last_stable_offset.nullable(),
      log_start_offset: fields.marks.log_start_offset.nullable(),
      isr: z.array(z.int()),
      replicas: z.array(replica()),
      segments: z.array(
        z.object({
          base_offset: fields.count,
          next_offset: fields.count,
          size_bytes: fields.count,
          latest_time_ms: z
            .int()
            .nullable()
            .describe(
              "of its records, which retention compares with the broker's clock; null when it has none",
            ),
          active: z.boolean(),
        }),
      ),
      producer_count: fields.count.describe("idempotent producers that the partition knows"),
      producers: z
        .array(
          z.object({
            producer_id: z.int(),
            producer_epoch: z.int(),
            last_sequence: z.int().nullable().describe("of the last record; null after a marker alone"),
            last_offset: z.int().nullable(),
            last_seen_ms: z.int().describe("when a batch of it was last taken, on the broker's clock"),
          }),
        )
        .describe("those of which it heard last, at most 100, the latest first"),
      open_transactions: z.array(openTransaction()).describe("at most 100, the oldest first"),
      epochs: z.array(z.object({ epoch: z.int(), start_offset: fields.count })),
    }),
});
