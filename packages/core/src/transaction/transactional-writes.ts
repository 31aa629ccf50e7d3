/**
 * What a transaction writes: batches to partitions, and a group's offsets.
 *
 * Invariants: the coordinator's log knows a partition, durably, before the partition's log has anything of the transaction; a
 * batch is appended in the instant in which the transaction is seen to be open; no partition becomes a part of it while remains of
 * another of the producer are open there (remains.ts).
 * Never: a batch behind the decision to end its transaction: a write keeps its turn until its batch is in the log.
 */
import { frameProblem, HEADER_BYTES, readBatchHeader } from "@minikafka/record";
import { unlessGivenUp, type Wait } from "../coordinator/give-up.ts";
import { BrokerError } from "../errors.ts";
import { LIMITS } from "../limits.ts";
import { requireOffsets } from "../offsets/commit-request.ts";
import { quoted } from "../quoted.ts";
import type { Appended } from "../replica/append-options.ts";
import { identityOf, isSame } from "../replica/producer-identity.ts";
import { partitionName, type TopicPartition } from "../replica/topic-partition.ts";
import type { OtherRooms } from "./other-rooms.ts";
import { type Remains, remainsAhead, remainsOf } from "./remains.ts";
import { requirePresent } from "./transaction-callers.ts";
import type { TransactionChanges } from "./transaction-changes.ts";
import type { TransactionKeeper } from "./transaction-keeper.ts";
import { invalidState, stillCompleting } from "./transaction-refusals.ts";
import {
  requireTransactionalId,
  type SendOffsetsRequest,
  type TransactionalAppendOptions,
  type TransactionCaller,
} from "./transaction-requests.ts";
import {
  hasPartition,
  isPrepared,
  type Transaction,
  type TransactionPartition,
} from "./transaction-state.ts";
import type { Turns } from "./turns.ts";

export interface TransactionalWritesParts {
  readonly changes: TransactionChanges;
  readonly turns: Turns;
  readonly rooms: OtherRooms;
}

/** A lane for each partition beside it; all offsets of a transaction have one. */
const OFFSETS_LANE = " offsets";

export class TransactionalWrites {
  readonly #changes: TransactionChanges;
  readonly #turns: Turns;
  readonly #rooms: OtherRooms;

  constructor({ changes, turns, rooms }: TransactionalWritesParts) {
    this.#changes = changes;
    this.#turns = turns;
    this.#rooms = rooms;
  }

  /**
   * Appends one batch of the transaction that its header names. It happens before this returns, unless the partition is new to
   * the transaction or somebody is before it. Resolves when it is in the log; `acknowledged` is what else to wait for. Rejects as
   * PartitionReplicaSet.append throws, with UNKNOWN_TRANSACTIONAL_ID, TRANSACTION_ABORTED, INVALID_TRANSACTION_STATE,
   * CONCURRENT_TRANSACTIONS, and REQUEST_TIMED_OUT when `giveUp` says so before: then it is not appended.
   */
  append(place: TopicPartition, frame: Buffer, options: TransactionalAppendOptions): Promise<Appended> {
    const { transactionalId, giveUp } = options;
    requireTransactionalId(transactionalId);
    const caller = { transactionalId, ...producerOf(frame) };
    const wait = giveUp === undefined ? {} : { giveUp };
    const write = { caller, place, frame, options };
    const lane = partitionName(place);
    return this.#turns.beside(transactionalId, lane, () => this.#appendInTurn(write, wait), wait);
  }

  /**
   * Makes a group's offsets a part of the transaction. Rejects as append() does, and as a commit of the group does. Kafka:
   * AddOffsetsToTxn, TxnOffsetCommit (KIP-98, KIP-447).
   */
  async sendOffsets(request: SendOffsetsRequest, wait: Wait = {}): Promise<void> {
    const { transactionalId, groupId, member, offsets } = request;
    requireTransactionalId(transactionalId);
    requireOffsets(offsets);
    const stage = async () => {
      await this.#requireOpen(request, wait);
      const place = await this.#rooms.partitionOf(groupId, wait);
      await this.#add(request, place, wait);
      const requireOngoing = () => this.#requireAdded(request, place);
      await this.#rooms.stage({ groupId, member, offsets }, { ...identityOf(request), requireOngoing }, wait);
    };
    await this.#turns.beside(transactionalId, OFFSETS_LANE, stage, wait);
  }

