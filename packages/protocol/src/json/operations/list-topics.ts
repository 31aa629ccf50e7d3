import { z } from "zod";
import { operation } from "../operation.ts";

export const listTopics = operation({
  name: "list_topics",
  summary: "Lists the topics by name.",
  request: () => ({}),
  response: () =>
    z.object({
      topics: z.array(
        z.object({
          topic: z.string(),
          partitions: z.int(),
          replication_factor: z.int(),
          internal: z
            .boolean()
            .optional()
            .describe("true for a topic of the broker itself, which clients may only read (Kafka: internal)"),
        }),
      ),
    }),
});
