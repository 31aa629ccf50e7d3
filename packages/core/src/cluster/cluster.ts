/**
 * The cluster: the roof. It has the rooms put together (rooms.ts), takes them apart, and hands each operation to the room
 * that decides it.
 *
 * Owns: the lifecycle.
 * Invariants: an operation is served only while running; requests take effect in the order of the calls.
 * Never: a decision of its own.
 */
import type { Env } from "../env/env.ts";
import type { DumpLimits, LogDump } from "../log/batch-dump.ts";
import { describePartition } from "../replica/partition-description.ts";
import type {
  FetchOptions,
  FetchResult,
  FoundOffset,
  Isolation,
  OffsetDescription,
  PartitionDescription,
} from "../replica/partition-view.ts";
import type { AppendOptions, PartitionReplicaSet } from "../replica/replica-set.ts";
import type { TopicPartition } from "../replica/topic-partition.ts";
import { BackgroundSteps } from "./background-steps.ts";
import {
  type ClusterDescription,
  describeCluster,
  describeTopic,
  type TopicDescription,
  type TopicMetadata,
  topicMetadata,
} from "./cluster-view.ts";
import { type ClusterConfig, type ResolvedConfig, resolveConfig } from "./config.ts";
import { Lifecycle, type LifecycleState } from "./lifecycle.ts";
import type { ProducerInit } from "./producer-ids.ts";
import type { ProducerIdentity } from "./producer-ids-file.ts";
import { openRooms, type Rooms } from "./rooms.ts";
import { type ConfigChanges, type ConfigEntry, describeConfig, parseChanges } from "./topic-config-change.ts";
import { planTopic, type TopicRequest } from "./topic-request.ts";
import type { TopicCatalogue } from "./topics.ts";

/** Where an appended batch stands. */
export interface AppendResult {
  readonly baseOffset: number;
  readonly nextOffset: number;
  /** The time that the leader gave the batch; `null` when its records keep their producer's. */
  readonly appendTimeMs: number | null;
  /** The same batch of an idempotent producer was there already: this is where. */
  readonly duplicate: boolean;
}

export class BrokerCluster {
  readonly env: Env;
  readonly config: ResolvedConfig;
  /** The background work, for whoever steps it. */
  readonly steps: BackgroundSteps;
  readonly #rooms: Rooms;
  readonly #lifecycle = new Lifecycle();
  #closing: Promise<void> | null = null;

