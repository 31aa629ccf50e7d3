/** expire_members: whose session is over is no member any more. Refuses: STEPPING_DISABLED, and as join_group. */
import { changeGroups } from "../../group-requests.ts";
import type { Handler } from "../handler.ts";
import { requireLab } from "../lab.ts";

export const expireMembers: Handler<"expire_members"> = async (_request, context, client) => {
  requireLab(context);
  const { expired, rebalanced, loaded } = await changeGroups(
    "expire_members",
    context,
    client,
    (groups, wait) => groups.tendMembers(wait),
  );
  return {
    expired: expired.map(({ groupId, memberId, cause }) => ({
      group_id: groupId,
      member_id: memberId,
      cause,
    })),
    rebalanced: rebalanced.map(({ groupId, reason }) => ({ group_id: groupId, reason })),
    loaded: loaded.map(({ topic, partition }) => ({ topic, partition })),
  };
};
