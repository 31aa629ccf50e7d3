import { z } from "zod";
import * as fields from "../fields.ts";
import * as logFields from "../log-fields.ts";
import { operation } from "../operation.ts";

const { position, problem, segment } = logFields;

export const dumpLog = operation({
  name: "dump_log",
  summary: "Shows the batches of a partition as they lie in its files, damaged ones with what is wrong.",
  request: () => ({
    topic: fields.topic,
    partition: fields.partition,
    broker_id: fields.brokerId.optional().describe("whose replica; the leader's when it is left out"),
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
  }),
  response: () =>
    z.object({
      topic: z.string(),
      partition: z.int(),
      log_start_offset: fields.count,
      log_end_offset: fields.count,
      batches: z.array(logFields.batch().extend({ records: z.array(fields.fetchedRecord()).optional() })),
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
              .array(logFields.timeEntry)
              .describe("the latest time so far, and the batch that reached it"),
            aborted: z
              .array(logFields.abortedEntry())
              .optional()
              .describe(
                "which transactions the abort markers among these batches end, and where the markers begin; left out for none",
              ),
          }),
        )
        .optional(),
      next_offset: fields.offset.describe("where to go on; the log end offset when there is no more"),
    }),
});
