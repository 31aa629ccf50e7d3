import { z } from "zod";
import * as group from "../group-fields.ts";
import { operation } from "../operation.ts";

/** Kafka's Heartbeat and ConsumerGroupHeartbeat (KIP-848). */
export const heartbeat = operation({
  name: "heartbeat",
  summary:
    "Says that a member lives and, by `owned`, what it still has: what it no longer may own and does not list is let go, and moves on.",
  request: () => ({
    group_id: group.groupId,
    member_id: group.memberId,
    generation: group.generation,
    owned: z
      .array(group.ownedPartition())
      .max(100_000)
      .optional()
      .describe("every partition that the member has; left out, nothing is let go"),
  }),
  response: group.memberView,
});
