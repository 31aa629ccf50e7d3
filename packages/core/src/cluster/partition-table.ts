/**
 * Every partition of every topic, by its address.
 *
 * Owns: the replica sets, one for each partition of the catalogue.
 * Never: a replica set of a topic that was deleted, or that is not created yet.
 */
import { assert } from "../assert.ts";
import type { Env } from "../env/env.ts";
import { BrokerError } from "../errors.ts";
import type { PartitionLog } from "../log/partition-log.ts";
import { quoted } from "../quoted.ts";
import { Replica } from "../replica/replica.ts";
import { PartitionReplicaSet } from "../replica/replica-set.ts";
import type { ProducerRules } from "../replica/sequence-check.ts";
import { startingPoint } from "../replica/starting-point.ts";
import type { TopicPartition } from "../replica/topic-partition.ts";
import type { Broker } from "./broker.ts";
import type { Brokers } from "./brokers.ts";
import type { ResolvedConfig } from "./config.ts";
import type { NotedHighWatermark } from "./high-watermark-file.ts";
import { partitionConfigOf } from "./topic-log-config.ts";
import type { Topic, TopicCatalogue } from "./topics.ts";

export class PartitionTable {
  readonly #byTopic = new Map<string, readonly PartitionReplicaSet[]>();
  readonly #brokers: Brokers;
  readonly #producers: ProducerRules;
  readonly #config: ResolvedConfig;
  readonly #env: Env;

  constructor(
    { brokers, producers }: { readonly brokers: Brokers; readonly producers: ProducerRules },
    config: ResolvedConfig,
    env: Env,
  ) {
    this.#brokers = brokers;
    this.#producers = producers;
    this.#config = config;
    this.#env = env;
  }

  /** `logs` holds the log of each partition's copies, in the order of placement, or why there is none. */
  add(topic: Topic, logs: readonly (readonly (PartitionLog | BrokerError)[])[]): void {
    this.#byTopic.set(topic.topic, []);
    this.grow(topic, logs);
  }

  /** The same for the partitions that a topic has gained. */
  grow(topic: Topic, logs: readonly (readonly (PartitionLog | BrokerError)[])[]): void {
    const before = this.of(topic.topic);
    const gained = logs.map((copies, index) => this.#replicaSet(topic, before.length + index, copies));
    this.#byTopic.set(topic.topic, [...before, ...gained]);
  }

  /** Takes a topic's partitions out, wakes whoever waits there, and drops their logs. */
  remove(topic: Topic): void {
    const sets = this.of(topic.topic);
    this.#byTopic.delete(topic.topic);
    for (const [partition, { replicas }] of topic.partitions.entries()) {
      for (const brokerId of replicas) this.#brokers.get(brokerId).dropLog({ topic: topic.topic, partition });
    }
    const reason = new BrokerError("UNKNOWN_TOPIC", `the topic ${quoted(topic.topic)} was deleted`, {
      topic: topic.topic,
    });
    for (const set of sets) set.retire(reason);
  }

  /** The topic's settings have changed: its partitions and their open logs go by them from here on. */
  configure(topic: Topic): void {
    const config = partitionConfigOf(topic.config, this.#config);
    for (const set of this.of(topic.topic)) set.configure(config);
    for (const [partition, { replicas }] of topic.partitions.entries()) {
      for (const brokerId of replicas) this.#brokers.get(brokerId).configureLog(topic, partition);
    }
  }

  /** The partitions of a topic by number. Throws UNKNOWN_TOPIC. */
  of(topic: string): readonly PartitionReplicaSet[] {
    const sets = this.#byTopic.get(topic);
    if (sets === undefined)
      throw new BrokerError("UNKNOWN_TOPIC", `there is no topic ${quoted(topic)}`, { topic });
    return sets;
  }

  /** Throws UNKNOWN_TOPIC or UNKNOWN_PARTITION. */
  require({ topic, partition }: TopicPartition): PartitionReplicaSet {
    const sets = this.of(topic);
    const set = sets[partition];
    if (set !== undefined) return set;
    const message = `there is no partition ${partition} in ${quoted(topic)}; expected 0 to ${sets.length - 1}`;
    throw new BrokerError("UNKNOWN_PARTITION", message, { topic, partition, partitions: sets.length });
  }

  all(): PartitionReplicaSet[] {
    return [...this.#byTopic.values()].flat();
  }

  /**
   * What a broker has noted of a replica; `null` when nothing, when the dial says that notes do not count, and when they were put
   * back from an older copy.
   */
  notedHighWatermark({ topicId }: Topic, partition: number, broker: Broker): number | null {
    if (!this.#config.highWatermarkCheckpoint || broker.isOlderCopy) return null;
    return broker.highWatermarks.get(topicId, partition);
  }

  /**
   * What a broker is to note of its replicas: nothing of partitions that have but one, and nothing where the dial says so. All of a
   * log counts as on the disk where `isFlushed` says so.
   */
  highWatermarksOf(
    brokerId: number,
    catalogue: TopicCatalogue,
    isFlushed: (copy: Replica) => boolean = () => false,
  ): NotedHighWatermark[] {
    if (!this.#config.highWatermarkCheckpoint) return [];
    return catalogue.list().flatMap(({ topic, topicId }) =>
      this.of(topic).flatMap(({ place: { partition }, copies }) => {
        const copy = copies.find((each) => each.brokerId === brokerId);
        if (copies.length === 1 || copy === undefined || copy.problem !== null) return [];
        const durableEnd = isFlushed(copy) ? copy.log.logEndOffset : copy.log.flushedOffset;
        return [{ topicId, partition, highWatermark: Math.min(copy.highWatermark, durableEnd) }];
      }),
    );
  }

  /** The cluster goes away: whoever waits at a partition finds out. */
  retireAll(): void {
    for (const set of this.all()) set.retire();
  }

  #replicaSet(
    topic: Topic,
    partition: number,
    logs: readonly (PartitionLog | BrokerError)[],
  ): PartitionReplicaSet {
    const state = topic.partitions[partition];
    assert(state !== undefined, `${topic.topic} has no partition ${partition}`);
    const copies = state.replicas.map((brokerId, index) => {
      const log = logs[index];
      assert(log !== undefined, `${topic.topic} has no copy of partition ${partition} on broker ${brokerId}`);
      if (!(log instanceof BrokerError)) log.hideBelow(state.deletedBefore ?? 0);
      const broker = this.#brokers.get(brokerId);
      return new Replica(broker, log, this.notedHighWatermark(topic, partition, broker));
    });
    const isClean = state.replicas.every((brokerId) => this.#brokers.get(brokerId).startedClean);
    const isNoted = this.#config.highWatermarkCheckpoint;
    const highWatermark = startingPoint(copies, state, { isNoted, isClean });
    // Without notes there is but one high watermark, which is everybody's.
    if (!isNoted)
      for (const copy of copies) if (!copy.broker.isOlderCopy) copy.learnHighWatermark(highWatermark);
    const place = { topic: topic.topic, partition };
    const config = partitionConfigOf(topic.config, this.#config);
    const { flush } = this.#config;
    const options = {
      place,
      copies,
      state,
      highWatermark,
      config,
      replication: this.#config,
      flush,
      producers: this.#producers,
    };
    return new PartitionReplicaSet(options, this.#env);
  }
}
