/**
 * join_group: the caller is a member when it answers, also after a crash; asked again with the same, nothing changes. Refuses:
 * INVALID_REQUEST, INCONSISTENT_GROUP_PROTOCOL, GROUP_MAX_SIZE_REACHED, and as every change of a group does: LEADER_NOT_AVAILABLE,
 * NOT_ENOUGH_REPLICAS, REQUEST_TIMED_OUT (its fate is then open), STORAGE_ERROR, BROKER_FAILED.
 */
import { changeGroup } from "../../group-requests.ts";
import type { Handler } from "../handler.ts";
import { memberFields } from "../member-fields.ts";

export const joinGroup: Handler<"join_group"> = async (request, context, client) => {
  const { group_id: groupId, member_id: memberId, topics, assignor } = request;
  const { session_timeout_ms: sessionTimeoutMs, rebalance_timeout_ms: rebalanceTimeoutMs } = request;
  const joining = { groupId, memberId, topics, assignor, sessionTimeoutMs, rebalanceTimeoutMs };
  const joined = await changeGroup(groupId, context, client, (groups, wait) => groups.join(joining, wait));
  return {
    ...memberFields(joined),
    session_timeout_ms: joined.sessionTimeoutMs,
    rebalance_timeout_ms: joined.rebalanceTimeoutMs,
  };
};
