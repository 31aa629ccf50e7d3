import * as group from "../group-fields.ts";
import { operation } from "../operation.ts";

export const groupAssignment = operation({
  name: "group_assignment",
  summary: "Tells a member the group's generation and what it may own in it, also when its own is older.",
  request: () => ({ group_id: group.groupId, member_id: group.memberId }),
  response: group.memberView,
});
