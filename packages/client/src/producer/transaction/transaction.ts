/**
 * A transaction: records and offsets that count together, once it is committed, or never (KIP-98).
 *
 * Owns its state, and what was asked of it and has not come to an end. Invariants: it commits only when each of its sends was
 * acknowledged; an end that was asked for stands, and is asked for again until its outcome is known; nothing joins it after that.
 *
 *   open -> committing -> committed       what failed for good in between leaves it open, to be aborted
 *   open -> aborting   -> aborted         also after a commit of which nobody knows what became, unless it took effect
 *   open, committing -> aborted           the coordinator has said that it is over, whichever call it said it to
 */
import type { WritableStream } from "node:stream/web";
import { asMiniKafkaError, hasCode, isFateUnknown, type MiniKafkaError } from "../../errors.ts";
import { usageError } from "../../usage.ts";
import { requireWaitOptions, type WaitOptions, waitingFor } from "../../wait-options.ts";
import { untilAborted } from "../../waiting.ts";
import { type Delivery, ManyDelivery, type RecordMetadata, SingleDelivery } from "../delivery.ts";
import type { ProducerIdentity } from "../lane-sequences.ts";
import { noRecords, type Payload, type ProducedRecord } from "../produced-record.ts";
import type { RecordPipeline } from "../record-pipeline.ts";
import { recordSink, type WritableOptions, type WritableRecord } from "../record-sink.ts";
import type { CoordinatorCalls } from "./coordinator-calls.ts";
import { type OffsetSource, sendFrom } from "./offset-source.ts";
import {
  abortableError,
  abortedError,
  committedError,
  fatalError,
  notCommittedError,
  openError,
  saysItIsAborted,
  saysItIsOver,
} from "./transaction-errors.ts";
import type { TransactionalIdentity } from "./transactional-identity.ts";
import { WatchedDelivery } from "./watched-delivery.ts";

/** What a transaction needs of its producer. */
export interface TransactionHost {
  readonly pipeline: RecordPipeline;
  readonly identity: TransactionalIdentity;
  readonly calls: CoordinatorCalls;
}

/** How far a transaction is. */
export type TransactionStage = "open" | "committing" | "committed" | "aborting" | "aborted";

/** Made by `producer.beginTransaction()` and `producer.transaction()`. */
export class Transaction<K = Payload, V = Payload> implements AsyncDisposable {
  readonly #host: TransactionHost;
  readonly #own: ProducerIdentity;
  /** Offsets are not tried again once the transaction is being aborted, or its producer closes. */
  readonly #enough = new AbortController();
  readonly #offsets = new Set<Promise<unknown>>();
  #stage: TransactionStage = "open";
  #wasCommitAsked = false;
  /** The end that is under way. */
  #ending: Promise<void> | null = null;
  /** What the coordinator has ended it with, until it is aborted or another one begins. */
  #endedBy: MiniKafkaError | null = null;

  /** Of the identity with which it was begun. */
  constructor(host: TransactionHost, own: ProducerIdentity) {
    this.#host = host;
    this.#own = own;
  }

  /** How far it is. */
  get stage(): TransactionStage {
    return this.#stage;
  }

  /** Whether it is committed or aborted. */
  get isOver(): boolean {
    return this.#stage === "committed" || this.#stage === "aborted";
  }

  /** Why it can only be aborted, or the coordinator has aborted it; `null` while it may be committed, and once `abort` was called. */
  get failure(): MiniKafkaError | null {
    return this.isOver ? this.#endedBy : this.#host.identity.failure;
  }

  /** Whether its end is under way. */
  get isEnding(): boolean {
    return this.#ending !== null;
  }

  /**
   * As `send` of a producer that is idempotent. A record that fails for good is `abortable`: the transaction can only be aborted
   * then, which its commit says as well, so that nobody has to wait for each send. But BUFFER_FULL leaves it as it is: wait for
   * `producer.drain()` and send again. An abort ends the wait; the record stays a part of the transaction.
   */
  send(record: ProducedRecord<K, V>, options?: WaitOptions): Promise<RecordMetadata> {
    if (options !== undefined) return waitingFor("send", options, () => this.send(record));
    const delivery = new SingleDelivery();
    return (
      this.#deliver(delivery, (watched) => this.#host.pipeline.accept(record, watched)) ?? delivery.promise
    );
  }

  /** Sends several records for the price of one promise. All are accepted or none; then as `send`. */
  sendMany(records: readonly ProducedRecord<K, V>[], options?: WaitOptions): Promise<RecordMetadata[]> {
    if (options !== undefined) return waitingFor("sendMany", options, () => this.sendMany(records));
    if (!Array.isArray(records)) return Promise.reject(noRecords());
    if (records.length === 0) return Promise.resolve([]);
    const delivery = new ManyDelivery(records.length);
    return (
      this.#deliver(delivery, (watched) => this.#host.pipeline.acceptMany(records, watched)) ??
      delivery.promise
    );
  }

