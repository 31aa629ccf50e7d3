/**
 * heartbeat: the member lives; what it may not have any more and does not list in `owned` has moved on when it answers. Refuses:
 * UNKNOWN_GROUP, UNKNOWN_MEMBER, ILLEGAL_GENERATION, NOT_PARTITION_OWNER, and as join_group.
 */
import { changeGroup } from "../../group-requests.ts";
import type { Handler } from "../handler.ts";
import { memberFields } from "../member-fields.ts";

export const heartbeat: Handler<"heartbeat"> = async (request, context, client) => {
  const { group_id: groupId, member_id: memberId, generation } = request;
  const owned = request.owned?.map(({ topic_id: topicId, ...place }) => ({ ...place, topicId }));
  const beat = { groupId, memberId, generation, owned };
  return memberFields(
    await changeGroup(groupId, context, client, (groups, wait) => groups.heartbeat(beat, wait)),
  );
};
