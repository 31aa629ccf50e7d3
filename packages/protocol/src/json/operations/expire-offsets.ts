import { z } from "zod";
import { operation } from "../operation.ts";
import { dyingGroups, forgottenGroups, loadedPartitions } from "../step-fields.ts";

/** Kafka: offsets.retention.minutes (KIP-211), checked every offsets.retention.check.interval.ms. */
export const expireOffsets = operation({
  name: "expire_offsets",
  summary:
    "Forgets what groups without members committed longer ago than offsets are kept, and offsets of topics that are gone, as happens by itself in auto mode.",
  request: () => ({}),
  response: () =>
    z.object({
      expired: z.array(z.object({ group_id: z.string(), topic: z.string(), partition: z.int() })),
      dying: dyingGroups,
      forgotten: forgottenGroups,
      loaded: loadedPartitions,
    }),
});
