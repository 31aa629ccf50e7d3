/**
 * Sends records (Kafka: KafkaProducer).
 *
 * Order: records of one partition are appended in the order of their sends, retries included, while one batch of a
 * partition is in flight (the default), or while the producer is idempotent. Different partitions go side by side.
 * Once: an idempotent producer's record that is acknowledged is there once, whatever broke on the way.
 * All or none: what a transactional producer sends in one transaction is shown to readers of committed records together.
 */
import type { WritableStream } from "node:stream/web";
import { requireCallOptions } from "../client-options.ts";
import { LIMITS } from "../limits.ts";
import type { Closable, CloseOptions, Session } from "../session.ts";
import { usageError } from "../usage.ts";
import { requireWaitOptions, type WaitOptions, waitingFor } from "../wait-options.ts";
import { hurriedBy } from "../waiting.ts";
import { ManyDelivery, type RecordMetadata, SingleDelivery } from "./delivery.ts";
import { producerClosedError } from "./delivery-errors.ts";
import { Idempotence } from "./idempotence.ts";
import { noRecords, type Payload, type ProducedRecord } from "./produced-record.ts";
import { type ProducerOptions, type ProducerSettings, producerSettings } from "./producer-options.ts";
import { RecordPipeline } from "./record-pipeline.ts";
import { recordSink, type WritableOptions, type WritableRecord } from "./record-sink.ts";
import type { KeeperOf } from "./sequence-keeper.ts";
import type { Transaction } from "./transaction/transaction.ts";
import { Transactions } from "./transaction/transactions.ts";

/** A producer whose records have keys of type `K` and values of type `V`: text or bytes, or what its serializers take. */
export class Producer<K = Payload, V = Payload> implements Closable, AsyncDisposable {
  readonly #session: Session;
  readonly #pipeline: RecordPipeline;
  /** `null`: the producer is not transactional. */
  readonly #transactions: Transactions | null;
  readonly #forget: () => void;
  #closing: Promise<void> | null = null;

  /** Throws USAGE for options that don't fit together. */
  constructor(session: Session, options: ProducerOptions<K, V> = {}) {
    this.#session = session;
    const settings = producerSettings(options, session);
    const { transactions } = settings;
    this.#transactions = transactions === null ? null : new Transactions(session, settings, transactions);
    this.#pipeline =
      this.#transactions?.pipeline ?? new RecordPipeline(session, settings, keeperOf(session, settings));
    this.#forget = session.own(this);
  }

  /** What is accepted and not acknowledged. */
  get buffered(): { readonly records: number; readonly bytes: number } {
    return this.#pipeline.buffered;
  }

  /**
   * Resolves when the broker has acknowledged the record as `acks` asks. Fails with the broker's error, with BUFFER_FULL,
   * RECORD_TOO_LARGE, SERIALIZATION, CONNECTION, TIMEOUT, CLOSED or USAGE; after an error for which `isFateUnknown` holds the record may be
   * there all the same. A transactional producer sends within a transaction only. An abort of `signal` ends the wait: what was
   * accepted goes on its way and may be there; with one that has aborted before nothing is accepted.
   */
  send(record: ProducedRecord<K, V>, options?: WaitOptions): Promise<RecordMetadata> {
    // Most sends have none, and are to cost no more than before.
    if (options !== undefined) return waitingFor("send", options, () => this.send(record));
    const delivery = new SingleDelivery();
    try {
      this.#requirePlain("send");
      this.#pipeline.accept(record, delivery);
    } catch (error) {
      return Promise.reject(error);
    }
    return delivery.promise;
  }

  /**
   * Sends several records for the price of one promise. All are accepted or none (BUFFER_FULL, USAGE …); then each goes its
   * way. Resolves when all are acknowledged, in their order; fails with the first failure once all are settled, its details
   * saying how many `failed`. An abort of `signal` means what it means for `send`, for all of them.
   */
  sendMany(records: readonly ProducedRecord<K, V>[], options?: WaitOptions): Promise<RecordMetadata[]> {
    if (options !== undefined) return waitingFor("sendMany", options, () => this.sendMany(records));
    if (!Array.isArray(records)) return Promise.reject(noRecords());
    if (records.length === 0) return Promise.resolve([]);
    const delivery = new ManyDelivery(records.length);
    try {
      this.#requirePlain("sendMany");
      this.#pipeline.acceptMany(records, delivery);
    } catch (error) {
      return Promise.reject(error);
    }
    return delivery.promise;
  }

