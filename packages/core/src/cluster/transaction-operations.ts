/**
 * What a cluster does for transactions: the door to their rooms, which it puts together with the cluster's own.
 *
 * Invariant: answered only while running.
 */
import { CoordinatorTopic } from "../coordinator/coordinator-topic.ts";
import type { Wait } from "../coordinator/give-up.ts";
import { knownShards, type Loaded, tellingLoads } from "../coordinator/known-shards.ts";
import type { Env } from "../env/env.ts";
import type { AppendResult } from "../replica/append-options.ts";
import type { ProducerIdentity } from "../replica/producer-identity.ts";
import type { TopicPartition } from "../replica/topic-partition.ts";
import { Completion } from "../transaction/completion.ts";
import { tellingDecision } from "../transaction/end-decided.ts";
import { endHangingTransactions, type RepairedTransaction } from "../transaction/hanging-transactions.ts";
import type { OtherRooms } from "../transaction/other-rooms.ts";
import { TransactionChanges } from "../transaction/transaction-changes.ts";
import { TransactionCoordinator, type TransactionParts } from "../transaction/transaction-coordinator.ts";
import { type ExpiredTransactions, expireTransactions } from "../transaction/transaction-expiry.ts";
import { TransactionKeeper, type TransactionKinds } from "../transaction/transaction-keeper.ts";
import {
  type AbortOptions,
  type EndRequest,
  type InitRequest,
  requireTransactionalId,
  type SendOffsetsRequest,
  type TransactionalAppendOptions,
  type TransactionCaller,
} from "../transaction/transaction-requests.ts";
import { isPrepared, type LivingState, type Transaction } from "../transaction/transaction-state.ts";
import {
  describeTransaction,
  listTransactions,
  listTransactionsNow,
  type TransactionDescription,
  type TransactionListing,
  type TransactionListings,
} from "../transaction/transaction-views.ts";
import { TransactionalWrites } from "../transaction/transactional-writes.ts";
import { Turns } from "../transaction/turns.ts";
import type { ResolvedConfig } from "./config.ts";
import { type ForetoldTransactions, foretoldTransactions } from "./foretold-transactions.ts";
import type { GroupOperations } from "./group-operations.ts";
import { openInternalTopic } from "./internal-topic.ts";
import { INTERNAL_TOPIC_CONFIG, OFFSETS_TOPIC, TRANSACTIONS_TOPIC } from "./internal-topics.ts";
import type { Lifecycle } from "./lifecycle.ts";
import { type TransactionRoomsParts, transactionRooms } from "./transaction-rooms.ts";
import type { TransactionalProducers } from "./transactional-producers.ts";

/** What the step has done. */
export interface TendedTransactions extends ExpiredTransactions, Loaded {
  /** Open in a partition's log, and known to no coordinator. */
  readonly repaired: readonly RepairedTransaction[];
}

export class TransactionOperations {
  readonly #lifecycle: Lifecycle;
  readonly #config: ResolvedConfig;
  readonly #env: Env;
  readonly #topic: CoordinatorTopic<TransactionKinds>;
  readonly #parts: TransactionParts;
  readonly #coordinator: TransactionCoordinator;
  readonly #writes: TransactionalWrites;
  readonly #rooms: OtherRooms;
  readonly #producers: TransactionalProducers;
  readonly #groups: GroupOperations;

  constructor(parts: TransactionRoomsParts, env: Env) {
    const { config, lifecycle } = parts;
    const rooms = transactionRooms(parts);
    const request = {
      topic: TRANSACTIONS_TOPIC,
      partitions: config.transactionsTopicPartitions,
      config: INTERNAL_TOPIC_CONFIG,
    };
    this.#lifecycle = lifecycle;
    this.#config = config;
    this.#env = env;
    this.#rooms = rooms;
    this.#groups = parts.groups;
    this.#producers = parts.producerIds.transactional;
    this.#topic = new CoordinatorTopic<TransactionKinds>(
      {
        ...openInternalTopic(parts, request, env),
        newKinds: () => ({ transaction: new TransactionKeeper(rooms, env.clock) }),
        onLoaded: (kinds) => this.#takeUp(kinds),
      },
      env,
    );
    const changes = new TransactionChanges({ topic: this.#topic, ...rooms }, env);
    const turns = new Turns();
    this.#parts = { changes, turns, completion: new Completion(changes, rooms, env) };
    this.#coordinator = new TransactionCoordinator(this.#parts, config);
    this.#writes = new TransactionalWrites({ changes, turns, rooms });
  }

  /** See TransactionCoordinator.init. Rejects with SHUTTING_DOWN besides, as all of these. */
  async init(request: InitRequest, wait?: Wait): Promise<ProducerIdentity> {
    this.#lifecycle.requireRunning();
    return this.#coordinator.init(request, wait);
  }

  /** See TransactionCoordinator.begin. */
  async begin(transaction: TransactionCaller, wait?: Wait): Promise<void> {
    this.#lifecycle.requireRunning();
    await this.#coordinator.begin(transaction, wait);
  }

  /**
   * Opens a transaction of the producer's where none is, and makes the partitions a part of it. Rejects as TransactionalWrites.append.
   * Kafka: AddPartitionsToTxn, as it was before KIP-890.
   */
  async addPartitions(
    caller: TransactionCaller,
    places: readonly TopicPartition[],
    wait?: Wait,
  ): Promise<void> {
    this.#lifecycle.requireRunning();
    await this.#coordinator.beginIfNone(caller, wait);
    await this.#writes.addPartitions(caller, places, wait);
  }

  /** The same for the partition that keeps a group's offsets. Kafka: AddOffsetsToTxn. */
  async addOffsets(caller: TransactionCaller, groupId: string, wait?: Wait): Promise<void> {
    this.#lifecycle.requireRunning();
    await this.#coordinator.beginIfNone(caller, wait);
    await this.#writes.addOffsets(caller, groupId, wait);
  }

  /** See TransactionalWrites.append; resolves when the batch is acknowledged by all that are in sync. */
  async append(
    place: TopicPartition,
    frame: Buffer,
    options: TransactionalAppendOptions,
  ): Promise<AppendResult> {
    this.#lifecycle.requireRunning();
    const { acknowledged, ...appended } = await this.#writes.append(place, frame, options);
    await acknowledged;
    return appended;
  }

  /** See TransactionalWrites.sendOffsets. */
  async sendOffsets(request: SendOffsetsRequest, wait?: Wait): Promise<void> {
    this.#lifecycle.requireRunning();
    await this.#writes.sendOffsets(request, wait);
  }

  /** See TransactionCoordinator.end. What fails behind the decision says so, as tellingDecision() in end-decided.ts. */
  async end(request: EndRequest, wait?: Wait): Promise<ProducerIdentity> {
    this.#lifecycle.requireRunning();
    const { transactionalId, commit } = request;
    return this.#coordinator.end(request, wait).catch((problem: unknown) => {
      throw tellingDecision(problem, this.#durable(transactionalId), { producer: request, commit });
    });
  }

