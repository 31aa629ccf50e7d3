/** leave_group: a membership ends, and what the member had is free. Refuses: UNKNOWN_GROUP, UNKNOWN_MEMBER, and as join_group. */
import { changeGroup } from "../../group-requests.ts";
import type { Handler } from "../handler.ts";

export const leaveGroup: Handler<"leave_group"> = async (request, context, client) => {
  const { group_id: groupId, member_id: memberId } = request;
  const member = { groupId, memberId };
  const { generation } = await changeGroup(groupId, context, client, (groups, wait) =>
    groups.leave(member, wait),
  );
  return { generation };
};
