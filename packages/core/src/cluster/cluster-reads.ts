/**
 * What can be asked of a cluster without changing anything: topics, records, offsets, and a look inside.
 *
 * Invariant: answered only while running.
 */
import type { Env } from "../env/env.ts";
import type { LogFind, SoughtPlace } from "../log/lookup/log-find.ts";
import type { PartitionLog } from "../log/partition-log.ts";
import { anotherTopic } from "../offsets/commit-request.ts";
import { describePartition } from "../replica/partition-description.ts";
import type {
  FetchOptions,
  FetchResult,
  FoundOffset,
  Isolation,
  OffsetDescription,
  PartitionDescription,
} from "../replica/partition-view.ts";
import type { PartitionReplicaSet } from "../replica/replica-set.ts";
import type { TopicPartition } from "../replica/topic-partition.ts";
import type { BrokerState } from "./broker-health.ts";
import {
  type ClusterDescription,
  describeCluster,
  describeTopic,
  type TopicDescription,
  type TopicMetadata,
  topicMetadata,
} from "./cluster-view.ts";
import type { ResolvedConfig } from "./config.ts";
import { requireClientTopic } from "./internal-topics.ts";
import { Lifecycle, type LifecycleState } from "./lifecycle.ts";
import type { Rooms } from "./rooms.ts";
import {
  type ConfigChanges,
  type ConfigEntry,
  changedConfig,
  describeConfig,
  parseChanges,
} from "./topic-config-change.ts";
import { planTopic, type TopicRequest } from "./topic-request.ts";
import type { TopicCatalogue } from "./topics.ts";

export abstract class ClusterReads {
  readonly env: Env;
  readonly config: ResolvedConfig;
  protected readonly rooms: Rooms;
  protected readonly lifecycle = new Lifecycle();

  constructor(rooms: Rooms, config: ResolvedConfig, env: Env) {
    this.rooms = rooms;
    this.config = config;
    this.env = env;
  }

  get clusterId(): string {
    return this.rooms.directory.clusterId;
  }

  get state(): LifecycleState {
    return this.lifecycle.state;
  }

  hasTopic(topic: string): boolean {
    return this.topics.get(topic) !== undefined;
  }

  /** By name, in code-unit order. */
  listTopics(): TopicDescription[] {
    return this.topics.list().map(describeTopic);
  }

  /** Throws UNKNOWN_TOPIC. */
  describeTopic(topic: string): TopicDescription {
    return describeTopic(this.topics.require(topic));
  }

  /** The name of the topic that has an id, or `null`: a topic that was made anew has another one (KIP-516). */
  topicOfId(topicId: string): string | null {
    return this.topics.ofId(topicId)?.topic ?? null;
  }

  /** Throws UNKNOWN_TOPIC, also when the topic of that name is another one (Kafka: UNKNOWN_TOPIC_ID, KIP-516). */
  requireTopicId(name: string, topicId: string): void {
    const topic = this.topics.require(name);
    if (topic.topicId !== topicId) throw anotherTopic(name, topicId, topic);
  }

  /** Who leads and who is in sync, by partition. Throws UNKNOWN_TOPIC. */
  metadata(topic: string): TopicMetadata {
    this.lifecycle.requireRunning();
    return topicMetadata(topic, this.rooms.table.of(topic));
  }

  /** Every setting of a topic, its own or the default. Throws UNKNOWN_TOPIC. Kafka: DescribeConfigs. */
  describeConfig(topic: string): ConfigEntry[] {
    return describeConfig(this.topics.require(topic).config, this.config);
  }

  /** Throws as createTopic() would, and changes nothing. Kafka: CreateTopics with validateOnly. */
  checkTopic(request: TopicRequest): void {
    planTopic(request, { catalogue: this.topics, brokerIds: this.rooms.brokers.ids, topicId: "" });
  }

  /** Throws as alterConfig() would, and changes nothing. */
  checkConfig(topic: string, changes: ConfigChanges): void {
    const { config } = requireClientTopic(this.topics.require(topic));
    changedConfig(config, parseChanges(changes));
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
   * `listener` is called after the partition's visible end has moved, when another leadership begins or its broker stops, and once
   * when the partition goes away: then ask again, and be told why. It must not throw. Returns how to end it.
   */
  onVisible(place: TopicPartition, listener: () => void): () => void {
    return this.replicaSet(place).onVisible(listener);
  }

  /** Also while nobody leads, and when no replica can be read: then what is not known is `null`. */
  describePartition(place: TopicPartition): PartitionDescription {
    return describePartition(this.replicaSet(place));
  }

  /**
   * The log of the leader, or of the replica on `brokerId`, for who wants to look at its batches as they lie in the files. Throws
   * INVALID_REQUEST when no copy is there, BROKER_NOT_AVAILABLE when it is off line, LEADER_NOT_AVAILABLE, STORAGE_ERROR.
   */
  replicaLog(place: TopicPartition, brokerId?: number): PartitionLog {
    const set = this.replicaSet(place);
    return brokerId === undefined ? set.leaderLog : set.leadership.requireCopy(brokerId).readableLog;
  }

  /**
   * Where an offset, or the first record of a time, lies in the files of the leader's log, and the way to it: damage is a
   * part of the answer. Throws OFFSET_OUT_OF_RANGE, STORAGE_ERROR.
   */
  findInLog(place: TopicPartition, sought: SoughtPlace): LogFind {
    return this.replicaSet(place).leaderLog.find(sought);
  }

  /** Whether each broker serves, in the order of their ids. */
  brokerStates(): { readonly brokerId: number; readonly state: BrokerState }[] {
    this.lifecycle.requireRunning();
    return this.rooms.brokers.all().map(({ brokerId, state }) => ({ brokerId, state }));
  }

  describeCluster(): ClusterDescription {
    this.lifecycle.requireRunning();
    return describeCluster(this.rooms);
  }

  /** One partition, for who wants to look closer. Throws UNKNOWN_TOPIC, UNKNOWN_PARTITION, SHUTTING_DOWN. */
  replicaSet(place: TopicPartition): PartitionReplicaSet {
    this.lifecycle.requireRunning();
    return this.rooms.table.require(place);
  }

  protected get topics(): TopicCatalogue {
    this.lifecycle.requireRunning();
    return this.rooms.topics.catalogue;
  }
}
