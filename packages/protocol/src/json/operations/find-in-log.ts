import { z } from "zod";
import * as fields from "../fields.ts";
import * as logFields from "../log-fields.ts";
import { operation } from "../operation.ts";

const { position, problem, segment, timeEntry } = logFields;

/** In the order in which they were taken. */
const step = () =>
  z.union([
    z.object({
      step: z.literal("segment").describe("a segment's bounds were compared with what is sought"),
      segment,
      next_offset: fields.count,
      max_timestamp_ms: z.int().describe("the latest time of its records, -1 for none"),
      taken: z.boolean(),
    }),
    z.object({
      step: z
        .literal("time_index")
        .describe("the first batch that is late enough lies behind `after`, and is `until` at the latest"),
      segment,
      after: timeEntry.nullable(),
      until: timeEntry.nullable(),
    }),
    z.object({
      step: z.literal("offset_index").describe("an entry of the offset index says where to begin"),
      segment,
      offset: fields.count,
      position,
    }),
    z.object({
      step: z.literal("scan").describe("so many batches were looked at from there on"),
      segment,
      position,
      batches: fields.count,
    }),
    z.object({
      step: z.literal("index_refused").describe("an index cannot be used, or says what the batches do not"),
      segment,
      problem,
    }),
  ]);

/** What a read (fetch) and a search for a time (list_offsets) do, told instead of done in silence. */
export const findInLog = operation({
  name: "find_in_log",
  summary:
    "Shows where an offset, or the first record of a time, lies in a partition's files, and the way to it.",
  request: () => ({
    topic: fields.topic,
    partition: fields.partition,
    offset: fields.offset.optional().describe("either this or timestamp_ms"),
    timestamp_ms: fields.timestampMs
      .optional()
      .describe("the first record at or after it, also one that is not visible yet"),
  }),
  response: () =>
    z.object({
      topic: z.string(),
      partition: z.int(),
      log_start_offset: fields.count,
      log_end_offset: fields.count,
      steps: z.array(step()),
      steps_left_out: fields.count.describe("how many came before these, in a log of very many segments"),
      batch: logFields
        .batch()
        .nullable()
        .describe("null when nothing is that late, or damage was in the way"),
      record: z
        .object({
          offset: fields.offset,
          timestamp_ms: z.int(),
          place: fields.count.describe("its place among the records of the batch, from 0"),
        })
        .nullable()
        .describe(
          "null besides when compaction has removed it, or its batch is damaged, or of a codec that nothing here reads",
        ),
      damage: z.object({ segment, position, problem }).nullable().describe("what the search could not pass"),
    }),
});
