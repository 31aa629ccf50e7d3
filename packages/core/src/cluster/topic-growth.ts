/** A topic's partitions when it is made, and when it gains some. They are never taken away: records would go with them. */
import { newPartitionState } from "../replica/partition-state.ts";
import { placeReplicas } from "./placement.ts";
import type { PartitionAssignment, Topic } from "./topics.ts";

/** Placed round robin, each led by the first of its brokers. */
export function newPartitions(
  partitions: number,
  replicationFactor: number,
  brokerIds: readonly number[],
): PartitionAssignment[] {
  return assignedPartitions(placeReplicas(partitions, replicationFactor, brokerIds));
}

/** Each on the brokers that are given for it, led by the first of them. */
export function assignedPartitions(assignment: readonly (readonly number[])[]): PartitionAssignment[] {
  return assignment.map((replicas) => ({ replicas, ...newPartitionState(replicas) }));
}

/** The topic with `partitions` in all. Those that it had stay as they are; the others go where they would have gone at first. */
export function grownTopic(topic: Topic, partitions: number, brokerIds: readonly number[]): Topic {
  const replicationFactor = topic.partitions[0]?.replicas.length ?? 1;
  const gained = newPartitions(partitions, replicationFactor, brokerIds).slice(topic.partitions.length);
  return { ...topic, partitions: [...topic.partitions, ...gained] };
}
