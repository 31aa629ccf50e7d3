/** From what a client asks for to a topic that may be made. */
import { BrokerError } from "../errors.ts";
import { parseTopicConfig, type RawTopicConfig } from "./topic-config.ts";
import { assignedPartitions, newPartitions } from "./topic-growth.ts";
import type { Topic, TopicCatalogue } from "./topics.ts";

export interface TopicRequest {
  readonly topic: string;
  readonly partitions: number;
  /** Default 1. */
  readonly replicationFactor?: number;
  /**
   * The brokers of each partition, the first of which leads it; `partitions` and `replicationFactor` then say how many and nothing
   * else. Left out: they are chosen (placement.ts).
   */
  readonly assignment?: readonly (readonly number[])[];
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
  const { topic, partitions, replicationFactor = 1, assignment, config = {} } = request;
  catalogue.requireFree(topic, { isInternal });
  requireReplicationFactor(replicationFactor, brokerIds.length);
  catalogue.requireRoom(partitions, replicationFactor);
  if (assignment !== undefined) requireAssignment(assignment, { partitions, replicationFactor, brokerIds });
  return {
    topic,
    topicId,
    config: parseTopicConfig(config),
    partitions:
      assignment === undefined
        ? newPartitions(partitions, replicationFactor, brokerIds)
        : assignedPartitions(assignment),
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

/** Kafka: INVALID_REPLICA_ASSIGNMENT. `assignment` among the details says that it is that which is amiss. */
function requireAssignment(
  assignment: readonly (readonly number[])[],
  expected: { partitions: number; replicationFactor: number; brokerIds: readonly number[] },
): void {
  const { partitions, replicationFactor, brokerIds } = expected;
  const refuse = (seen: string) => {
    throw new BrokerError("INVALID_CONFIG", `the assignment has ${seen}`, { assignment: true });
  };
  if (assignment.length !== partitions) refuse(`${assignment.length} partitions; expected ${partitions}`);
  for (const [partition, replicas] of assignment.entries()) {
    const where = `for partition ${partition} the brokers ${replicas.join(", ")}`;
    if (replicas.length !== replicationFactor) refuse(`${where}; expected ${replicationFactor} of them`);
    if (new Set(replicas).size < replicas.length) refuse(`${where}; expected each once`);
    if (!replicas.every((brokerId) => brokerIds.includes(brokerId)))
      refuse(`${where}; there are ${brokerIds.join(", ")}`);
  }
}
