/**
 * commit_offsets: all of them are stored when it answers, with the strength of acks all, or none is. Refuses: INVALID_REQUEST,
 * UNKNOWN_GROUP, UNKNOWN_MEMBER (also when a group has members, and none is named), ILLEGAL_GENERATION, NOT_PARTITION_OWNER,
 * UNKNOWN_TOPIC (also for an offset of an older topic of that name), UNKNOWN_PARTITION, RECORD_TOO_LARGE, and as join_group.
 */
import { BrokerError } from "@minikafka/core";
import type { ParsedRequest } from "@minikafka/protocol";
import { changeGroup } from "../group-request.ts";
import type { Handler } from "../handler.ts";

type CommitOffsetsRequest = ParsedRequest<"commit_offsets">;

export const commitOffsets: Handler<"commit_offsets"> = async (request, context, client) => {
  const { group_id: groupId } = request;
  const offsets = request.offsets.map(({ topic_id: topicId, ...offset }) => ({ ...offset, topicId }));
  const commit = { groupId, member: memberOf(request), offsets };
  await changeGroup(groupId, context, client, (groups, wait) => groups.commit(commit, wait));
  return {};
};

/** Who commits; `null` for nobody in particular. */
function memberOf({ member_id: memberId, generation }: CommitOffsetsRequest) {
  if (memberId === undefined && generation === undefined) return null;
  if (memberId !== undefined && generation !== undefined) return { memberId, generation };
  throw new BrokerError("INVALID_REQUEST", "member_id and generation: expected both or neither");
}
