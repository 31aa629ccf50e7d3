import { z } from "zod";
import * as fields from "../fields.ts";
import { operation } from "../operation.ts";

/** Kafka's IncrementalAlterConfigs (KIP-339), of a topic. */
export const alterConfig = operation({
  name: "alter_config",
  summary:
    "Changes the settings that are named, all or none, and leaves the others; when it answers, they hold and survive a crash.",
  request: () => ({
    topic: fields.topic,
    config: z
      .record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()]))
      .describe("the new values; null takes the topic's own value back, so that the default holds"),
  }),
  response: () => z.object({ topic: z.string() }),
});
