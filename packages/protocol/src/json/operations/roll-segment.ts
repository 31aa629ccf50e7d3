import { z } from "zod";
import * as fields from "../fields.ts";
import { operation } from "../operation.ts";

export const rollSegment = operation({
  name: "roll_segment",
  summary:
    "Closes the segment that the partition's leader writes, and begins a new one; an empty segment stays.",
  request: () => ({ topic: fields.topic, partition: fields.partition }),
  response: () =>
    z.object({
      rolled: z.boolean().describe("false when the segment was empty"),
      base_offset: fields.count.describe("where the segment that is now written begins"),
    }),
});
