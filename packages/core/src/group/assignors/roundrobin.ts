/**
 * Partition after partition of all topics, each to the next member (Kafka: RoundRobinAssignor). One cursor goes round over
 * all members and is never set back; a member that does not subscribe to the topic is passed over. With equal subscriptions
 * members have as many partitions as the others, or one more.
 */
import { assert } from "../../assert.ts";
import {
  type Assignment,
  type AssignmentQuestion,
  emptyAssignment,
  sortedMembers,
  subscribersByTopic,
} from "./assignor.ts";

export function assignRoundRobin(question: AssignmentQuestion): Assignment {
  const assignment = emptyAssignment(question);
  const memberIds = sortedMembers(question).map(({ memberId }) => memberId);
  let cursor = 0;
  for (const [topic, subscribers] of subscribersByTopic(question)) {
    const isSubscribed = new Set(subscribers);
    const count = question.partitionCounts.get(topic) ?? 0;
    for (let partition = 0; partition < count; partition++) {
      let memberId = memberIds[cursor % memberIds.length];
      while (memberId === undefined || !isSubscribed.has(memberId))
        memberId = memberIds[++cursor % memberIds.length];
      cursor++;
      const partitions = assignment.get(memberId);
      assert(partitions !== undefined, `${memberId} is no member`);
      partitions.push({ topic, partition });
    }
  }
  return assignment;
}
