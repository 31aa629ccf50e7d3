import { z } from "zod";
import * as fields from "../fields.ts";
import { operation } from "../operation.ts";

export const refreshIsr = operation({
  name: "refresh_isr",
  summary:
    "Judges who is in sync: who lags for too long leaves, who has caught up joins. In auto mode this happens twice within replica_lag_time_ms.",
  request: () => ({ topic: fields.topic.optional(), partition: fields.partition.optional() }),
  response: () =>
    z.object({
      changed: z.array(
        z.object({
          topic: z.string(),
          partition: z.int(),
          from: z.array(z.int()),
          to: z.array(z.int()),
        }),
      ),
    }),
});