  /** See TransactionCoordinator.abort. What fails behind the decision says so, as end() does. */
  async abort(transactionalId: string, options?: AbortOptions): Promise<boolean> {
    this.#lifecycle.requireRunning();
    return this.#coordinator.abort(transactionalId, options).catch((problem: unknown) => {
      throw tellingDecision(problem, this.#durable(transactionalId));
    });
  }

  /** See describeTransaction() in transaction-views.ts. */
  async describe(transactionalId: string, wait?: Wait): Promise<TransactionDescription> {
    this.#lifecycle.requireRunning();
    return describeTransaction(this.#topic, { transactionalId, topicIdOf: this.#rooms.topicIdOf }, wait);
  }

  /** See listTransactions() in transaction-views.ts. */
  async list(
    request: { readonly states?: readonly LivingState[] | undefined } = {},
    wait?: Wait,
  ): Promise<TransactionListings> {
    this.#lifecycle.requireRunning();
    return listTransactions(this.#topic, request, wait);
  }

  /** See listTransactionsNow() in transaction-views.ts. */
  listNow(): TransactionListing[] {
    this.#lifecycle.requireRunning();
    return listTransactionsNow(this.#topic);
  }

  /** As GroupOperations.unloadedNow(), of transactional ids. */
  unloadedNow(): readonly number[] {
    this.#lifecycle.requireRunning();
    return knownShards(this.#topic).unloaded;
  }

  /**
   * The broker that coordinates a transactional id. The internal topic is made where there is none. Rejects with INVALID_REQUEST for
   * what can be none, LEADER_NOT_AVAILABLE, and as the creation of a topic does. Kafka: FindCoordinator.
   */
  async coordinatorOf(transactionalId: string, wait?: Wait): Promise<number> {
    this.#lifecycle.requireRunning();
    requireTransactionalId(transactionalId);
    return this.#topic.coordinatorOf(transactionalId, wait);
  }

  /** See CoordinatorTopic.coordinatorNow. */
  coordinatorNow(transactionalId: string): number | null {
    this.#lifecycle.requireRunning();
    return this.#topic.coordinatorNow(transactionalId);
  }

  /** Whose producer id it is; `null` when no transactional id that is known has it, or its coordinator's partition cannot be read. */
  idOf(producerId: number): string | null {
    return this.#producers.idOf(producerId);
  }

  /** The step. See expireTransactions() in transaction-expiry.ts, and endHangingTransactions(). */
  async expire(wait?: Wait): Promise<TendedTransactions> {
    this.#lifecycle.requireRunning();
    const world = { config: this.#config, clock: this.#env.clock };
    const { changes } = this.#parts;
    // Those of groups that have something open must be in memory as well.
    const { loads } = this.foretold().would;
    const tended = await tellingLoads(this.#topic, async () => ({
      ...(await expireTransactions(this.#parts, world, wait)),
      repaired: await endHangingTransactions({ changes, rooms: this.#rooms }, this.#env, wait),
    }));
    const ofGroups = loads.filter(
      ({ topic, partition }) => topic === OFFSETS_TOPIC && this.#groups.isLoaded(partition),
    );
    return { ...tended, loaded: [...tended.loaded, ...ofGroups] };
  }

  /** What the step would do now, and when. See foretold-transactions.ts. */
  foretold(): ForetoldTransactions {
    const { changes, completion } = this.#parts;
    const parts = { changes, completion, rooms: this.#rooms, topic: this.#topic, groups: this.#groups };
    return foretoldTransactions(parts, { config: this.#config, clock: this.#env.clock });
  }

  /** Brings what is known into memory, so that ends which were decided before are completed: without waiting, when opening. */
  resume(): void {
    for (const shard of this.#topic.shards()) this.#parts.completion.inBackground(shard.read(() => {}));
  }

  /** Resolves when no end is being completed any more. Rejects with what no refusal of the world is. */
  settled(): Promise<void> {
    return this.#parts.completion.settled();
  }

  /** `null` while it has to be loaded. */
  #durable(transactionalId: string): Transaction | null {
    return this.#topic.loaded(transactionalId)?.transaction.committed(transactionalId) ?? null;
  }

  #takeUp({ transaction: keeper }: TransactionKinds): void {
    for (const transaction of keeper.allCurrent())
      if (isPrepared(transaction)) this.#parts.completion.takeUp(transaction.transactionalId);
  }
}
