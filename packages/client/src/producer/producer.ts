/**
 * Sends records (Kafka: KafkaProducer, without transactions yet).
 *
 * Order: records of one partition are appended in the order of their sends, retries included, while one batch of a
 * partition is in flight (the default), or while the producer is idempotent. Different partitions go side by side.
 * Once: an idempotent producer's record that is acknowledged is there once, whatever broke on the way.
 */
import { asMiniKafkaError, MiniKafkaError } from "../errors.ts";
import { LIMITS } from "../limits.ts";
import { MetadataCache } from "../metadata-cache.ts";
import type { Closable, CloseOptions, Session } from "../session.ts";
import { untilAborted } from "../waiting.ts";
import { AcceptedRecords } from "./accepted-records.ts";
import { Accumulator } from "./accumulator.ts";
import { BufferMemory } from "./buffer-memory.ts";
import { type Delivery, ManyDelivery, type RecordMetadata, SingleDelivery } from "./delivery.ts";
import { type AcceptedAs, type ProducedRecord, toPendingRecord } from "./produced-record.ts";
import type { ProducerBatch } from "./producer-batch.ts";
import { type ProducerOptions, type ProducerSettings, producerSettings } from "./producer-options.ts";
import { Sender } from "./sender.ts";

export interface WaitOptions {
  /** Ends the wait, not what is waited for. */
  readonly signal?: AbortSignal | undefined;
}

export class Producer implements Closable, AsyncDisposable {
  readonly #session: Session;
  readonly #settings: ProducerSettings;
  readonly #memory: BufferMemory;
  readonly #sender: Sender;
  readonly #accumulator: Accumulator;
  readonly #enough = new AbortController();
  readonly #forget: () => void;
  #closing: Promise<void> | null = null;

  /** Throws USAGE for options that don't fit together. */
  constructor(session: Session, options: ProducerOptions = {}) {
    this.#session = session;
    this.#settings = producerSettings(options, session);
    this.#memory = new BufferMemory(this.#settings.bufferBytesMax);
    const metadata = new MetadataCache(session, this.#settings.deliveryTimeoutMs, this.#enough.signal);
    const released = (bytes: number, records: number) => this.#memory.release(bytes, records);
    this.#sender = new Sender(session, metadata, this.#settings, {
      laneFree: (lane) => this.#accumulator.sendReady(lane),
      released,
    });
    this.#accumulator = new Accumulator(session, this.#settings, metadata, this.#sender, released);
    this.#forget = session.own(this);
  }

  /** What is accepted and not acknowledged. */
  get buffered(): { readonly records: number; readonly bytes: number } {
    return { records: this.#memory.records, bytes: this.#memory.bytes };
  }

  /**
   * Resolves when the broker has acknowledged the record as `acks` asks. Fails with the broker's error, with BUFFER_FULL,
   * RECORD_TOO_LARGE, CONNECTION, TIMEOUT, CLOSED or USAGE; after an error for which `isFateUnknown` holds the record may be
   * there all the same.
   */
  send(record: ProducedRecord): Promise<RecordMetadata> {
    const delivery = new SingleDelivery();
    try {
      this.#accept(record, delivery);
    } catch (error) {
      delivery.fail(0, asMiniKafkaError(error), false);
    }
    return delivery.promise;
  }

  /**
   * Sends several records for the price of one promise. All are accepted or none (BUFFER_FULL, USAGE …); then each goes its
   * way. Resolves when all are acknowledged, in their order; fails with the first failure once all are settled, its details
   * saying how many `failed`.
   */
  sendMany(records: readonly ProducedRecord[]): Promise<RecordMetadata[]> {
    if (records.length === 0) return Promise.resolve([]);
    const delivery = new ManyDelivery(records.length);
    try {
      this.#acceptMany(records, delivery);
    } catch (error) {
      return Promise.reject(asMiniKafkaError(error));
    }
    return delivery.promise;
  }

  /** Sends all that was accepted, lingering or not. Resolves when it is settled; fails with the first failure among it. */
  async flush(options: WaitOptions = {}): Promise<void> {
    options.signal?.throwIfAborted();
    await untilAborted(this.#flush(), options.signal);
  }

  /**
   * Sends the batches whose linger is over by the clock, and waits for them as `flush` does. Returns how many there were.
   * With a manual clock nothing else ends a linger; with the system's clock a timer does it.
   */
  async runDueFlushes(options: WaitOptions = {}): Promise<number> {
    options.signal?.throwIfAborted();
    return untilAborted(this.#runDueFlushes(), options.signal);
  }

  /** Resolves when at most half of the buffer is taken: for callers that send in a loop without waiting for each record. */
  async drain(options: WaitOptions = {}): Promise<void> {
    await untilAborted(this.#memory.whenHalfEmpty(), options.signal);
  }

  /**
   * Accepts nothing more, sends what is left, and resolves when all is settled and no timer is left. What fails now is not
   * tried again. Fails as `flush` does, also then with everything released.
   */
  close(options: CloseOptions = {}): Promise<void> {
    this.#closing ??= this.#close(options.timeoutMs ?? LIMITS.closeTimeoutMs);
    return this.#closing;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  #accept(input: ProducedRecord, delivery: Delivery): void {
    if (this.#closing !== null) throw closedError(false);
    const record = toPendingRecord(input, 0, this.#acceptedAs(delivery));
    this.#memory.reserve(record.heldBytes, 1);
    this.#accumulator.accept(record, input.topic, input.partition);
  }

  #acceptMany(inputs: readonly ProducedRecord[], delivery: Delivery): void {
    if (this.#closing !== null) throw closedError(false);
    const records = new AcceptedRecords(inputs, this.#acceptedAs(delivery));
    this.#memory.reserve(records.heldBytes, inputs.length);
    records.handOn((record, topic, partition) => this.#accumulator.accept(record, topic, partition));
  }

  #acceptedAs(delivery: Delivery): AcceptedAs {
    const { batchBytesMax } = this.#settings;
    return { delivery, nowMs: this.#session.clock.nowMs(), batchBytesMax };
  }

  async #flush(): Promise<void> {
    const before = settled(this.#accumulator.sendAll());
    const unplaced = await this.#accumulator.placed();
    const after = settled(this.#accumulator.sendAll());
    const error = unplaced ?? (await before) ?? (await after);
    if (error !== null) throw error;
  }

  async #runDueFlushes(): Promise<number> {
    const unplaced = await this.#accumulator.placed();
    const batches = this.#accumulator.sendDue();
    const error = unplaced ?? (await settled(batches));
    if (error !== null) throw error;
    return batches.length;
  }

  async #close(timeoutMs: number): Promise<void> {
    this.#enough.abort();
    this.#sender.stopRetrying();
    const cancel = this.#session.clock.after(timeoutMs, () => this.#accumulator.abandon(closedError(true)));
    try {
      await this.#flush();
    } finally {
      cancel();
      this.#accumulator.abandon(closedError(true));
      this.#sender.idempotence?.close();
      this.#forget();
    }
  }
}

/** Resolves when all of `batches` are settled, with what the first of them failed with. */
async function settled(batches: readonly ProducerBatch[]): Promise<MiniKafkaError | null> {
  const errors = await Promise.all(batches.map((batch) => batch.whenDone()));
  return errors.find((error) => error !== null) ?? null;
}

/** `sent`: whether records may have gone out and have no answer. */
function closedError(sent: boolean): MiniKafkaError {
  return new MiniKafkaError("CLOSED", "the producer is closed", { details: { sent } });
}
