/**
 * What every assignor is given and gives. An assignor is pure and knows no state: the same question has the same answer,
 * whatever the order in which members and topics are named in it.
 */
import type { TopicPartition } from "../../replica/topic-partition.ts";

/** Kafka: partition.assignment.strategy, group.consumer.assignors. */
export const ASSIGNORS = ["roundrobin", "range", "sticky"] as const;
export type AssignorName = (typeof ASSIGNORS)[number];

export interface Subscription {
  readonly memberId: string;
  /** Each once; what the question does not know of is nothing to assign. */
  readonly topics: readonly string[];
  /** What the member has already; no two members have the same. Only an assignor that moves little looks at it. */
  readonly assigned: readonly TopicPartition[];
}

export interface AssignmentQuestion {
  readonly members: readonly Subscription[];
  /** How many partitions each topic has that there is. */
  readonly partitionCounts: ReadonlyMap<string, number>;
}

/** One entry for each member. Every partition that somebody subscribes to is with exactly one of those who do. */
export type Assignment = ReadonlyMap<string, readonly TopicPartition[]>;

export type Assignor = (question: AssignmentQuestion) => Assignment;

/** Code-unit order, as Java's strings are compared. */
export function compareText(left: string, right: string): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}

export function sortedMembers({ members }: AssignmentQuestion): Subscription[] {
  return [...members].sort((left, right) => compareText(left.memberId, right.memberId));
}

/** The topics that there are and that somebody subscribes to, in order, each with its subscribers in order. */
export function subscribersByTopic(question: AssignmentQuestion): Map<string, string[]> {
  const subscribers = new Map<string, string[]>();
  for (const { memberId, topics } of sortedMembers(question)) {
    for (const topic of topics) {
      if (!question.partitionCounts.has(topic)) continue;
      const known = subscribers.get(topic);
      if (known === undefined) subscribers.set(topic, [memberId]);
      else known.push(memberId);
    }
  }
  return new Map([...subscribers].sort(([left], [right]) => compareText(left, right)));
}

/** An assignment that is being made: a list for each member, empty at first. */
export function emptyAssignment({ members }: AssignmentQuestion): Map<string, TopicPartition[]> {
  return new Map(members.map(({ memberId }) => [memberId, []]));
}