  private constructor(rooms: Rooms, config: ResolvedConfig, env: Env) {
    this.#rooms = rooms;
    this.config = config;
    this.env = env;
    this.steps = new BackgroundSteps({ ...rooms, requireServing: () => this.#lifecycle.requireRunning() });
  }

  /**
   * Opens the data folder, or founds a new cluster there. Rejects with INVALID_CONFIG (a BrokerError) or DataFolderRefused.
   * A partition whose log cannot be opened is off line: it answers STORAGE_ERROR, and the others are served.
   */
  static async open(config: ClusterConfig, env: Env): Promise<BrokerCluster> {
    const resolved = resolveConfig(config);
    return new BrokerCluster(await openRooms(resolved, env), resolved, env);
  }

  get clusterId(): string {
    return this.#rooms.directory.clusterId;
  }

  get state(): LifecycleState {
    return this.#lifecycle.state;
  }

  /**
   * Makes a topic; when this returns, it survives a crash and can be produced to. Throws INVALID_TOPIC,
   * TOPIC_ALREADY_EXISTS, INVALID_CONFIG, STORAGE_ERROR, BROKER_FAILED.
   */
  createTopic(request: TopicRequest): TopicDescription {
    this.#lifecycle.requireRunning();
    const { topics, brokers } = this.#rooms;
    const topicId = this.env.random.uuid();
    const topic = planTopic(request, { catalogue: topics.catalogue, brokerIds: brokers.ids, topicId });
    topics.create(topic);
    return describeTopic(topic);
  }

  /** Deletes a topic with all its records. Throws UNKNOWN_TOPIC, STORAGE_ERROR, BROKER_FAILED. */
  deleteTopic(topic: string): void {
    this.#lifecycle.requireRunning();
    const { topics } = this.#rooms;
    topics.delete(topics.catalogue.require(topic));
  }

  /** Every setting of a topic, its own or the default. Throws UNKNOWN_TOPIC. Kafka: DescribeConfigs. */
  describeConfig(topic: string): ConfigEntry[] {
    return describeConfig(this.#topics().require(topic).config, this.config);
  }

  /**
   * Changes the settings that are named, all or none, and leaves the others; when this returns, the change survives a crash
   * and holds for all that comes next. Throws UNKNOWN_TOPIC, INVALID_CONFIG, STORAGE_ERROR, BROKER_FAILED. Kafka:
   * IncrementalAlterConfigs (KIP-339).
   */
  alterConfig(topic: string, changes: ConfigChanges): void {
    const { topics } = this.#rooms;
    topics.alter(this.#topics().require(topic), parseChanges(changes));
  }

  hasTopic(topic: string): boolean {
    return this.#topics().get(topic) !== undefined;
  }

  /** By name, in code-unit order. */
  listTopics(): TopicDescription[] {
    return this.#topics().list().map(describeTopic);
  }

  /** Throws UNKNOWN_TOPIC. */
  describeTopic(topic: string): TopicDescription {
    return describeTopic(this.#topics().require(topic));
  }

  /** Who leads and who is in sync, by partition. Throws UNKNOWN_TOPIC. */
  metadata(topic: string): TopicMetadata {
    this.#lifecycle.requireRunning();
    return topicMetadata(topic, this.#rooms.table.of(topic));
  }

  /**
   * Appends one unassigned batch. The append happens before this returns its promise, so that batches take effect in the
   * order of the calls; the promise settles when `acks` is kept (acknowledgement.ts, which also says whose the deadline is).
   * `frame` belongs to the kernel from here on. Rejects with UNKNOWN_TOPIC, UNKNOWN_PARTITION, FENCED_LEADER_EPOCH,
   * NOT_ENOUGH_REPLICAS, CORRUPT_BATCH, INVALID_RECORD, RECORD_TOO_LARGE, PRODUCER_FENCED, UNKNOWN_PRODUCER_ID,
   * OUT_OF_ORDER_SEQUENCE, STORAGE_ERROR, BROKER_FAILED, SHUTTING_DOWN.
   */
  async appendBatch(place: TopicPartition, frame: Buffer, options: AppendOptions): Promise<AppendResult> {
    const { acknowledged, ...appended } = this.replicaSet(place).append(frame, options);
    await acknowledged;
    return appended;
  }

  /**
   * An identity for an idempotent producer (producer-ids.ts). Throws INVALID_REQUEST, INVALID_CONFIG, PRODUCER_FENCED,
   * UNKNOWN_PRODUCER_ID, STORAGE_ERROR, BROKER_FAILED.
   */
  initProducer(init: ProducerInit): ProducerIdentity {
    this.#lifecycle.requireRunning();
    return this.#rooms.producerIds.init(init);
  }

  /** Whole batches from `offset` on, up to the visible end. Throws OFFSET_OUT_OF_RANGE (details: the bounds). */
  fetch(place: TopicPartition, offset: number, options: FetchOptions): FetchResult {
    return this.replicaSet(place).fetch(offset, options);
  }

  /** The end of what a reader may see, exclusive. */
  visibleEnd(place: TopicPartition, isolation?: Isolation): number {
    return this.replicaSet(place).visibleEnd(isolation);
  }

  /** Where the partition ends for its leader, and for its readers. */
  describeOffsets(place: TopicPartition): OffsetDescription {
    const set = this.replicaSet(place);
    return { logEndOffset: set.leaderLog.logEndOffset, visibleEnd: set.visibleEnd() };
  }

  /** The first visible offset of that time or later; -2 asks for the start, -1 for the visible end. */
  listOffsets(place: TopicPartition, timestampMs: number, isolation?: Isolation): FoundOffset {
    return this.replicaSet(place).listOffsets(timestampMs, isolation);
  }

  /**
   * `listener` is called after the partition's visible end has moved, and once when the partition goes away: then ask
   * again, and be told why. It must not throw. Returns how to end it.
   */
  onVisible(place: TopicPartition, listener: () => void): () => void {
    return this.replicaSet(place).onVisible(listener);
  }

  describePartition(place: TopicPartition): PartitionDescription {
    return describePartition(this.replicaSet(place));
  }

  /**
   * The batches of the leader's log from the one that holds `offset` on, as they lie in its files: damage is a part of the
   * answer. Throws OFFSET_OUT_OF_RANGE, STORAGE_ERROR.
   */
  dumpLog(place: TopicPartition, offset: number, limits: DumpLimits): LogDump {
    return this.replicaSet(place).leaderLog.dump(offset, limits);
  }

  describeCluster(): ClusterDescription {
    this.#lifecycle.requireRunning();
    return describeCluster(this.#rooms);
  }

  /** One partition, for who wants to look closer. Throws UNKNOWN_TOPIC, UNKNOWN_PARTITION, SHUTTING_DOWN. */
  replicaSet(place: TopicPartition): PartitionReplicaSet {
    this.#lifecycle.requireRunning();
    return this.#rooms.table.require(place);
  }

  /**
   * Flushes and closes everything, also when a part of it fails, and lets the data folder go. Rejects with a problem when
   * there was one; the next opening then recovers as after a crash. Closing twice is closing once.
   */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  /**
   * Drops everything without flushing, as if the process had died; done when this returns. The promise resolves when the
   * data folder may be opened again.
   */
  async crash(): Promise<void> {
    this.#lifecycle.on("crash");
    this.#rooms.brokers.abandon();
    this.#rooms.table.retireAll();
    await this.#rooms.directory.release();
  }

  async #close(): Promise<void> {
    if (this.#lifecycle.on("close") !== "closing") return;
    const { table, brokers, directory } = this.#rooms;
    table.retireAll();
    let clean = false;
    try {
      await brokers.close();
      // It may have crashed meanwhile.
      clean = this.state === "closing";
    } finally {
      if (this.state === "closing") this.#lifecycle.on(clean ? "close_done" : "close_failed");
      await directory.release();
      this.env.trace({ kind: "cluster_closed", clusterId: this.clusterId, clean });
    }
  }

  #topics(): TopicCatalogue {
    this.#lifecycle.requireRunning();
    return this.#rooms.topics.catalogue;
  }
}
