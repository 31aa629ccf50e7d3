/** What the operations that look into a log's files have in common. */
import { z } from "zod";
import * as fields from "./fields.ts";

export const problem = z.string().describe("what is wrong, in words");
export const segment = fields.count.describe("the base offset of the segment that it lies in");
export const position = fields.count.describe("where in the segment's file it begins");

/** What a batch's header says; where `problem` is not null, it may say anything. */
export const batch = () =>
  z.object({
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
    codec: z.string().describe("null for a number that has no name").nullable(),
    delete_horizon_ms: z
      .number()
      .describe("from when on compaction may drop the batch's tombstones or the marker that it is (KIP-534)")
      .nullable(),
    crc: z.int().describe("the CRC-32 that the header states"),
    problem: problem.nullable(),
  });

/** An entry of an index of aborted transactions. */
export const abortedEntry = () =>
  z.object({
    producer_id: fields.count,
    first_offset: fields.count,
    last_offset: fields.count.describe("that of the abort marker"),
    position: fields.count.describe("where the marker begins in the segment's file"),
  });

/** An entry of a time index. */
export const timeEntry = z.object({ timestamp_ms: fields.timestampMs, offset: fields.count });
