/** Who may commit what (KIP-848, and KIP-447 for those who are no members). Pure. */
import type { Committer } from "../offsets/commit-request.ts";
import type { TopicPartition } from "../replica/topic-partition.ts";
import {
  generationOver,
  illegalGeneration,
  notAMember,
  notPartitionOwner,
  unknownGroup,
  unknownMember,
} from "./group-refusals.ts";
import type { Group, SeenTopic } from "./group-state.ts";
import { difference, partitionSet } from "./partition-sets.ts";

export interface CommitQuestion {
  /** `null`: who is no member. */
  readonly member: Committer | null;
  readonly partitions: readonly TopicPartition[];
  readonly topicOf: (topic: string) => SeenTopic | null;
}

/**
 * Throws UNKNOWN_GROUP, UNKNOWN_MEMBER, ILLEGAL_GENERATION or NOT_PARTITION_OWNER, when `member` may not commit all of
 * `partitions` now. A member may commit what it holds, also what it has still to let go, but no offset of a topic that was
 * deleted for one of the same name: the group's next generation is then due, whoever begins it. Who is no member may commit
 * anything while there are no members.
 */
export function requireCommitter(group: Group, { member, partitions, topicOf }: CommitQuestion): void {
  if (member === null) {
    if (group.members.size > 0) throw notAMember(group);
    return;
  }
  const { memberId, generation } = member;
  if (group.isDead) throw unknownGroup(group.groupId);
  const known = group.members.get(memberId);
  if (known === undefined) throw unknownMember(group, memberId);
  if (generation !== group.generation) throw illegalGeneration(group, generation);
  const [foreign] = difference(partitionSet(partitions), known.assigned);
  if (foreign !== undefined) throw notPartitionOwner(group, memberId, foreign);
  for (const { topic } of partitions) {
    const now = topicOf(topic);
    if (now !== null && now.topicId !== group.topics.get(topic)?.topicId) throw generationOver(group, topic);
  }
}
