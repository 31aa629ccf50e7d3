import { z } from "zod";
import * as fields from "../fields.ts";
import * as group from "../group-fields.ts";
import { operation } from "../operation.ts";

/** Kafka's JoinGroup and the first ConsumerGroupHeartbeat (KIP-848): the coordinator assigns. */
export const joinGroup = operation({
  name: "join_group",
  summary:
    "Makes the caller a member of a group, or changes what it subscribes to; the group's generation rises unless nothing changed.",
  request: () => ({
    group_id: group.groupId,
    member_id: group.memberId,
    topics: z.array(fields.topic).max(1000).describe("what to read; a topic may come later"),
    assignor: group.assignor.default("roundrobin"),
    session_timeout_ms: z
      .int()
      .min(1)
      .max(3_600_000)
      .optional()
      .describe("a member that is silent for so long may be expired; the broker's default when left out"),
    rebalance_timeout_ms: z
      .int()
      .min(1)
      .max(86_400_000)
      .optional()
      .describe("so long a member may take to let a partition go; the broker's default when left out"),
  }),
  response: () =>
    group.memberView().extend({
      session_timeout_ms: z.int().describe("the one that holds: heartbeats must come more often"),
      rebalance_timeout_ms: z.int().describe("the one that holds"),
    }),
});