  /**
   * As `writable` of a producer: its close resolves when all are acknowledged, and commits nothing. What one of its records fails with
   * dooms the transaction, as with `send`.
   */
  writable(options: WritableOptions = {}): WritableStream<WritableRecord<K, V>> {
    const { pipeline } = this.#host;
    return recordSink(
      {
        accept: (record, delivery) => this.#accept(delivery, (watched) => pipeline.accept(record, watched)),
        whenHalfEmpty: () => pipeline.whenHalfEmpty(),
        flush: () => pipeline.flush(),
      },
      options,
    );
  }

  /**
   * Makes offsets of a group a part of the transaction: all positions of `consumer`, as its `commit()` would commit them, or what
   * is given by hand. They count when it commits. A consumer must not commit by itself (autoCommit false). Fails with what a commit
   * fails with, ILLEGAL_GENERATION and the like; the transaction can only be aborted then. An abort of `signal` ends the wait; the
   * offsets are on their way all the same, and the commit waits for them.
   */
  async sendOffsets(source: OffsetSource, options?: WaitOptions): Promise<void> {
    if (options !== undefined) return waitingFor("sendOffsets", options, () => this.sendOffsets(source));
    this.#requireOpen("sendOffsets");
    const { calls } = this.#host;
    const { signal } = this.#enough;
    const sent = sendFrom(source, {
      send: (groupId, committer, offsets) =>
        calls.sendOffsets(this.#own, groupId, committer, offsets, signal),
      retrying: (attempt) => calls.retrying(attempt, signal),
    });
    this.#offsets.add(sent);
    try {
      await sent;
    } catch (error) {
      throw hasCode(error, "USAGE") ? error : this.#failed(asMiniKafkaError(error));
    } finally {
      this.#offsets.delete(sent);
    }
  }

  /**
   * Sends what is left, then commits. Resolves when all of it is there for readers of committed records. Fails with an error that
   * says what to do: `abortable`, and nothing of it was committed; `fatal`; or `retriable`, which leaves it open whether it is
   * committed (`isFateUnknown`): call it again, or begin the next transaction, which asks again by itself. Does nothing when it is
   * committed already. An abort of `signal` ends the wait and not the commit, whose outcome another call of `commit` tells.
   */
  async commit(options: WaitOptions = {}): Promise<void> {
    requireWaitOptions("commit", options);
    const { signal } = options;
    signal?.throwIfAborted();
    if (this.#stage === "committed") return;
    if (this.#endedBy !== null) throw notCommittedError(this.#endedBy);
    const isOpen = this.#stage === "open" || this.#stage === "committing";
    if (!isOpen) throw this.#usage("commit");
    if (this.#ending === null) {
      this.#stage = "committing";
      this.#begin(this.#commit());
    }
    await untilAborted(this.#ending ?? Promise.resolve(), signal);
  }

  /**
   * Drops what was not sent yet, then aborts: nothing of the transaction is ever shown to readers of committed records. Its
   * sends that were not acknowledged fail with TRANSACTION_ABORTED. Does nothing when it is aborted already, as it is when its
   * time was over or a newer instance has come. Fails with a `retriable` error when the broker cannot be reached: call it again, or leave it to the next transaction or the broker's
   * timeout. After a commit whose answer was lost it fails with INVALID_TRANSACTION_STATE if that had taken effect. An abort of
   * `signal` ends the wait alone: with one that has aborted before the transaction is aborted all the same, and nobody waits for it.
   */
  async abort(options: WaitOptions = {}): Promise<void> {
    requireWaitOptions("abort", options);
    const { signal } = options;
    if (this.#stage === "aborted") {
      this.#dropRest();
      return;
    }
    if (this.#stage === "committed") throw this.#usage("abort");
    if (this.#stage === "committing" && this.#ending !== null) throw this.#usage("abort");
    if (this.#ending === null) {
      this.#stage = "aborting";
      this.#begin(this.#abort());
    }
    await untilAborted(this.#ending ?? Promise.resolve(), signal);
  }

  /** The producer closes: what fails now is not tried again. */
  stopRetrying(): void {
    this.#enough.abort();
  }

  /** Asks again for the end that was asked for and whose outcome is not known; an aborted one has nothing left then. */
  async finish(): Promise<void> {
    if (this.#stage === "committing") await this.commit();
    else await this.abort();
  }

  /** Aborts what is not committed. */
  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#stage !== "committed") await this.finish();
  }

  /** A promise that fails at once, `null` when the records are on their way. */
  #deliver(delivery: Delivery, accept: (watched: Delivery) => void): Promise<never> | null {
    try {
      this.#accept(delivery, accept);
      return null;
    } catch (error) {
      const told = Promise.reject(error);
      const isCommitted = this.#stage === "committing" || this.#stage === "committed";
      // Else the commit says it, or the abort has said it: nothing is missing in silence.
      if (!isCommitted && !hasCode(error, "BUFFER_FULL")) told.catch(() => {});
      return told;
    }
  }

  /** Throws what the records are refused with, which dooms the transaction while it is open; but BUFFER_FULL leaves it as it is. */
  #accept(delivery: Delivery, accept: (watched: Delivery) => void): void {
    try {
      this.#requireOpen("send");
      accept(new WatchedDelivery(delivery, (error) => this.#failed(error)));
    } catch (error) {
      const refused = asMiniKafkaError(error);
      throw this.#stage !== "open" || hasCode(refused, "BUFFER_FULL") ? refused : this.#failed(refused);
    }
  }

  #failed(error: MiniKafkaError): MiniKafkaError {
    const { identity } = this.#host;
    const known = abortableError(error);
    if (hasCode(known, "PRODUCER_FENCED")) identity.fence(known);
    if (this.#stage === "open" || this.#stage === "committing") identity.doom(known);
    // A commit that is under way says it.
    if (this.#stage === "open" && saysItIsAborted(known)) this.#isEndedBy(identity.failure ?? known);
    return known;
  }

  #begin(ending: Promise<void>): void {
    this.#ending = ending.finally(() => {
      this.#ending = null;
    });
    // Who asked for it waits for it, or has stopped waiting.
    this.#ending.catch(() => {});
  }

  async #commit(): Promise<void> {
    const { identity, calls, pipeline } = this.#host;
    const isAskedAgain = this.#wasCommitAsked;
    if (!isAskedAgain) {
      await Promise.allSettled(this.#offsets);
      await pipeline.flush().catch((error) => this.#failed(asMiniKafkaError(error)));
      const { failure } = identity;
      if (failure !== null) {
        if (saysItIsAborted(failure)) this.#isEndedBy(failure);
        else this.#stage = "open";
        throw notCommittedError(failure);
      }
    }
    this.#wasCommitAsked = true;
    try {
      identity.renew(await calls.end(this.#own, true));
      this.#stage = "committed";
    } catch (error) {
      throw this.#notCommitted(asMiniKafkaError(error), isAskedAgain);
    }
  }

  async #abort(): Promise<void> {
    const { identity, calls, pipeline } = this.#host;
    this.#enough.abort();
    pipeline.abandon(abortedError());
    try {
      identity.renew(await calls.end(this.#own, false));
      this.#stage = "aborted";
    } catch (error) {
      await this.#notAborted(asMiniKafkaError(error));
    }
  }

  /** The broker has aborted it, or never heard of it: a new epoch is all that is needed. */
  #isGone(): void {
    this.#host.identity.wearOut();
    this.#stage = "aborted";
  }

  /** It is gone, and the caller has not aborted it: it is told `reason` until it does. */
  #isEndedBy(reason: MiniKafkaError): void {
    this.#endedBy = reason;
    this.#enough.abort();
    this.#isGone();
  }

  /** What is left of one that the coordinator has ended. */
  #dropRest(): void {
    if (this.#endedBy === null) return;
    this.#endedBy = null;
    this.#host.pipeline.abandon(abortedError());
  }

  /** What the caller is told about a commit that failed with `error`. */
  #notCommitted(error: MiniKafkaError, isAskedAgain: boolean): MiniKafkaError {
    const isFenced = hasCode(error, "PRODUCER_FENCED");
    if (isFenced) this.#host.identity.fence(error);
    // A newer instance may have come after a commit whose answer was lost: nobody knows then.
    const isInDoubt = isAskedAgain || isFateUnknown(error);
    if (isFenced ? !isInDoubt : hasCode(error, "TRANSACTION_ABORTED", "INVALID_TRANSACTION_STATE")) {
      const known = abortableError(error);
      this.#isEndedBy(known);
      return known;
    }
    return openError(isFenced || error.retriable ? error : fatalError(error));
  }

  /** The abort failed with `error`: returns when it is aborted all the same. */
  async #notAborted(error: MiniKafkaError): Promise<void> {
    const isFenced = hasCode(error, "PRODUCER_FENCED");
    if (isFenced) this.#host.identity.fence(error);
    const isOver = isFenced || saysItIsOver(error);
    if (!isOver) throw error.retriable ? error : fatalError(error);
    if (!this.#wasCommitAsked) this.#isGone();
    else if (isFenced) throw openError(error);
    else if (hasCode(error, "INVALID_TRANSACTION_STATE")) await this.#foundCommitted(error);
    else this.#isGone();
  }

  async #foundCommitted(cause: MiniKafkaError): Promise<never> {
    this.#stage = "committing";
    await this.#commit();
    throw committedError(cause);
  }

  #requireOpen(what: string): void {
    if (this.#endedBy !== null) throw this.#endedBy;
    if (this.#stage !== "open") throw this.#usage(what);
    const { failure } = this.#host.identity;
    if (failure !== null) throw failure;
  }

  #usage(what: string): MiniKafkaError {
    const isEnding = this.#ending !== null;
    const how = isEnding ? `is still ${this.#stage}; wait for that` : `is ${this.#stage}`;
    return usageError(
      `${what}: the transaction ${how}${isEnding ? ", then" : ";"} begin another one for more`,
    );
  }
}
