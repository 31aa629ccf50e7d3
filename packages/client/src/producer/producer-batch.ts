/**
 * Records on their way to one partition, and whom to tell.
 *
 * Owns its records until they are settled. Invariants: a record's slot, delivery and place in the batch share one index;
 * the exact size of the frame is known at every moment. Never changes once it is closed, so that a retry sends the same.
 */
import { encodeBatch, HEADER_BYTES, type Record, recordBytes } from "@minikafka/record";
import type { MiniKafkaError } from "../errors.ts";
import { LIMITS } from "../limits.ts";
import type { TopicPartition } from "../topic-partition.ts";
import type { Delivery } from "./delivery.ts";

/** A record with its way back to the caller: one object, since a producer makes one for every record. */
export interface PendingRecord extends Record {
  readonly delivery: Delivery;
  readonly slot: number;
  /** What it takes of the producer's buffer. */
  readonly heldBytes: number;
}

export class ProducerBatch {
  readonly place: TopicPartition;
  /** When its first record came, on the clock's `elapsedMs`. */
  readonly createdMs: number;
  /** Its place among the batches of its partition; the parts of a split batch share it. */
  readonly order: number;
  /** Failed attempts so far. */
  failures = 0;
  #records: PendingRecord[] = [];
  #frameBytes = HEADER_BYTES;
  #heldBytes = 0;
  #frame: Buffer | null = null;
  #isWatched = false;
  #isDone = false;
  #error: MiniKafkaError | null = null;
  #watchers: ((error: MiniKafkaError | null) => void)[] = [];

  constructor(place: TopicPartition, createdMs: number, order: number) {
    this.place = place;
    this.createdMs = createdMs;
    this.order = order;
  }

  get recordCount(): number {
    return this.#records.length;
  }

  get heldBytes(): number {
    return this.#heldBytes;
  }

  /** The size of the frame so far. */
  get frameBytes(): number {
    return this.#frameBytes;
  }

  /** What `record` would add. */
  bytesOf(record: Record): number {
    const firstTimestampMs = this.#records[0]?.timestampMs ?? record.timestampMs;
    return recordBytes(record, this.#records.length, firstTimestampMs);
  }

  /** Whether so many bytes more stay within `batchBytes`; a first record always has its place. */
  hasRoom(bytes: number, batchBytes: number): boolean {
    if (this.#records.length === 0) return true;
    return this.#frameBytes + bytes <= batchBytes && this.#records.length < LIMITS.recordsPerBatchMax;
  }

  add(record: PendingRecord, bytes: number): void {
    this.#records.push(record);
    this.#frameBytes += bytes;
    this.#heldBytes += record.heldBytes;
  }

  /** The unassigned frame, encoded once. */
  frame(): Buffer {
    this.#frame ??= encodeBatch({ records: this.#records, frameBytes: this.#frameBytes });
    return this.#frame;
  }

  /** Resolves when all records are settled, with what they failed with. From now on a failure is known to be reported. */
  whenDone(): Promise<MiniKafkaError | null> {
    this.#isWatched = true;
    if (this.#isDone) return Promise.resolve(this.#error);
    return new Promise((resolve) => this.#watchers.push(resolve));
  }

  /** `baseOffset` is `null` when nobody said where the records are; an append time goes before the records' own. */
  succeed(baseOffset: number | null, appendTimeMs?: number): void {
    const { topic, partition } = this.place;
    for (let index = 0; index < this.#records.length; index += 1) {
      const { delivery, slot, timestampMs } = this.#records[index] as PendingRecord;
      const offset = baseOffset === null ? null : baseOffset + index;
      delivery.succeed(slot, { topic, partition, offset, timestampMs: appendTimeMs ?? timestampMs });
    }
    this.#end(null);
  }

  fail(error: MiniKafkaError): void {
    for (const { delivery, slot } of this.#records) delivery.fail(slot, error, this.#isWatched);
    this.#end(error);
  }

  /** Two batches of half the records each, in order. Whoever waits for this one waits for both. */
  split(): [ProducerBatch, ProducerBatch] {
    const middle = Math.ceil(this.#records.length / 2);
    const first = this.#part(this.#records.slice(0, middle));
    const second = this.#part(this.#records.slice(middle));
    if (this.#isWatched) {
      void Promise.all([first.whenDone(), second.whenDone()]).then(([one, other]) => this.#end(one ?? other));
    }
    return [first, second];
  }

  #part(records: readonly PendingRecord[]): ProducerBatch {
    const part = new ProducerBatch(this.place, this.createdMs, this.order);
    for (const record of records) part.add(record, part.bytesOf(record));
    return part;
  }

  #end(error: MiniKafkaError | null): void {
    this.#isDone = true;
    this.#error = error;
    this.#records = [];
    this.#heldBytes = 0;
    this.#frame = null;
    for (const tell of this.#watchers) tell(error);
    this.#watchers = [];
  }
}
