/** delete_group: the group and its offsets are gone when it answers. Refuses: UNKNOWN_GROUP, GROUP_NOT_EMPTY, and as join_group. */
import { changeGroup } from "../../group-requests.ts";
import type { Handler } from "../handler.ts";

export const deleteGroup: Handler<"delete_group"> = async ({ group_id: groupId }, context, client) => {
  await changeGroup(groupId, context, client, (groups, wait) => groups.delete(groupId, wait));
  return {};
};
