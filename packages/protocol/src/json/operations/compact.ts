import { z } from "zod";
import * as fields from "../fields.ts";
import { operation } from "../operation.ts";

/** What a compaction did to one log. */
const compactedLog = z.object({
  topic: z.string(),
  partition: z.int(),
  broker_id: z.int(),
  first_dirty_offset: fields.count.describe("what lies below has been compacted"),
  complete: z.boolean().describe("false when there were more keys than a pass has memory for: take another"),
  segments_before: fields.count,
  segments_after: fields.count,
  bytes_before: fields.count,
  bytes_after: fields.count,
  records_kept: fields.count,
  records_dropped: fields.count,
  tombstones_dropped: fields.count.describe("of those dropped"),
  passes: fields.count.describe("how many were begun: all but the last gave way to a removal of segments"),
});

/** A log in which every pass met something that took precedence. */
const gaveWay = z.object({
  topic: z.string(),
  partition: z.int(),
  broker_id: z.int(),
  gave_way_to: z
    .enum(["truncation", "removal", "close"])
    .describe(
      "truncation: its end was cut off; removal: retention or delete_records took segments; close: its broker stops",
    ),
  passes: fields.count.describe("how many were begun; none of them has changed the log"),
});

export const compact = operation({
  name: "compact",
  summary:
    "Drops records that a later one with the same key replaces, where cleanup_policy says compact, in all topics or one.",
  request: { topic: fields.topic.optional() },
  response: z.object({ compacted: z.array(compactedLog), gave_way: z.array(gaveWay) }),
});
