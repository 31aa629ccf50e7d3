import { z } from "zod";
import { operation } from "../operation.ts";
import { loadedPartitions, rebalancedGroups } from "../step-fields.ts";

export const expireMembers = operation({
  name: "expire_members",
  summary:
    "Ends the membership of who was silent for longer than its session, or held a partition back for longer than its rebalance timeout, as happens by itself in auto mode.",
  request: () => ({}),
  response: () =>
    z.object({
      expired: z.array(
        z.object({
          group_id: z.string(),
          member_id: z.string(),
          cause: z.enum(["session_timeout", "rebalance_timeout"]),
        }),
      ),
      rebalanced: rebalancedGroups,
      loaded: loadedPartitions,
    }),
});
