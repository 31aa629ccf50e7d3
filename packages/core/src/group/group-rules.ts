/** What the committed offsets need to know of the groups. */
import type { CommitRequest } from "../offsets/commit-request.ts";
import type { GroupRules } from "../offsets/committed-offsets.ts";
import { requireCommitter } from "./commit-check.ts";
import { currentGroup, type GroupKinds, heldUntilMs } from "./group-kinds.ts";
import type { SeenTopic } from "./group-state.ts";

export function groupRules(topicOf: (topic: string) => SeenTopic | null): GroupRules<GroupKinds> {
  return {
    requireCommitter: (kinds: GroupKinds, { groupId, member, offsets }: CommitRequest) => {
      requireCommitter(currentGroup(kinds, groupId), { member, partitions: offsets, topicOf });
      // A commit in the current generation is a sign of life, as in Kafka.
      if (member !== null) kinds.group.sessions.hear(groupId, member.memberId);
    },
    heldUntilMs,
  };
}
