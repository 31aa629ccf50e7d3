/** Every partition that there is, by topic and number. */
import type { BrokerCluster, PartitionReplicaSet } from "@minikafka/core";

export function setsOf(cluster: BrokerCluster): PartitionReplicaSet[] {
  return cluster
    .listTopics()
    .flatMap(({ topic, partitions }) =>
      Array.from({ length: partitions }, (_none, partition) => cluster.replicaSet({ topic, partition })),
    );
}
