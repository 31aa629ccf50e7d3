import { z } from "zod";
import * as fields from "../fields.ts";
import { operation } from "../operation.ts";

/** Kafka's CreatePartitions (KIP-195). */
export const createPartitions = operation({
  name: "create_partitions",
  summary:
    "Gives a topic more partitions; when it answers, they survive a crash. Records stay where they are, and a key may go to another partition from then on.",
  request: () => ({
    topic: fields.topic,
    partitions: z.int().min(1).describe("how many in all, more than there are"),
  }),
  response: () => z.object({ topic: z.string(), partitions: z.int() }),
});
