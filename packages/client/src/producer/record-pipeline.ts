/**
 * The way of a producer's records from the caller to the broker: buffer, batches, sender.
 *
 * Owns how these parts hang together, and the room that records take. Invariant: what was accepted is settled in the end, by an
 * answer, by its time, or by `abandon`. Who may send, and when, is for Producer and Transaction.
 */
import type { MiniKafkaError } from "../errors.ts";
import { MetadataCache } from "../metadata-cache.ts";
import type { Session } from "../session.ts";
import { AcceptedRecords } from "./accepted-records.ts";
import { Accumulator } from "./accumulator.ts";
import { BufferMemory } from "./buffer-memory.ts";
import type { Delivery } from "./delivery.ts";
import { producerClosedError } from "./delivery-errors.ts";
import { type AcceptedAs, type ProducedRecord, requireRecord, toPendingRecord } from "./produced-record.ts";
import type { ProducerBatch } from "./producer-batch.ts";
import type { ProducerSettings } from "./producer-options.ts";
import { Sender } from "./sender.ts";
import type { KeeperOf } from "./sequence-keeper.ts";
import type { GivenRecord } from "./serialized-record.ts";

export class RecordPipeline {
  readonly #session: Session;
  readonly #settings: ProducerSettings;
  readonly #memory: BufferMemory;
  readonly #sender: Sender;
  readonly #accumulator: Accumulator;
  readonly #enough = new AbortController();
  #isClosed = false;

  /** `keeperOf` is `null` for a producer that is not idempotent. */
  constructor(session: Session, settings: ProducerSettings, keeperOf: KeeperOf | null) {
    this.#session = session;
    this.#settings = settings;
    this.#memory = new BufferMemory(settings.bufferBytesMax);
    const metadata = new MetadataCache(session, settings.deliveryTimeoutMs, this.#enough.signal);
    const released = (bytes: number, records: number) => this.#memory.release(bytes, records);
    this.#sender = new Sender(session, metadata, settings, keeperOf, {
      laneFree: (lane) => this.#accumulator.sendReady(lane),
      released,
    });
    this.#accumulator = new Accumulator(session, settings, metadata, this.#sender, released);
  }

  /** What is accepted and not acknowledged. */
  get buffered(): { readonly records: number; readonly bytes: number } {
    return { records: this.#memory.records, bytes: this.#memory.bytes };
  }

  /** Throws what the record is refused with, and BUFFER_FULL; nothing is accepted then. */
  accept(given: GivenRecord, delivery: Delivery): void {
    this.#requireOpen();
    requireRecord(given);
    const { serialize } = this.#settings;
    const input = serialize === null ? (given as ProducedRecord) : serialize(given);
    const record = toPendingRecord(input, 0, this.#acceptedAs(delivery));
    this.#memory.reserve(record.heldBytes, 1);
    this.#accumulator.accept(record, input.topic, input.partition);
  }

  /** All of the records or none. Throws as `accept` does. */
  acceptMany(given: readonly GivenRecord[], delivery: Delivery): void {
    this.#requireOpen();
    given.forEach(requireRecord);
    const { serialize } = this.#settings;
    // Without serializers they are to be text and bytes, and are refused when a record is made of them if they are not.
    const inputs = serialize === null ? (given as readonly ProducedRecord[]) : given.map(serialize);
    const records = new AcceptedRecords(inputs, this.#acceptedAs(delivery));
    this.#memory.reserve(records.heldBytes, inputs.length);
    records.handOn((record, topic, partition) => this.#accumulator.accept(record, topic, partition));
  }

  /** Sends all that was accepted. Resolves when it is settled; fails with the first failure among it. */
  async flush(): Promise<void> {
    const before = settled(this.#accumulator.sendAll());
    const unplaced = await this.#accumulator.placed();
    const after = settled(this.#accumulator.sendAll());
    const error = unplaced ?? (await before) ?? (await after);
    if (error !== null) throw error;
  }

  /** The same for the batches whose linger is over by the clock. Resolves with how many there were. */
  async runDueFlushes(): Promise<number> {
    const unplaced = await this.#accumulator.placed();
    const batches = this.#accumulator.sendDue();
    const error = unplaced ?? (await settled(batches));
    if (error !== null) throw error;
    return batches.length;
  }

  whenHalfEmpty(): Promise<void> {
    return this.#memory.whenHalfEmpty();
  }

  /** Fails whatever is not settled; an answer that still comes is dropped. What is accepted from then on goes its way. */
  abandon(error: MiniKafkaError): void {
    this.#accumulator.abandon(error);
  }

  /** Accepts nothing more; what fails from now on is not tried again. */
  stop(): void {
    this.#isClosed = true;
    this.#enough.abort();
    this.#sender.stopRetrying();
  }

  /** After `stop`: fails what is left, and leaves no timer. */
  end(): void {
    this.#accumulator.abandon(producerClosedError(true));
    this.#sender.keeper?.close();
  }

  #requireOpen(): void {
    if (this.#isClosed) throw producerClosedError(false);
  }

  #acceptedAs(delivery: Delivery): AcceptedAs {
    const { batchBytesMax } = this.#settings;
    return { delivery, nowMs: this.#session.clock.nowMs(), batchBytesMax };
  }
}

/** Resolves when all of `batches` are settled, with what the first of them failed with. */
async function settled(batches: readonly ProducerBatch[]): Promise<MiniKafkaError | null> {
  const errors = await Promise.all(batches.map((batch) => batch.whenDone()));
  return errors.find((error) => error !== null) ?? null;
}
