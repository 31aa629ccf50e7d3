/** From what a client asks for to a topic that may be made. */
import { BrokerError } from "../errors.ts";
import { parseTopicConfig, type RawTopicConfig } from "./topic-config.ts";
import { newPartitions } from "./topic-growth.ts";
import type { Topic, TopicCatalogue } from "./topics.ts";

export interface TopicRequest {
  readonly topic: string;
  readonly partitions: number;
  /** Default 1. */
  readonly replicationFactor?: number;
  readonly config?: RawTopicConfig;
}

/** Throws INVALID_TOPIC, TOPIC_ALREADY_EXISTS or INVALID_CONFIG. Changes nothing. */
export function planTopic(
  request: TopicRequest,
  {
    catalogue,
    brokerIds,
    topicId,
    isInternal = false,
  }: { catalogue: TopicCatalogue; brokerIds: readonly number[]; topicId: string; isInternal?: boolean },
): Topic {
  const { topic, partitions, replicationFactor = 1, config = {} } = request;
  catalogue.requireFree(topic, { isInternal });
  requireReplicationFactor(replicationFactor, brokerIds.length);
  catalogue.requireRoom(partitions, replicationFactor);
  return {
    topic,
    topicId,
    config: parseTopicConfig(config),
    partitions: newPartitions(partitions, replicationFactor, brokerIds),
  };
}

function requireReplicationFactor(replicationFactor: number, brokers: number): void {
  if (!Number.isInteger(replicationFactor) || replicationFactor < 1) {
    throw new BrokerError(
      "INVALID_CONFIG",
      `replication_factor is ${replicationFactor}; expected a whole number from 1`,
    );
  }
  if (replicationFactor > brokers) {
    throw new BrokerError(
      "INVALID_CONFIG",
      `replication_factor is ${replicationFactor}; expected at most ${brokers}, the number of brokers`,
      { replication_factor: replicationFactor, brokers },
    );
  }
}
