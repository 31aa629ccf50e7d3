import { z } from "zod";
import * as fields from "../fields.ts";
import { operation } from "../operation.ts";

const problem = z.string().describe("what is wrong, in words");
const segment = fields.count.describe("the base offset of the segment that it lies in");
const position = fields.count.describe("where in the segment's file it begins");

/** What a batch's header says; where `problem` is not null, it may say anything. */
const batch = z.object({
  segment,
  position,
  size_bytes: fields.count,
  base_offset: z.number(),
  next_offset: z.number().describe("where the next batch begins"),
  record_count: z.int(),
  leader_epoch: z.int(),
  timestamp_type: z.enum(["create", "append"]),
  first_timestamp_ms: z.number(),
  max_timestamp_ms: z.number(),
  producer_id: z.number().describe("-1 for none; the next two likewise"),
  producer_epoch: z.int(),
  base_sequence: z.int(),
  transactional: z.boolean(),
  control: z.enum(["commit", "abort"]).nullable().describe("which marker a control batch is"),
  codec: z.string().nullable().describe("null for a number that has no name"),
  delete_horizon_ms: z
    .number()
    .nullable()
    .describe("from when on compaction may drop the batch's tombstones or the marker that it is (KIP-534)"),
  crc: z.int().describe("the CRC-32 that the header states"),
  problem: problem.nullable(),
  records: z.array(fields.fetchedRecord).optional(),
});

export const dumpLog = operation({
  name: "dump_log",
  summary: "Shows the batches of a partition as they lie in its files, damaged ones with what is wrong.",
  request: {
    topic: fields.topic,
    partition: fields.partition,
    offset: fields.offset.optional().describe("where to begin; the log start offset when it is left out"),
    max_batches: z
      .int()
      .min(1)
      .max(1_000)
      .default(100)
      .describe("at most so many sound batches, and fewer when they are large"),
    indexes: z
      .boolean()
      .default(false)
      .describe("whether the entries of the indexes come that lead to these batches"),
    records: z.boolean().default(false).describe("whether sound batches come with their records"),
  },
  response: z.object({
    topic: z.string(),
    partition: z.int(),
    log_start_offset: fields.count,
    log_end_offset: fields.count,
    batches: z.array(batch),
    damage: z
      .array(z.object({ segment, position, problem }))
      .describe("where no batch begins, so that the rest of that segment cannot be read"),
    indexes: z
      .array(
        z.object({
          segment: fields.count.describe("the base offset of the segment"),
          offsets: z
            .array(z.object({ offset: fields.count, position: fields.count }))
            .describe("which batch begins where"),
          times: z
            .array(z.object({ timestamp_ms: fields.timestampMs, offset: fields.count }))
            .describe("the latest time so far, and the batch that reached it"),
        }),
      )
      .optional(),
    next_offset: fields.offset.describe("where to go on; the log end offset when there is no more"),
  }),
});
