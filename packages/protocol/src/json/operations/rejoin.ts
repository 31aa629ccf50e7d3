import { z } from "zod";
import * as fields from "../fields.ts";
import { operation } from "../operation.ts";

export const rejoin = operation({
  name: "rejoin",
  summary:
    "Lets a follower back in: it cuts what was never its leader's, fetches once, and is in sync when that was enough. A copy that cannot be opened is set aside and fetched anew.",
  request: () => ({ topic: fields.topic, partition: fields.partition, broker_id: fields.brokerId }),
  response: () =>
    z.object({
      topic: z.string(),
      partition: z.int(),
      broker_id: z.int(),
      in_sync: z.boolean(),
      truncated_to: fields.count
        .nullable()
        .describe("where its log ended after a cut; null when none was due"),
      batches: fields.count.describe("copied"),
      bytes: fields.count.describe("copied"),
      isr: z.array(z.int()),
    }),
});
