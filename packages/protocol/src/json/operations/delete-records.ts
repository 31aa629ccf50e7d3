import { z } from "zod";
import * as fields from "../fields.ts";
import { operation } from "../operation.ts";

/** Kafka's DeleteRecords (KIP-107); -1 is Kafka's as well. */
export const deleteRecords = operation({
  name: "delete_records",
  summary:
    "Deletes the records of a partition below an offset, for good: the log start offset moves there, and survives a crash.",
  request: () => ({
    topic: fields.topic,
    partition: fields.partition,
    before_offset: z
      .union([z.literal(-1), fields.offset])
      .describe("the first offset that stays; -1: the high watermark, so that nothing visible stays"),
  }),
  response: () => z.object({ log_start_offset: fields.count }),
});
