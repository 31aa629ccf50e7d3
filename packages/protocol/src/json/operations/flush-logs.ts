import { z } from "zod";
import * as fields from "../fields.ts";
import { operation } from "../operation.ts";

export const flushLogs = operation({
  name: "flush_logs",
  summary: "Makes everything durable that was appended before, as the flush interval does in auto mode.",
  request: () => ({}),
  response: () =>
    z.object({
      flushed: z
        .array(
          z.object({
            topic: z.string(),
            partition: z.int(),
            broker_id: z.int(),
            log_end_offset: fields.count.describe("everything below is durable"),
            bytes: fields.count.describe(
              "that no sync had covered; 0 when only names or segments waited for it",
            ),
          }),
        )
        .describe("logs of which something was not durable when it began"),
      noted: z
        .array(z.int())
        .describe(
          "brokers that noted how far their replicas are visible (Kafka: replication-offset-checkpoint)",
        ),
    }),
});