  /** Makes partitions a part of the open transaction, durably. Rejects as append() does. Kafka: AddPartitionsToTxn (KIP-98). */
  async addPartitions(
    caller: TransactionCaller,
    places: readonly TopicPartition[],
    wait: Wait = {},
  ): Promise<void> {
    const add = (place: TopicPartition) =>
      this.#turns.beside(
        caller.transactionalId,
        partitionName(place),
        () => this.#add(caller, this.#rooms.requirePartition(place), wait),
        wait,
      );
    await Promise.all(places.map(add));
  }

  /** The same for the partition that keeps a group's offsets. Kafka: AddOffsetsToTxn (KIP-98). */
  async addOffsets(caller: TransactionCaller, groupId: string, wait: Wait = {}): Promise<void> {
    const add = async () => this.#add(caller, await this.#rooms.partitionOf(groupId, wait), wait);
    await this.#turns.beside(caller.transactionalId, OFFSETS_LANE, add, wait);
  }

  #appendInTurn(write: Write, wait: Wait): Appended | Promise<Appended> {
    return this.#appendNow(write) ?? this.#appendLater(write, wait);
  }

  async #appendLater(write: Write, wait: Wait): Promise<Appended> {
    // What its partition would refuse need not be a part of the transaction.
    const refusal = frameRefusal(write.frame);
    if (refusal !== null) throw refusal;
    for (;;) {
      await this.#add(write.caller, this.#rooms.requirePartition(write.place), wait);
      wait.giveUp?.throwIfAborted();
      const appended = this.#appendNow(write);
      if (appended !== null) return appended;
    }
  }

  /** `null` while the partition is not a part of the transaction, durably. */
  #appendNow({ caller, place, frame, options }: Write): Appended | null {
    const partition = this.#rooms.requirePartition(place);
    const keeper = this.#keeper(caller.transactionalId);
    if (keeper === null) return null;
    try {
      if (!isAdded(keeper, caller, partition)) return null;
    } catch (problem) {
      // Of a frame that is damaged nobody knows whose it is.
      throw frameRefusal(frame) ?? problem;
    }
    return this.#rooms.append(place, frame, options);
  }

  async #add(caller: TransactionCaller, partition: TransactionPartition, wait: Wait): Promise<void> {
    for (;;) {
      const found: { remains: Remains | null } = { remains: null };
      await this.#changes.act(
        caller.transactionalId,
        (transaction) => {
          requireOngoing(transaction, caller);
          if (hasPartition(transaction, partition)) return null;
          found.remains = remainsOf(
            this.#rooms.producerIn(partition, caller.producerId),
            transaction,
            partition,
          );
          return found.remains === null ? { kind: "add_partition", partition } : null;
        },
        wait,
      );
      if (found.remains === null) return;
      await this.#endRemains(caller, partition, found.remains, wait);
    }
  }

  /** Ends them. Throws INVALID_TRANSACTION_STATE then, when the transaction cannot write there. */
  async #endRemains(
    caller: TransactionCaller,
    partition: TransactionPartition,
    { marker, isAhead }: Remains,
    wait: Wait,
  ): Promise<void> {
    const { transactionalId, producerId } = caller;
    if (marker !== null) {
      const coordinatorEpoch = this.#changes.topic.shardOf(transactionalId)?.leaderEpoch ?? 0;
      const ended = this.#rooms.endTransaction(partition, { producerId, coordinatorEpoch, ...marker });
      await unlessGivenUp(ended, wait, () => `the end of what ${partitionName(partition)} has open`);
    }
    if (!isAhead) return;
    throw remainsAhead(partition, caller, this.#rooms.producerIn(partition, producerId).lastEpoch);
  }

  async #requireOpen(caller: TransactionCaller, wait: Wait): Promise<void> {
    await this.#changes.act(
      caller.transactionalId,
      (transaction) => {
        requireOngoing(transaction, caller);
        return null;
      },
      wait,
    );
  }

  /** Throws LEADER_NOT_AVAILABLE besides, when the coordinator's partition has another leader since the partition was added. */
  #requireAdded(caller: TransactionCaller, partition: TransactionPartition): void {
    const keeper = this.#keeper(caller.transactionalId);
    if (keeper !== null && isAdded(keeper, caller, partition)) return;
    const message = `the coordinator of ${quoted(caller.transactionalId)} has moved; expected the same request again`;
    throw new BrokerError("LEADER_NOT_AVAILABLE", message);
  }

  /** The state as it is in this instant; `null` when it has to be loaded. */
  #keeper(transactionalId: string): TransactionKeeper | null {
    return this.#changes.topic.loaded(transactionalId)?.transaction ?? null;
  }
}

interface Write {
  readonly caller: TransactionCaller;
  readonly place: TopicPartition;
  readonly frame: Buffer;
  readonly options: TransactionalAppendOptions;
}

/**
 * Whether the open transaction of `caller` has the partition, durably. Throws when it is not open, or not the caller's; where that may
 * yet be lost, somebody has to ask for it (TransactionChanges).
 */
function isAdded(
  keeper: TransactionKeeper,
  caller: TransactionCaller,
  partition: TransactionPartition,
): boolean {
  const { transactionalId } = caller;
  const current = keeper.current(transactionalId);
  if (!isOpenFor(current, caller)) {
    if (!keeper.isAcknowledged(transactionalId)) return false;
    requireOngoing(current, caller);
  }
  const durable = keeper.committed(transactionalId);
  return isOpenFor(durable, caller) && hasPartition(durable, partition);
}

function isOpenFor(transaction: Transaction, caller: TransactionCaller): boolean {
  return transaction.state === "ongoing" && isSame(transaction, caller);
}

function requireOngoing(transaction: Transaction, caller: TransactionCaller): void {
  requirePresent(transaction, caller);
  if (transaction.state === "ongoing") return;
  throw isPrepared(transaction) ? stillCompleting(transaction) : invalidState(transaction, "write");
}

function producerOf(frame: Buffer): { readonly producerId: number; readonly producerEpoch: number } {
  if (frame.length < HEADER_BYTES) {
    const message = `the batch has ${frame.length} bytes; expected at least ${HEADER_BYTES}`;
    throw new BrokerError("CORRUPT_BATCH", message);
  }
  const { producerId, producerEpoch, transactional } = readBatchHeader(frame);
  if (transactional && producerId >= 0 && producerEpoch >= 0) return { producerId, producerEpoch };
  const refusal = frameRefusal(frame);
  if (refusal !== null) throw refusal;
  if (transactional) {
    const message = `the batch is of a transaction, and has producer id ${producerId} and epoch ${producerEpoch}; expected those that its producer was given when it started`;
    throw new BrokerError("INVALID_RECORD", message);
  }
  throw new BrokerError(
    "INVALID_REQUEST",
    "the batch is not transactional, and transactional_id stands beside it; expected a batch of a transaction",
  );
}

function frameRefusal(frame: Buffer): BrokerError | null {
  const problem = frameProblem(frame, 0, LIMITS.batchBytesMax);
  return problem === null ? null : new BrokerError("CORRUPT_BATCH", problem);
}
