/**
 * The catalogue of topics, in memory.
 *
 * Owns: which topics there are, and their names' rules towards each other.
 * Invariants: what stands here stands in the metadata file, which is written first; no two names share a collision key.
 * Never: a topic that is half made or half deleted.
 */
import { assert } from "../assert.ts";
import { BrokerError } from "../errors.ts";
import { LIMITS } from "../limits.ts";
import { quoted } from "../quoted.ts";
import type { PartitionState } from "../replica/partition-state.ts";
import { internalRival } from "./internal-topics.ts";
import type { TopicConfig } from "./topic-config.ts";
import { collisionKey, isInternalTopic, topicNameProblem } from "./topic-name.ts";

export interface PartitionAssignment extends PartitionState {
  /** The brokers that hold a copy; the first led it at its creation. */
  readonly replicas: readonly number[];
}

export interface Topic {
  readonly topic: string;
  /** A UUID, new for each creation: a topic of the same name that was deleted is another one (KIP-516). */
  readonly topicId: string;
  readonly config: TopicConfig;
  /** The index is the partition's number. */
  readonly partitions: readonly PartitionAssignment[];
}

export class TopicCatalogue {
  readonly #byName = new Map<string, Topic>();
  readonly #byId = new Map<string, Topic>();
  readonly #byCollisionKey = new Map<string, Topic>();
  #partitionCount = 0;
  #replicaCount = 0;

  constructor(topics: Iterable<Topic> = []) {
    for (const topic of topics) this.add(topic);
  }

  get size(): number {
    return this.#byName.size;
  }

  get partitionCount(): number {
    return this.#partitionCount;
  }

  get(name: string): Topic | undefined {
    return this.#byName.get(name);
  }

  /** The topic of an id, or `undefined` (KIP-516). */
  ofId(topicId: string): Topic | undefined {
    return this.#byId.get(topicId);
  }

  /** Throws UNKNOWN_TOPIC. */
  require(name: string): Topic {
    const topic = this.#byName.get(name);
    if (topic === undefined)
      throw new BrokerError("UNKNOWN_TOPIC", `there is no topic ${quoted(name)}`, { topic: name });
    return topic;
  }

  /** By name, in code-unit order. */
  list(): Topic[] {
    return [...this.#byName.values()].sort((left, right) => (left.topic < right.topic ? -1 : 1));
  }

  /** Throws INVALID_TOPIC or TOPIC_ALREADY_EXISTS when `name` cannot be created now: by the broker itself when it `isInternal`. */
  requireFree(name: string, { isInternal = false } = {}): void {
    const problem = topicNameProblem(name);
    if (problem !== null) throw new BrokerError("INVALID_TOPIC", problem);
    if (!isInternal) requireNotInternal(name);
    const rival = this.#byCollisionKey.get(collisionKey(name));
    if (rival === undefined) return;
    if (rival.topic === name) {
      throw new BrokerError("TOPIC_ALREADY_EXISTS", `there is a topic ${quoted(name)} already`);
    }
    throw new BrokerError(
      "INVALID_TOPIC",
      `${quoted(name)} collides with the topic ${quoted(rival.topic)}: ".", "_" and upper and lower case do not tell names apart`,
      { collides_with: rival.topic },
    );
  }

  /** Throws INVALID_CONFIG when a topic with so many partitions, of so many replicas, would be too much. */
  requireRoom(partitions: number, replicationFactor: number): void {
    const { topicsMax } = LIMITS;
    requirePartitionCount(partitions, 0);
    if (this.size >= topicsMax) {
      throw new BrokerError("INVALID_CONFIG", `there are ${this.size} topics; expected at most ${topicsMax}`);
    }
    this.#requireRoomInCluster(partitions, replicationFactor);
  }

  /** Throws INVALID_CONFIG when `topic` can't have `partitions` in all: fewer than it has, or too many. */
  requireRoomToGrow({ partitions: present }: Topic, partitions: number): void {
    requirePartitionCount(partitions, present.length);
    this.#requireRoomInCluster(partitions - present.length, present[0]?.replicas.length ?? 1);
  }

  #requireRoomInCluster(partitions: number, replicationFactor: number): void {
    const { partitionsPerClusterMax, replicasPerClusterMax } = LIMITS;
    const total = this.#partitionCount + partitions;
    if (total > partitionsPerClusterMax) {
      throw new BrokerError(
        "INVALID_CONFIG",
        `there would be ${total} partitions in the cluster; expected at most ${partitionsPerClusterMax}`,
      );
    }
    const replicas = this.#replicaCount + partitions * replicationFactor;
    if (replicas > replicasPerClusterMax) {
      throw new BrokerError(
        "INVALID_CONFIG",
        `there would be ${replicas} replicas in the cluster; expected at most ${replicasPerClusterMax}`,
      );
    }
  }

  add(topic: Topic): void {
    const key = collisionKey(topic.topic);
    assert(!this.#byCollisionKey.has(key), `the name ${topic.topic} is taken`);
    this.#byName.set(topic.topic, topic);
    this.#byId.set(topic.topicId, topic);
    this.#byCollisionKey.set(key, topic);
    this.#partitionCount += topic.partitions.length;
    this.#replicaCount += replicasOf(topic);
  }

  /** The same topic, changed. Its name, its id and the partitions that it had stay. */
  replace(before: Topic, after: Topic): void {
    this.remove(before);
    this.add(after);
  }

  remove(topic: Topic): void {
    assert(this.#byName.get(topic.topic) === topic, `the topic ${topic.topic} is not in the catalogue`);
    this.#byName.delete(topic.topic);
    this.#byId.delete(topic.topicId);
    this.#byCollisionKey.delete(collisionKey(topic.topic));
    this.#partitionCount -= topic.partitions.length;
    this.#replicaCount -= replicasOf(topic);
  }
}

function requireNotInternal(name: string): void {
  if (isInternalTopic(name)) {
    const message = `${quoted(name)} begins with "__", which is kept for internal topics`;
    throw new BrokerError("INVALID_TOPIC", message);
  }
  const rival = internalRival(name);
  if (rival === null) return;
  const message = `${quoted(name)} collides with ${quoted(rival)}, which is kept for an internal topic`;
  throw new BrokerError("INVALID_TOPIC", message, { collides_with: rival });
}

/** More than the `present` ones, which are never taken away. */
function requirePartitionCount(partitions: number, present: number): void {
  const { partitionsPerTopicMax } = LIMITS;
  if (Number.isInteger(partitions) && partitions > present && partitions <= partitionsPerTopicMax) return;
  const since = present === 0 ? "" : `, since the topic has ${present} already`;
  throw new BrokerError(
    "INVALID_CONFIG",
    `partitions is ${partitions}; expected a whole number, ${present + 1} to ${partitionsPerTopicMax}${since}`,
  );
}

function replicasOf({ partitions }: Topic): number {
  return partitions.reduce((sum, { replicas }) => sum + replicas.length, 0);
}

/** Throws POLICY_VIOLATION where records are only compacted: deleting them is not what the topic was made for, as in Kafka. */
export function requireDeletable({ topic, config }: Topic): void {
  if (config.cleanup_policy !== "compact") return;
  throw new BrokerError(
    "POLICY_VIOLATION",
    `the cleanup_policy of ${quoted(topic)} is compact; expected one with delete, so that records may be deleted`,
  );
}
