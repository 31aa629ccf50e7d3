/** What the committed offsets need to know of the groups. */
import type { CommitRequest } from "../offsets/commit-request.ts";
import type { GroupRules } from "../offsets/committed-offsets.ts";
import { isSignOfLife, requireClassicCommitter } from "./classic/classic-commit.ts";
import { requireCommitter } from "./commit-check.ts";
import { currentGroup, type GroupKinds, heldUntilMs } from "./group-kinds.ts";
import type { SeenTopic } from "./group-state.ts";

export function groupRules(topicOf: (topic: string) => SeenTopic | null): GroupRules<GroupKinds> {
  return {
    requireCommitter: (
      kinds: GroupKinds,
      { groupId, member, offsets }: CommitRequest,
      { isTransactional }: { readonly isTransactional: boolean },
    ) => {
      const classic = kinds.group.occupied(groupId);
      if (classic !== null) {
        requireClassicCommitter(classic, { member, isTransactional });
        const { sessions } = kinds.group.classic.room(groupId) ?? {};
        if (member !== null && isSignOfLife(classic)) sessions?.hear(member.memberId);
        return;
      }
      const group = currentGroup(kinds, groupId);
      // In Kafka the generation alone says that nobody in particular commits, whatever id stands beside it.
      if (group.members.size === 0 && member !== null && member.generation < 0) return;
      requireCommitter(group, { member, partitions: offsets, topicOf });
      // A commit in the current generation is a sign of life, as in Kafka.
      if (member !== null) kinds.group.sessions.hear(groupId, member.memberId);
    },
    heldUntilMs,
  };
}
