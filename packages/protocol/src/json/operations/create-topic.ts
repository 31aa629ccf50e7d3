import { z } from "zod";
import * as fields from "../fields.ts";
import { operation } from "../operation.ts";

export const createTopic = operation({
  name: "create_topic",
  summary: "Creates a topic; when it answers, the topic survives a crash and can be produced to.",
  request: () => ({
    topic: fields.topic,
    partitions: z.int().min(1).describe("how many partitions"),
    replication_factor: z.int().min(1).default(1).describe("copies of each partition"),
    config: fields.topicConfig.optional(),
  }),
  response: () => z.object({ topic: z.string() }),
});
