/**
 * The cluster: the roof. It has the rooms put together (rooms.ts), takes them apart, and hands each operation to the room
 * that decides it.
 *
 * Owns: the lifecycle.
 * Invariants: an operation is served only while running; requests take effect in the order of the calls.
 * Never: a decision of its own.
 */
import type { Env } from "../env/env.ts";
import type { AppendOptions, AppendResult } from "../replica/append-options.ts";
import type { PartitionState } from "../replica/partition-state.ts";
import type { ProducerIdentity } from "../replica/producer-identity.ts";
import { deleteRecords } from "../replica/record-deletion.ts";
import type { TopicPartition } from "../replica/topic-partition.ts";
import { BackgroundSteps } from "./background-steps.ts";
import type { BrokerLifeResult } from "./broker-life.ts";
import { ClusterReads } from "./cluster-reads.ts";
import { describeTopic, type TopicDescription } from "./cluster-view.ts";
import { type ClusterConfig, type ResolvedConfig, resolveConfig } from "./config.ts";
import { Foresight } from "./foresight.ts";
import { GroupOperations } from "./group-operations.ts";
import { requireClientTopic } from "./internal-topics.ts";
import type { PromotionOptions, Rejoined } from "./leadership-changes.ts";
import type { ProducerInit } from "./producer-ids.ts";
import type { RefreshedPartition, ReplicatedPartition, StepFilter } from "./replication-steps.ts";
import { openRooms, type Rooms } from "./rooms.ts";
import { type ConfigChanges, parseChanges } from "./topic-config-change.ts";
import { planTopic, type TopicRequest } from "./topic-request.ts";
import { requireDeletable, type Topic } from "./topics.ts";
import { TransactionOperations } from "./transaction-operations.ts";

export class BrokerCluster extends ClusterReads {
  /** The background work, for whoever steps it. */
  readonly steps: BackgroundSteps;
  /** What that would do now, and when there will be more. */
  readonly foresight: Foresight;
  /** What is done for groups and their offsets. */
  readonly groups: GroupOperations;
  /** What is done for transactional ids, and for what is written in their transactions. */
  readonly transactions: TransactionOperations;
  #closing: Promise<void> | null = null;

  private constructor(rooms: Rooms, config: ResolvedConfig, env: Env) {
    super(rooms, config, env);
    const { lifecycle } = this;
    this.steps = new BackgroundSteps({ ...rooms, config, env, lifecycle });
    this.groups = new GroupOperations({ ...rooms, config, lifecycle }, env);
    this.transactions = new TransactionOperations({ ...rooms, config, lifecycle, groups: this.groups }, env);
    const { groups, transactions } = this;
    this.foresight = new Foresight({ ...rooms, config, lifecycle, groups, transactions }, env);
  }

  /**
   * Opens the data folder, or founds a new cluster there. Rejects with INVALID_CONFIG (a BrokerError) or DataFolderRefused.
   * A partition whose log cannot be opened is off line: it answers STORAGE_ERROR, and the others are served.
   */
  static async open(config: ClusterConfig, env: Env): Promise<BrokerCluster> {
    const resolved = resolveConfig(config);
    const cluster = new BrokerCluster(await openRooms(resolved, env), resolved, env);
    cluster.transactions.resume();
    return cluster;
  }

  /**
   * Makes a topic; when this returns, it survives a crash and can be produced to. Throws INVALID_TOPIC,
   * TOPIC_ALREADY_EXISTS, INVALID_CONFIG, STORAGE_ERROR, BROKER_FAILED.
   */
  createTopic(request: TopicRequest): TopicDescription {
    const topic = this.#plan(request);
    this.rooms.topics.create(topic);
    return describeTopic(topic);
  }

  /**
   * The same without holding up the kernel for the disk: the topic exists when this resolves, and not before. Rejects as
   * createTopic() throws, and with SHUTTING_DOWN.
   */
  async createTopicLater(request: TopicRequest): Promise<TopicDescription> {
    const topic = this.#plan(request);
    await this.rooms.topics.createLater(topic, () => this.lifecycle.requireRunning());
    return describeTopic(topic);
  }