  /**
   * Runs `work` in a transaction, and resolves with what it returns when that is committed. When it throws, or `signal` aborts
   * before the commit is asked for, the transaction is aborted and the same error thrown. Other errors say what to do: after an
   * `abortable` one the transaction was aborted, and may be run again; after a `fatal` one close the producer; a `retriable` one
   * of the commit leaves it open whether it is committed, as `isFateUnknown` says.
   */
  async transaction<T>(
    work: (tx: Transaction<K, V>) => T | Promise<T>,
    options: WaitOptions = {},
  ): Promise<T> {
    requireWaitOptions("transaction", options);
    return this.#inTransactions("transaction").run(work, options);
  }

  /**
   * Begins a transaction. The first one ends what an instance before has open, and takes its place (Kafka: initTransactions).
   * One is open at a time. `signal` ends the wait; what was begun is aborted then.
   */
  async beginTransaction(options: WaitOptions = {}): Promise<Transaction<K, V>> {
    requireWaitOptions("beginTransaction", options);
    return this.#inTransactions("beginTransaction").begin(options);
  }

  /**
   * Sends all that was accepted, lingering or not. Resolves when it is settled; fails with the first failure among it. An abort of
   * `signal` ends the wait; what was accepted is sent all the same.
   */
  async flush(options: WaitOptions = {}): Promise<void> {
    await waitingFor("flush", options, () => this.#pipeline.flush());
  }

  /**
   * Sends the batches whose linger is over by the clock, and waits for them as `flush` does. Returns how many there were.
   * With a manual clock nothing else ends a linger; with the system's clock a timer does it.
   */
  async runDueFlushes(options: WaitOptions = {}): Promise<number> {
    return waitingFor("runDueFlushes", options, () => this.#pipeline.runDueFlushes());
  }

  /** Resolves when at most half of the buffer is taken: for callers that send in a loop without waiting for each record. */
  async drain(options: WaitOptions = {}): Promise<void> {
    await waitingFor("drain", options, () => this.#pipeline.whenHalfEmpty());
  }

  /**
   * A stream to write records into, for `pipeTo` and, by `Writable.fromWeb(stream, { objectMode: true })`, for Node's pipelines. A write
   * waits while `unacknowledgedMax` of its records are not acknowledged, or the buffer is full. It fails when the first of them
   * does. Its close is a flush, resolves when all are acknowledged, and leaves the producer open; its abort leaves what was accepted
   * on its way. Throws USAGE.
   */
  writable(options: WritableOptions = {}): WritableStream<WritableRecord<K, V>> {
    this.#requirePlain("writable");
    return recordSink(this.#pipeline, options);
  }

  /**
   * Accepts nothing more, sends what is left, and resolves when all is settled and no timer is left. What fails now is not
   * tried again. Fails as `flush` does, also then with everything released. A transaction that is open is aborted instead. An abort
   * of `signal` ends the time for that at once: what has no answer yet fails with CLOSED, and may be there all the same.
   */
  async close(options: CloseOptions = {}): Promise<void> {
    requireCallOptions("close", options);
    this.#closing ??= this.#close(options.timeoutMs ?? LIMITS.closeTimeoutMs);
    await hurriedBy(options.signal, () => this.#giveUp(), this.#closing);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #close(timeoutMs: number): Promise<void> {
    this.#pipeline.stop();
    const cancel = this.#session.clock.after(timeoutMs, () => this.#giveUp());
    try {
      await this.#transactions?.close();
      await this.#pipeline.flush();
    } finally {
      cancel();
      this.#pipeline.end();
      this.#forget();
    }
  }

  /** The time for the close is over. */
  #giveUp(): void {
    this.#pipeline.abandon(producerClosedError(true));
    this.#transactions?.giveUp();
  }

  #requirePlain(what: string): void {
    if (this.#transactions === null) return;
    throw usageError(
      `${what}: a transactional producer sends in transactions; use transaction(async (tx) => tx.${what}(…))`,
    );
  }

  #inTransactions(what: string): Transactions {
    if (this.#transactions !== null) return this.#transactions;
    throw usageError(`${what} needs transactions: give the producer a transactionalId`);
  }
}

function keeperOf(session: Session, { idempotence, deliveryTimeoutMs }: ProducerSettings): KeeperOf | null {
  if (idempotence === null) return null;
  return (listener) => new Idempotence(session, { ...idempotence, deliveryTimeoutMs }, listener);
}
