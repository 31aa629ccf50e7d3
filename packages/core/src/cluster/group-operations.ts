/**
 * What a cluster does for groups: the door to their rooms, which it puts together with the cluster's own.
 *
 * Invariant: answered only while running.
 */
import { CoordinatorTopic } from "../coordinator/coordinator-topic.ts";
import type { Wait } from "../coordinator/give-up.ts";
import { knownShards } from "../coordinator/known-shards.ts";
import type { Env } from "../env/env.ts";
import { ClassicChanges, ofCoordinator } from "../group/classic/classic-changes.ts";
import { ClassicCoordinator } from "../group/classic/classic-coordinator.ts";
import { GroupChanges } from "../group/group-changes.ts";
import { GroupCoordinator } from "../group/group-coordinator.ts";
import type { GroupDescription, GroupListing, GroupListings } from "../group/group-description.ts";
import type { ExpiredMember } from "../group/group-events.ts";
import { type GroupKinds, newGroupKinds } from "../group/group-kinds.ts";
import { deleteGroup } from "../group/group-removal.ts";
import {
  type HeartbeatRequest,
  type JoinRequest,
  type JoinView,
  type MemberRequest,
  type MemberView,
  requireGroupId,
} from "../group/group-requests.ts";
import { groupRules } from "../group/group-rules.ts";
import { GroupViews } from "../group/group-views.ts";
import { type DeletedOffset, deleteOffsets, type OffsetDeletion } from "../group/offset-deletion.ts";
import type { CommitRequest } from "../offsets/commit-request.ts";
import {
  type CommittedOffset,
  CommittedOffsets,
  type CommittedRequest,
  type StagingTransaction,
} from "../offsets/committed-offsets.ts";
import { type ForgottenOffset, OffsetExpiry } from "../offsets/offset-forgetting.ts";
import { endInPartition } from "../offsets/transaction-outcome.ts";
import type { TopicPartition } from "../replica/topic-partition.ts";
import type { MarkerResult, TransactionEnd } from "../replica/transaction-end.ts";
import { ClassicGroupOperations } from "./classic-group-operations.ts";
import type { ResolvedConfig } from "./config.ts";
import { type ForetoldGroups, foretoldGroups } from "./foretold-groups.ts";
import { type GroupUpkeepParts, tendMembers, tendOffsets } from "./group-upkeep.ts";
import { type InternalTopicParts, openInternalTopic } from "./internal-topic.ts";
import { INTERNAL_TOPIC_CONFIG, OFFSETS_TOPIC } from "./internal-topics.ts";
import type { Lifecycle } from "./lifecycle.ts";
import type { TopicCatalogue } from "./topics.ts";

export class GroupOperations {
  readonly #lifecycle: Lifecycle;
  readonly #config: ResolvedConfig;
  readonly #env: Env;
  readonly #topic: CoordinatorTopic<GroupKinds>;
  readonly #offsets: CommittedOffsets<GroupKinds>;
  readonly #expiry: OffsetExpiry<GroupKinds>;
  readonly #changes: GroupChanges;
  readonly #coordinator: GroupCoordinator;
  readonly #views: GroupViews;
  readonly #classicChanges: ClassicChanges;
  /** What is done for members of classic groups, which Kafka's clients are. */
  readonly classic: ClassicGroupOperations;

