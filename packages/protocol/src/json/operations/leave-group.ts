import { z } from "zod";
import * as group from "../group-fields.ts";
import { operation } from "../operation.ts";

/** Kafka's LeaveGroup. */
export const leaveGroup = operation({
  name: "leave_group",
  summary: "Ends a membership; what the member had is shared out among the others.",
  request: () => ({ group_id: group.groupId, member_id: group.memberId }),
  response: () => z.object({ generation: group.generation }),
});