  /**
   * Gives a topic partitions up to `partitions` in all; they exist when this resolves, and not before. Keys go elsewhere from
   * then on, and what was sent before stays where it is. One that is being made, or grows already, is waited for first, as Kafka's
   * controller does one after the other. Rejects with UNKNOWN_TOPIC, INVALID_CONFIG, INVALID_TOPIC for internal ones, STORAGE_ERROR,
   * BROKER_FAILED, SHUTTING_DOWN. Kafka: CreatePartitions (KIP-195).
   */
  async growTopic(topic: string, partitions: number): Promise<void> {
    const { topics } = this.rooms;
    for (let making = topics.makingOf(topic); making !== null; making = topics.makingOf(topic)) await making;
    const before = requireClientTopic(this.topics.require(topic));
    await topics.growLater(before, partitions, () => this.lifecycle.requireRunning());
  }

  /** Deletes a topic with all its records. Throws UNKNOWN_TOPIC, INVALID_TOPIC for an internal one, STORAGE_ERROR, BROKER_FAILED. */
  deleteTopic(topic: string): void {
    this.rooms.topics.delete(requireClientTopic(this.topics.require(topic)));
  }

  /**
   * The same without holding up the kernel for long: the topic is gone for good from this call on, and its folders when this
   * resolves. Who makes one of its name meanwhile waits for that. Rejects as deleteTopic() throws.
   */
  async deleteTopicLater(topic: string): Promise<void> {
    const deleted = requireClientTopic(this.topics.require(topic));
    await this.rooms.topics.deleteLater(deleted, () => this.lifecycle.requireRunning());
  }

  /**
   * Changes the settings that are named, all or none, and leaves the others; when this returns, the change survives a crash
   * and holds for all that comes next. Throws UNKNOWN_TOPIC, INVALID_CONFIG, STORAGE_ERROR, BROKER_FAILED. Kafka:
   * IncrementalAlterConfigs (KIP-339).
   */
  alterConfig(topic: string, changes: ConfigChanges): void {
    this.rooms.topics.alter(requireClientTopic(this.topics.require(topic)), parseChanges(changes));
  }

  /**
   * Appends one unassigned batch. The append happens before this returns its promise, so that batches take effect in the
   * order of the calls; the promise settles when `acks` is kept (acknowledgement.ts, which also says whose the deadline is).
   * `frame` belongs to the kernel from here on. Rejects with UNKNOWN_TOPIC, UNKNOWN_PARTITION, FENCED_LEADER_EPOCH,
   * NOT_ENOUGH_REPLICAS, CORRUPT_BATCH, INVALID_RECORD, RECORD_TOO_LARGE, PRODUCER_FENCED, UNKNOWN_PRODUCER_ID,
   * OUT_OF_ORDER_SEQUENCE, INVALID_TRANSACTION_STATE, STORAGE_ERROR, BROKER_FAILED, SHUTTING_DOWN.
   */
  async appendBatch(place: TopicPartition, frame: Buffer, options: AppendOptions): Promise<AppendResult> {
    const set = this.replicaSet(place);
    requireClientTopic(place);
    const { acknowledged, ...appended } = set.append(frame, options);
    this.rooms.behind.add(set);
    await acknowledged;
    return appended;
  }

  /**
   * Deletes the records below an offset, for good; resolves with the first that stays. Rejects with OFFSET_OUT_OF_RANGE,
   * POLICY_VIOLATION, UNKNOWN_TOPIC, UNKNOWN_PARTITION, LEADER_NOT_AVAILABLE, STORAGE_ERROR, BROKER_FAILED. Kafka:
   * DeleteRecords (KIP-107).
   */
  async deleteRecords(place: TopicPartition, before: number | "high_watermark"): Promise<number> {
    const set = this.replicaSet(place);
    requireDeletable(requireClientTopic(this.topics.require(place.topic)));
    const { leadership, reserve } = this.rooms;
    return reserve.spendLater(() =>
      deleteRecords(set, before, (offset, left) => leadership.noteDeletion(set, offset, left)),
    );
  }

