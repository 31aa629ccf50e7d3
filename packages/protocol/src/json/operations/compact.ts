import { z } from "zod";
import * as fields from "../fields.ts";
import { operation } from "../operation.ts";

const waitsFor = () =>
  z
    .array(z.int())
    .describe(
      "brokers whose replica is away, behind or not flushed: tombstones and markers whose time is over stay, as it may lack them",
    );

/** What a compaction did to one log. */
const compactedLog = () =>
  z.object({
    topic: z.string(),
    partition: z.int(),
    broker_id: z.int(),
    first_dirty_offset: fields.count.describe("what lies below has been compacted"),
    complete: z
      .boolean()
      .describe("false when there were more keys than a pass has memory for: take another"),
    segments_before: fields.count,
    segments_after: fields.count,
    bytes_before: fields.count,
    bytes_after: fields.count,
    records_kept: fields.count,
    records_dropped: fields.count,
    tombstones_dropped: fields.count.describe("of those dropped"),
    records_held: fields.count.describe("of those kept: tombstones and markers whose time is over"),
    waits_for: waitsFor(),
    passes: fields.count.describe("how many were begun: all but the last gave way to a removal of segments"),
  });

/** A log in which every pass met something that took precedence, or in which no pass is due but for what a replica may lack. */
const gaveWay = () =>
  z.object({
    topic: z.string(),
    partition: z.int(),
    broker_id: z.int(),
    gave_way_to: z
      .enum(["truncation", "removal", "close", "replicas"])
      .describe(
        "truncation: its end was cut off; removal: retention or delete_records took segments; close: its broker stops; replicas: see waits_for",
      ),
    waits_for: waitsFor(),
    passes: fields.count.describe("how many were begun; none of them has changed the log"),
  });

export const compact = operation({
  name: "compact",
  summary:
    "Drops records that a later one with the same key replaces, where cleanup_policy says compact, in all topics or one.",
  request: () => ({ topic: fields.topic.optional() }),
  response: () => z.object({ compacted: z.array(compactedLog()), gave_way: z.array(gaveWay()) }),
});
