/**
 * commit_offsets: all of them are stored when it answers, with the strength of acks all, or none is. Refuses: INVALID_REQUEST,
 * UNKNOWN_GROUP, UNKNOWN_MEMBER (also when a group has members, and none is named), ILLEGAL_GENERATION, NOT_PARTITION_OWNER,
 * UNKNOWN_TOPIC (also for an offset of an older topic of that name), UNKNOWN_PARTITION, RECORD_TOO_LARGE, and as join_group.
 */

import { changeGroup } from "../../group-requests.ts";
import { committerOf, offsetsOf } from "../committer.ts";
import type { Handler } from "../handler.ts";

export const commitOffsets: Handler<"commit_offsets"> = async (request, context, client) => {
  const { group_id: groupId } = request;
  const commit = { groupId, member: committerOf(request), offsets: offsetsOf(request) };
  await changeGroup(groupId, context, client, (groups, wait) => groups.commit(commit, wait));
  return {};
};
