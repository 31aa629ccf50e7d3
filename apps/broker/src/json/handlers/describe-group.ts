/** describe_group: a group from the inside. Refuses: UNKNOWN_GROUP, and as fetch_offsets. */
import { lookAtGroup } from "../../group-requests.ts";
import { groupFields } from "../group-fields.ts";
import type { Handler } from "../handler.ts";

export const describeGroup: Handler<"describe_group"> = async ({ group_id: groupId }, context, client) =>
  groupFields(await lookAtGroup(groupId, context, client, (groups, wait) => groups.describe(groupId, wait)));
