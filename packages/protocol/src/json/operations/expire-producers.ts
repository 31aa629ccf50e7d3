import { z } from "zod";
import { operation } from "../operation.ts";

export const expireProducers = operation({
  name: "expire_producers",
  summary:
    "Lets partitions forget the idempotent producers that they heard nothing of for a day, as they do by themselves in auto mode.",
  request: () => ({}),
  response: () =>
    z.object({
      expired: z.array(
        z.object({
          topic: z.string(),
          partition: z.int(),
          broker_id: z.int(),
          producer_ids: z.array(z.int()).describe("the longest silent first"),
        }),
      ),
    }),
});
