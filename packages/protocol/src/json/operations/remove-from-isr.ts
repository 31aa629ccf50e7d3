import { z } from "zod";
import * as fields from "../fields.ts";
import { operation } from "../operation.ts";

export const removeFromIsr = operation({
  name: "remove_from_isr",
  summary: "Takes a follower out of the in-sync replicas, until it rejoins. It goes on copying.",
  request: () => ({ topic: fields.topic, partition: fields.partition, broker_id: fields.brokerId }),
  response: () => z.object({ topic: z.string(), partition: z.int(), isr: z.array(z.int()) }),
});
