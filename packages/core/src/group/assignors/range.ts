/**
 * Each topic on its own: its partitions in order, cut into runs of equal length, the first members getting one more where
 * they do not divide (Kafka: RangeAssignor). Topics with equal subscribers and equal numbers of partitions are cut alike, so
 * that partition 3 of both is with one member; the first members get more of everything.
 */
import { type Assignment, type AssignmentQuestion, emptyAssignment, subscribersByTopic } from "./assignor.ts";

export function assignRange(question: AssignmentQuestion): Assignment {
  const assignment = emptyAssignment(question);
  for (const [topic, subscribers] of subscribersByTopic(question)) {
    const count = question.partitionCounts.get(topic) ?? 0;
    const least = Math.floor(count / subscribers.length);
    const withOneMore = count % subscribers.length;
    let partition = 0;
    for (const [index, memberId] of subscribers.entries()) {
      const end = partition + least + (index < withOneMore ? 1 : 0);
      for (; partition < end; partition++) assignment.get(memberId)?.push({ topic, partition });
    }
  }
  return assignment;
}