  /**
   * An identity for an idempotent producer (producer-ids.ts). Throws INVALID_REQUEST, INVALID_CONFIG, PRODUCER_FENCED,
   * UNKNOWN_PRODUCER_ID, STORAGE_ERROR, BROKER_FAILED.
   */
  initProducer(init: ProducerInit): ProducerIdentity {
    this.lifecycle.requireRunning();
    return this.rooms.producerIds.init(init);
  }

  /**
   * One follower-fetch round of every follower, or of those that `filter` names: it copies whole batches up to
   * replicaFetchMaxBytes, and hears of the high watermark; its leader hears where it ends. Resolves with what was copied, cut or
   * failed; one follower's trouble stops no other. Rejects as ReplicationSteps.replicateOnce() does.
   */
  async replicateOnce(filter?: StepFilter): Promise<readonly ReplicatedPartition[]> {
    this.lifecycle.requireRunning();
    return (await this.steps.replicateOnce(filter)).copied;
  }

  /** Judges who is in sync, and returns where that has changed. Kafka: the periodic check of replica.lag.time.max.ms. */
  refreshIsr(filter?: StepFilter): RefreshedPartition[] {
    this.lifecycle.requireRunning();
    return this.rooms.replication.refreshIsr(filter);
  }

  /** See leadership-changes.ts; nothing is elected, so that this is the only way to another leader. */
  async promote(
    place: TopicPartition,
    brokerId: number,
    options?: PromotionOptions,
  ): Promise<PartitionState> {
    this.lifecycle.requireRunning();
    return this.rooms.leadership.promote(place, brokerId, options);
  }

  /** Takes a follower out of the in-sync replicas until it rejoins. */
  removeFromIsr(place: TopicPartition, brokerId: number): PartitionState {
    this.lifecycle.requireRunning();
    return this.rooms.leadership.removeFromIsr(place, brokerId);
  }

  /** Lets a follower back in: it cuts what was never its leader's, and fetches once. */
  async rejoin(place: TopicPartition, brokerId: number): Promise<Rejoined> {
    this.lifecycle.requireRunning();
    return this.rooms.leadership.rejoin(place, brokerId);
  }

  /** Flushes and closes what one broker has open; it serves no more, from this call on. See broker-life.ts. */
  async stopBroker(brokerId: number): Promise<BrokerLifeResult> {
    this.lifecycle.requireRunning();
    return this.rooms.life.stop(brokerId, () => this.lifecycle.requireRunning());
  }

  /** Opens a stopped broker's logs again. */
  async startBroker(brokerId: number): Promise<BrokerLifeResult> {
    this.lifecycle.requireRunning();
    return this.rooms.life.start(brokerId, () => this.lifecycle.requireRunning());
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
    this.lifecycle.on("crash");
    this.rooms.brokers.abandon();
    this.rooms.table.retireAll();
    await this.rooms.directory.release();
  }

  async #close(): Promise<void> {
    if (this.lifecycle.on("close") !== "closing") return;
    const { table, brokers, directory, topics, life } = this.rooms;
    table.retireAll();
    let clean = false;
    try {
      // A broker that is just stopping has its logs open still.
      await life.settled();
      await brokers.close((brokerId) => table.highWatermarksOf(brokerId, topics.catalogue));
      // It may have crashed meanwhile.
      clean = this.state === "closing";
    } finally {
      if (this.state === "closing") this.lifecycle.on(clean ? "close_done" : "close_failed");
      await directory.release();
      this.env.trace({ kind: "cluster_closed", clusterId: this.clusterId, clean });
    }
  }

  #plan(request: TopicRequest): Topic {
    this.lifecycle.requireRunning();
    const { topics, brokers } = this.rooms;
    const topicId = this.env.random.uuid();
    return planTopic(request, { catalogue: topics.catalogue, brokerIds: brokers.ids, topicId });
  }
}
