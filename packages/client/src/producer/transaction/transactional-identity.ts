/**
 * As whom a transactional producer sends (KIP-98): one producer id, and an epoch for each transaction (KIP-890).
 *
 * Owns the identity that the coordinator gave last, whether a transaction of it is open, and why the open one can only be
 * aborted. Invariants: batches get a sequence only while a transaction is open that may be committed; in each epoch sequences
 * begin at 0; a batch that failed never gets another sequence, since its transaction is to be aborted.
 *
 *   none -> idle     the coordinator gave it          idle -> open     a transaction was begun
 *   open -> doomed   something of it failed           open, doomed -> idle, or stale where only a new epoch helps
 *   any  -> fenced   a newer instance is at work; for good
 */
import type { MiniKafkaError } from "../../errors.ts";
import type { IdempotentVerdict } from "../idempotent-verdict.ts";
import type { ProducerIdentity } from "../lane-sequences.ts";
import type { PartitionLane } from "../partition-lane.ts";
import type { SequenceKeeper, SequenceListener } from "../sequence-keeper.ts";

export class TransactionalIdentity implements SequenceKeeper {
  readonly isTransactional = true;
  readonly #listener: SequenceListener;
  readonly #lanes = new Set<PartitionLane>();
  #current: ProducerIdentity | null = null;
  #isStale = true;
  #isOpen = false;
  #failure: MiniKafkaError | null = null;
  #fencing: MiniKafkaError | null = null;
  #mayRetry = true;

  constructor(listener: SequenceListener) {
    this.#listener = listener;
  }

  /** What batches are sent as. */
  get identity(): ProducerIdentity | null {
    return this.#isOpen && this.#failure === null && this.#fencing === null ? this.#current : null;
  }

  /** What the coordinator gave last, for whatever is asked of it. */
  get current(): ProducerIdentity | null {
    return this.#current;
  }

  /** Whether a new one has to be asked for before a transaction can be begun. */
  get isStale(): boolean {
    return this.#isStale;
  }

  /** Why the open transaction can only be aborted; `null` while it may be committed. */
  get failure(): MiniKafkaError | null {
    return this.#fencing ?? this.#failure;
  }

  /** `null` while no newer instance is known. */
  get fencing(): MiniKafkaError | null {
    return this.#fencing;
  }

  /** The coordinator's answer, with which the next transaction is begun. */
  renew(identity: ProducerIdentity): void {
    this.#isOpen = false;
    this.#current = identity;
    this.#isStale = false;
  }

  /** No transaction is open any more, and this identity has no other. */
  wearOut(): void {
    this.#isOpen = false;
    this.#isStale = true;
  }

  /** A transaction was begun. */
  open(): void {
    this.#failure = null;
    this.#isOpen = true;
    for (const lane of this.#lanes) lane.restart();
  }

  /** Something of the open transaction failed for good. The first reason counts. */
  doom(error: MiniKafkaError): void {
    if (!this.#isOpen || this.failure !== null) return;
    this.#failure = error;
    this.#failWaiting(error);
  }

  visit(lane: PartitionLane): void {
    this.#lanes.add(lane);
    if (this.failure !== null) this.#listener.failWaiting(lane, this.failure);
  }

  judge(verdict: IdempotentVerdict): IdempotentVerdict {
    if (verdict === "fenced" || verdict === "fail") return verdict;
    const mayGoOn = this.identity !== null && this.#mayRetry;
    return mayGoOn && verdict !== "renew" ? verdict : "fail";
  }

  /** The records' deliveries say that they failed; the epoch ends with the transaction. */
  endEpoch(): void {}

  fence(error: MiniKafkaError): void {
    if (this.#fencing !== null) return;
    this.#fencing = error;
    this.#failWaiting(error);
  }

  stopRetrying(): void {
    this.#mayRetry = false;
  }

  close(): void {}

  #failWaiting(error: MiniKafkaError): void {
    for (const lane of this.#lanes) this.#listener.failWaiting(lane, error);
  }
}