  constructor(parts: InternalTopicParts, env: Env) {
    const { config, topics, lifecycle } = parts;
    const { offsetsTopicPartitions: partitions, offsetsRetentionMs: retentionMs, rebalance } = config;
    const topic = new CoordinatorTopic<GroupKinds>(
      {
        ...openInternalTopic(parts, { topic: OFFSETS_TOPIC, partitions, config: INTERNAL_TOPIC_CONFIG }, env),
        newKinds: () => newGroupKinds(env.clock),
        onLeft: ({ group }, problem) => group.classic.abandon(ofCoordinator(problem)),
      },
      env,
    );
    const topicOf = topicLookup(topics.catalogue);
    const offsets = { topic, topicOf, rules: groupRules(topicOf) };
    this.#lifecycle = lifecycle;
    this.#topic = topic;
    this.#config = config;
    this.#env = env;
    this.#offsets = new CommittedOffsets(offsets, env);
    this.#expiry = new OffsetExpiry(offsets, { retentionMs }, env);
    this.#changes = new GroupChanges({ topic, topicOf, rebalance }, env);
    this.#coordinator = new GroupCoordinator(this.#changes, config);
    this.#classicChanges = new ClassicChanges({ topic, config }, env);
    const coordinator = new ClassicCoordinator(this.#classicChanges, config, env);
    this.classic = new ClassicGroupOperations(lifecycle, coordinator);
    this.#views = new GroupViews({ topic, rebalance });
  }

  /** See GroupCoordinator.join. Rejects with SHUTTING_DOWN besides, as all of these. */
  async join(request: JoinRequest, wait?: Wait): Promise<JoinView> {
    this.#lifecycle.requireRunning();
    return this.#coordinator.join(request, wait);
  }

  /** See GroupCoordinator.heartbeat. */
  async heartbeat(request: HeartbeatRequest, wait?: Wait): Promise<MemberView> {
    this.#lifecycle.requireRunning();
    return this.#coordinator.heartbeat(request, wait);
  }

  /** See GroupCoordinator.assignment. */
  async assignment(request: MemberRequest, wait?: Wait): Promise<MemberView> {
    this.#lifecycle.requireRunning();
    return this.#coordinator.assignment(request, wait);
  }

  /** See GroupCoordinator.leave. */
  async leave(request: MemberRequest, wait?: Wait): Promise<{ readonly generation: number }> {
    this.#lifecycle.requireRunning();
    return this.#coordinator.leave(request, wait);
  }

  /** See CommittedOffsets.commit. */
  async commit(request: CommitRequest, wait?: Wait): Promise<void> {
    this.#lifecycle.requireRunning();
    requireGroupId(request.groupId);
    await this.#offsets.commit(request, wait);
  }

  /** See CommittedOffsets.committed. */
  async committed(request: CommittedRequest, wait?: Wait): Promise<CommittedOffset[]> {
    this.#lifecycle.requireRunning();
    requireGroupId(request.groupId);
    return this.#offsets.committed(request, wait);
  }

  /** See CommittedOffsets.stage. The transaction must have partitionOf() the group already. */
  async stage(request: CommitRequest, transaction: StagingTransaction, wait?: Wait): Promise<void> {
    this.#lifecycle.requireRunning();
    requireGroupId(request.groupId);
    await this.#offsets.stage(request, transaction, wait);
  }

  /** The partition that keeps a group's offsets. Its topic is made when there is none: for a transaction that is about to write. */
  async partitionOf(groupId: string, wait?: Wait): Promise<TopicPartition> {
    this.#lifecycle.requireRunning();
    requireGroupId(groupId);
    return { topic: OFFSETS_TOPIC, partition: await this.#topic.partitionOf(groupId, wait) };
  }

  /**
   * The broker that a group's members have to ask. The internal topic is made where there is none. Rejects with LEADER_NOT_AVAILABLE,
   * and as the creation of a topic does. Kafka: FindCoordinator.
   */
  async coordinatorOf(groupId: string, wait?: Wait): Promise<number> {
    this.#lifecycle.requireRunning();
    requireGroupId(groupId);
    return this.#topic.coordinatorOf(groupId, wait);
  }

  /** See CoordinatorTopic.coordinatorNow. */
  coordinatorNow(groupId: string): number | null {
    this.#lifecycle.requireRunning();
    return this.#topic.coordinatorNow(groupId);
  }

  /** See CoordinatorShard.endTransaction. Everything that ends in a partition of groups must come this way: it has a state to keep. */
  async endTransaction(
    { partition }: TopicPartition,
    end: TransactionEnd,
    wait?: Wait,
  ): Promise<MarkerResult> {
    this.#lifecycle.requireRunning();
    return endInPartition(this.#topic, { ...end, partition }, this.#env, wait);
  }

  /** Brings a partition of groups into memory. Rejects as CoordinatorShard.read. */
  async load(partition: number, wait?: Wait): Promise<void> {
    await this.#topic.shards()[partition]?.read(() => {}, wait);
  }

  /** Whether it is there in this instant, so that endTransaction() acts within its call. */
  isLoaded(partition: number): boolean {
    const shard = this.#topic.shards()[partition];
    return shard !== undefined && shard.coordinatorId !== null && shard.loaded !== null;
  }

  /** See GroupViews.list. */
  async list(wait?: Wait): Promise<GroupListings> {
    this.#lifecycle.requireRunning();
    return this.#views.list(wait);
  }

  /** See GroupViews.describe. */
  async describe(groupId: string, wait?: Wait): Promise<GroupDescription> {
    this.#lifecycle.requireRunning();
    return this.#views.describe(groupId, wait);
  }

  /** See GroupViews.listNow, for who looks on from within the process. */
  listNow(): GroupListing[] {
    this.#lifecycle.requireRunning();
    return this.#views.listNow();
  }

  /** Partitions of the internal topic that somebody leads and whose groups are not in memory in this instant, so that nothing tells of them. */
  unloadedNow(): readonly number[] {
    this.#lifecycle.requireRunning();
    return knownShards(this.#topic).unloaded;
  }

  /** A group as GroupViews.describeNow has it, with what CommittedOffsets.committedNow tells of it. */
  describeNow(groupId: string): { group: GroupDescription | null; committed: readonly CommittedOffset[] } {
    this.#lifecycle.requireRunning();
    return { group: this.#views.describeNow(groupId), committed: this.#offsets.committedNow(groupId) };
  }

  /** See deleteGroup() in group-removal.ts. */
  async delete(groupId: string, wait?: Wait): Promise<void> {
    this.#lifecycle.requireRunning();
    await deleteGroup(this.#changes, groupId, wait);
  }

  /** See deleteOffsets() in offset-deletion.ts. */
  async deleteOffsets(request: OffsetDeletion, wait?: Wait): Promise<DeletedOffset[]> {
    this.#lifecycle.requireRunning();
    const { topic, topicOf } = this.#changes.parts;
    return deleteOffsets({ topic, topicOf }, request, this.#env, wait);
  }

  /** The step, for who asks only whom it has expired. */
  async expireMembers(wait?: Wait): Promise<readonly ExpiredMember[]> {
    return (await this.tendMembers(wait)).expired;
  }

  /** The step, with all that it did. See group-upkeep.ts. */
  async tendMembers(wait?: Wait): ReturnType<typeof tendMembers> {
    this.#lifecycle.requireRunning();
    return tendMembers(this.#upkeep, wait);
  }

  get #upkeep(): GroupUpkeepParts {
    const changes = { consumer: this.#changes, classic: this.#classicChanges };
    const { offsetsRetentionMs: retentionMs } = this.#config;
    return { topic: this.#topic, changes, expiry: this.#expiry, retentionMs };
  }

  /** What both steps would do now, and when. See foretold-groups.ts. */
  foretold(): ForetoldGroups {
    const { offsetsRetentionMs: retentionMs } = this.#config;
    const { clock } = this.#env;
    const { parts: groups } = this.#changes;
    const { world } = this.#classicChanges;
    return foretoldGroups({ groups, world, expiry: this.#expiry, retentionMs, clock });
  }

  /** The step, for who asks only which offsets it has forgotten. */
  async expireOffsets(): Promise<readonly ForgottenOffset[]> {
    return (await this.tendOffsets()).expired;
  }

  /** The step, with all that it did. See group-upkeep.ts. */
  async tendOffsets(): ReturnType<typeof tendOffsets> {
    this.#lifecycle.requireRunning();
    return tendOffsets(this.#upkeep, this.#env);
  }
}

function topicLookup(catalogue: TopicCatalogue) {
  return (name: string) => {
    const topic = catalogue.get(name);
    return topic === undefined ? null : { topicId: topic.topicId, partitions: topic.partitions.length };
  };
}
