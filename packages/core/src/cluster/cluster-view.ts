/** What a cluster shows of itself. */
import type { PartitionReplicaSet } from "../replica/replica-set.ts";
import type { BrokerState } from "./broker-health.ts";
import type { Rooms } from "./rooms.ts";
import type { TopicConfig } from "./topic-config.ts";
import { isInternalTopic } from "./topic-name.ts";
import type { Topic } from "./topics.ts";

export interface TopicDescription {
  readonly topic: string;
  readonly topicId: string;
  readonly partitions: number;
  readonly replicationFactor: number;
  /** Kept for the broker itself: clients may only read it. */
  readonly isInternal: boolean;
  readonly config: TopicConfig;
}

export interface PartitionMetadata {
  readonly partition: number;
  /** `null` when no running broker may lead. */
  readonly leaderId: number | null;
  readonly leaderEpoch: number;
  readonly replicas: readonly number[];
  readonly inSyncReplicas: readonly number[];
}

export interface TopicMetadata {
  readonly topic: string;
  readonly partitions: readonly PartitionMetadata[];
}

export interface BrokerDescription {
  readonly brokerId: number;
  readonly state: BrokerState;
  /** How many it leads, off line or not. */
  readonly partitions: number;
  readonly offlinePartitions: number;
  /** Of how many it has a copy, as leader or follower. */
  readonly replicas: number;
}

export interface ClusterDescription {
  readonly clusterId: string;
  readonly brokers: readonly BrokerDescription[];
  readonly topics: number;
  readonly partitions: number;
}

export function describeTopic({ topic, topicId, config, partitions }: Topic): TopicDescription {
  const replicationFactor = partitions[0]?.replicas.length ?? 0;
  const isInternal = isInternalTopic(topic);
  return { topic, topicId, partitions: partitions.length, replicationFactor, isInternal, config };
}

export function topicMetadata(topic: string, sets: readonly PartitionReplicaSet[]): TopicMetadata {
  const partitions = sets.map(({ place, leaderId, leaderEpoch, replicas, inSyncReplicas }) => ({
    partition: place.partition,
    leaderId,
    leaderEpoch,
    replicas,
    inSyncReplicas,
  }));
  return { topic, partitions };
}

export function describeCluster({ directory, brokers, table, topics }: Rooms): ClusterDescription {
  return {
    clusterId: directory.clusterId,
    brokers: brokers.all().map((broker) => describeBroker(broker, table.all())),
    topics: topics.catalogue.size,
    partitions: topics.catalogue.partitionCount,
  };
}

function describeBroker(
  { brokerId, state }: { brokerId: number; state: BrokerState },
  sets: readonly PartitionReplicaSet[],
): BrokerDescription {
  const led = sets.filter((set) => set.assignedLeaderId === brokerId);
  return {
    brokerId,
    state,
    partitions: led.length,
    offlinePartitions: led.filter((set) => !set.isOnline).length,
    replicas: sets.filter((set) => set.replicas.includes(brokerId)).length,
  };
}
