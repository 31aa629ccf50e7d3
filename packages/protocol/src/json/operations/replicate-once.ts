import { z } from "zod";
import * as fields from "../fields.ts";
import { operation } from "../operation.ts";

export const replicateOnce = operation({
  name: "replicate_once",
  summary:
    "One follower-fetch round of every follower, or of those that are named. A follower hears of the high watermark that moves thereby in its next round.",
  request: () => ({
    topic: fields.topic.optional(),
    partition: fields.partition.optional(),
    broker_id: fields.brokerId.optional(),
  }),
  response: () =>
    z.object({
      heard: z
        .array(
          z.object({
            topic: z.string(),
            partition: z.int(),
            broker_id: z.int(),
            log_start_offset: fields.count,
            log_end_offset: fields.count.describe("which its leader knows"),
            high_watermark: fields.count.describe("as far as it has heard"),
            leader_high_watermark: fields.count.describe("of the partition"),
          }),
        )
        .describe(
          "followers that copied nothing, and heard something, told their leader something, or joined those in sync",
        ),
      copied: z.array(
        z.object({
          topic: z.string(),
          partition: z.int(),
          broker_id: z.int(),
          batches: fields.count,
          bytes: fields.count,
          truncated_to: fields.count
            .nullable()
            .describe("where its log ended after a cut that came first; null when none was due"),
          problem: z.string().nullable().describe("what went wrong; the other followers are not concerned"),
        }),
      ),
    }),
});
