import { z } from "zod";
import * as fields from "../fields.ts";
import { operation } from "../operation.ts";

export const applyRetention = operation({
  name: "apply_retention",
  summary:
    "Deletes the segments that retention_ms, retention_bytes and the log start offset let go, in all topics or one.",
  request: () => ({ topic: fields.topic.optional() }),
  response: () =>
    z.object({
      closed: z
        .array(
          z.object({
            topic: z.string(),
            partition: z.int(),
            broker_id: z.int(),
            base_offset: fields.count.describe("the segment's first offset"),
            next_offset: fields.count.describe("the offset after its last; the next segment begins there"),
            size_bytes: fields.count,
          }),
        )
        .describe("segments that were written until then: past segment_ms, or all of the log goes"),
      deleted: z.array(
        z.object({
          topic: z.string(),
          partition: z.int(),
          broker_id: z.int(),
          base_offset: fields.count.describe("the segment's first offset"),
          next_offset: fields.count.describe("the offset after its last"),
          size_bytes: fields.count,
          reason: z.enum(["time", "size", "log_start"]).describe("log_start: delete_records had passed it"),
        }),
      ),
    }),
});
