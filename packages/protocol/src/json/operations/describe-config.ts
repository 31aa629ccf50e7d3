import { z } from "zod";
import * as fields from "../fields.ts";
import { operation } from "../operation.ts";

const value = () => z.union([z.string(), z.number()]);

/** Kafka's DescribeConfigs, of a topic. */
export const describeConfig = operation({
  name: "describe_config",
  summary:
    "Shows every setting of a topic: its value, and whether the topic says so itself or a default holds.",
  request: () => ({ topic: fields.topic }),
  response: () =>
    z.object({
      topic: z.string(),
      config: z.array(
        z.object({
          name: z.string(),
          value: value(),
          source: z.enum(["topic", "default"]).describe("topic: the topic says so itself"),
          default_value: value().describe("what holds when the topic says nothing"),
          kafka_name: z.string(),
          meaning: z.string(),
        }),
      ),
    }),
});
