/**
 * group_assignment: what a member may own, and in which generation. The kernel may find here that topics have changed, which is a
 * change. Refuses: UNKNOWN_GROUP, UNKNOWN_MEMBER, and as join_group.
 */
import { changeGroup } from "../../group-requests.ts";
import type { Handler } from "../handler.ts";
import { memberFields } from "../member-fields.ts";

export const groupAssignment: Handler<"group_assignment"> = async (request, context, client) => {
  const { group_id: groupId, member_id: memberId } = request;
  const member = { groupId, memberId };
  return memberFields(
    await changeGroup(groupId, context, client, (groups, wait) => groups.assignment(member, wait)),
  );
};
