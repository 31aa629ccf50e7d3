/** Sets of partitions as sorted lists, which is how groups keep, show and write them. Pure; what is handed in stays as it is. */
import type { TopicPartition } from "../replica/topic-partition.ts";

export type Partitions = readonly TopicPartition[];

export const NO_PARTITIONS: Partitions = [];

/** Unlike for unlike partitions. A topic's name holds no "/". */
export function keyOf({ topic, partition }: TopicPartition): string {
  return `${topic}/${partition}`;
}

/** By topic in code-unit order, as Java's strings are compared, then by number. */
export function comparePartitions(left: TopicPartition, right: TopicPartition): number {
  if (left.topic !== right.topic) return left.topic < right.topic ? -1 : 1;
  return left.partition - right.partition;
}

/** Each once, in order. */
export function partitionSet(partitions: Iterable<TopicPartition>): Partitions {
  const byKey = new Map<string, TopicPartition>();
  for (const { topic, partition } of partitions) byKey.set(keyOf({ topic, partition }), { topic, partition });
  return [...byKey.values()].sort(comparePartitions);
}

export function keysOf(partitions: Iterable<TopicPartition>): Set<string> {
  const keys = new Set<string>();
  for (const partition of partitions) keys.add(keyOf(partition));
  return keys;
}

/** What is in both, in the order of `left`. */
export function intersection(left: Partitions, right: Partitions): Partitions {
  if (left.length === 0 || right.length === 0) return NO_PARTITIONS;
  const keys = keysOf(right);
  return left.filter((partition) => keys.has(keyOf(partition)));
}

/** What is in `left` and not in `right`, in the order of `left`. */
export function difference(left: Partitions, right: Partitions): Partitions {
  if (left.length === 0 || right.length === 0) return left;
  const keys = keysOf(right);
  return left.filter((partition) => !keys.has(keyOf(partition)));
}

/** Of two sets in order. */
export function areSame(left: Partitions, right: Partitions): boolean {
  return (
    left.length === right.length &&
    left.every((partition, index) => {
      const other = right[index];
      return other !== undefined && comparePartitions(partition, other) === 0;
    })
  );
}
