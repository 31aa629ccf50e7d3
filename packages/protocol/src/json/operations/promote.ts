import { z } from "zod";
import * as fields from "../fields.ts";
import { operation } from "../operation.ts";

export const promote = operation({
  name: "promote",
  summary: "Makes another replica the leader, under a new epoch. Nothing else ever does: nothing is elected.",
  request: () => ({
    topic: fields.topic,
    partition: fields.partition,
    broker_id: fields.brokerId,
    unclean: z
      .boolean()
      .default(false)
      .describe("take a replica that is not in sync, and lose what only others hold"),
  }),
  response: () =>
    z.object({
      topic: z.string(),
      partition: z.int(),
      leader_id: z.int(),
      leader_epoch: z.int(),
      isr: z.array(z.int()),
    }),
});
