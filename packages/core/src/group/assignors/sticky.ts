/**
 * Balanced, and moving as little as balance allows (in intent Kafka's StickyAssignor, KIP-54, and the UniformAssignor of
 * KIP-848). Members keep what they have; what is free goes to whoever subscribes to it and has least; then partitions move
 * one by one from one who has most to one who has at least two fewer, until nobody has such a partition.
 *
 * With equal subscriptions members end up with as many partitions as the others, or one more. With different ones the rule
 * is Kafka's: no partition could move to a subscriber with two fewer. Chains of moves that would even out more are not sought.
 */
import { assert } from "../../assert.ts";
import type { TopicPartition } from "../../replica/topic-partition.ts";
import {
  type Assignment,
  type AssignmentQuestion,
  compareText,
  sortedMembers,
  subscribersByTopic,
} from "./assignor.ts";

export function assignSticky(question: AssignmentQuestion): Assignment {
  const subscribers = subscribersByTopic(question);
  const shares = new Shares(sortedMembers(question).map(({ memberId }) => memberId));
  const isTaken = keep(question, shares);
  // Topics with few subscribers first: those of the others can make up for them.
  const topics = [...subscribers].sort(
    ([left, ofLeft], [right, ofRight]) => ofLeft.length - ofRight.length || compareText(left, right),
  );
  for (const [topic, memberIds] of topics) {
    const count = question.partitionCounts.get(topic) ?? 0;
    const taken = isTaken.get(topic);
    for (let partition = 0; partition < count; partition++)
      if (taken?.has(partition) !== true) shares.give(shares.least(memberIds), topic, partition);
  }
  let hasMoved = true;
  while (hasMoved) {
    hasMoved = false;
    for (const [topic, memberIds] of topics) hasMoved = balance(topic, memberIds, shares) || hasMoved;
  }
  return shares.assignment();
}

/** Each member keeps what it has, as far as it subscribes to it and it is there. Returns what that takes, by topic. */
function keep(question: AssignmentQuestion, shares: Shares): ReadonlyMap<string, ReadonlySet<number>> {
  const isTaken = new Map<string, Set<number>>();
  for (const { memberId, topics, assigned } of sortedMembers(question)) {
    const isSubscribed = new Set(topics);
    for (const { topic, partition } of assigned) {
      if (!isSubscribed.has(topic) || partition >= (question.partitionCounts.get(topic) ?? 0)) continue;
      const taken = isTaken.get(topic) ?? new Set();
      isTaken.set(topic, taken);
      if (taken.has(partition)) continue;
      taken.add(partition);
      shares.give(memberId, topic, partition);
    }
  }
  return isTaken;
}

/** Moves partitions of one topic from those who have most to those who have least. Whether any moved. */
function balance(topic: string, memberIds: readonly string[], shares: Shares): boolean {
  let hasMoved = false;
  for (;;) {
    const giver = shares.most(memberIds.filter((memberId) => shares.has(memberId, topic)));
    const taker = shares.least(memberIds);
    if (giver === null || shares.sizeOf(giver) - shares.sizeOf(taker) < 2) return hasMoved;
    shares.give(taker, topic, shares.take(giver, topic));
    hasMoved = true;
  }
}

/** What each member has got so far, and how much that is. */
class Shares {
  readonly #byMember = new Map<string, Map<string, number[]>>();
  readonly #sizes = new Map<string, number>();

  constructor(memberIds: readonly string[]) {
    for (const memberId of memberIds) {
      this.#byMember.set(memberId, new Map());
      this.#sizes.set(memberId, 0);
    }
  }

  sizeOf(memberId: string): number {
    return this.#sizes.get(memberId) ?? 0;
  }

  has(memberId: string, topic: string): boolean {
    return (this.#byMember.get(memberId)?.get(topic)?.length ?? 0) > 0;
  }

  give(memberId: string, topic: string, partition: number): void {
    const topics = this.#byMember.get(memberId);
    assert(topics !== undefined, `${memberId} is no member`);
    const partitions = topics.get(topic);
    if (partitions === undefined) topics.set(topic, [partition]);
    else partitions.push(partition);
    this.#sizes.set(memberId, this.sizeOf(memberId) + 1);
  }

  /** The last that the member was given of the topic. */
  take(memberId: string, topic: string): number {
    const partition = this.#byMember.get(memberId)?.get(topic)?.pop();
    assert(partition !== undefined, `${memberId} has nothing of ${topic}`);
    this.#sizes.set(memberId, this.sizeOf(memberId) - 1);
    return partition;
  }

  /** The first of those who have least. */
  least(memberIds: readonly string[]): string {
    const [first, ...others] = memberIds;
    assert(first !== undefined, "a topic that somebody subscribes to has subscribers");
    let least = first;
    for (const memberId of others) if (this.sizeOf(memberId) < this.sizeOf(least)) least = memberId;
    return least;
  }

  /** The first of those who have most. */
  most(memberIds: readonly string[]): string | null {
    let most: string | null = null;
    for (const memberId of memberIds)
      if (most === null || this.sizeOf(memberId) > this.sizeOf(most)) most = memberId;
    return most;
  }

  assignment(): Assignment {
    return new Map(
      [...this.#byMember].map(([memberId, topics]): [string, TopicPartition[]] => [
        memberId,
        [...topics].flatMap(([topic, partitions]) => partitions.map((partition) => ({ topic, partition }))),
      ]),
    );
  }
}
