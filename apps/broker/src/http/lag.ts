/** How far behind a group is. */
import type { BrokerCluster, TopicPartition } from "@minikafka/core";

/** `null` where nobody leads, or where the offset lies behind the end: how much will be read is not known then. */
export function lagOf(cluster: BrokerCluster, place: TopicPartition, committedOffset: number): number | null {
  if (!cluster.hasTopic(place.topic)) return null;
  if (place.partition >= cluster.describeTopic(place.topic).partitions) return null;
  const { isOnline, highWatermark } = cluster.replicaSet(place);
  return isOnline && committedOffset <= highWatermark ? highWatermark - committedOffset : null;
}
