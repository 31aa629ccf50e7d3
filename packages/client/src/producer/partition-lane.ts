/**
 * The way of records to one partition: an open batch that grows, closed ones that wait their turn, those in flight.
 *
 * Owns the batches of one partition. Invariants: records leave in the order in which they came; at most `inFlightMax`
 * batches are out; a batch that has to be sent again goes before all that came after it. With one batch in flight a retry
 * can therefore never change the order of records. Never sends anything itself.
 */
import type { TopicPartition } from "../topic-partition.ts";
import { type PendingRecord, ProducerBatch } from "./producer-batch.ts";

export interface LaneLimits {
  readonly batchBytes: number;
  readonly lingerMs: number;
  readonly inFlightMax: number;
}

/** What the buffer of a lane's first batch takes. */
const FIRST_EXPECTED_BYTES = 1_024;
const EXPECTED_GROWTH = 1.125;

export class PartitionLane {
  readonly place: TopicPartition;
  readonly #limits: LaneLimits;
  #open: ProducerBatch | null = null;
  #closed: ProducerBatch[] = [];
  /** In the order in which they were sent. */
  #inFlight: ProducerBatch[] = [];
  #isHeld = false;
  /** Whether a look at its open batch is planned, so that it is planned once for many records. */
  isScheduled = false;
  #nextOrder = 0;
  /** The next batch is probably like the last one: its buffer should neither be copied as it grows nor be much too large. */
  #expectedBytes = FIRST_EXPECTED_BYTES;

  constructor(place: TopicPartition, limits: LaneLimits) {
    this.place = place;
    this.#limits = limits;
  }

  /** Whether a batch may be sent now. */
  get maySend(): boolean {
    return !this.#isHeld && this.#inFlight.length < this.#limits.inFlightMax;
  }

  /** When the open batch has to go, on the clock's `elapsedMs`; `null` without one. */
  get dueMs(): number | null {
    return this.#open === null ? null : this.#open.createdMs + this.#limits.lingerMs;
  }

  /** All batches that are not settled, the oldest first. */
  batches(): ProducerBatch[] {
    return [...this.#inFlight, ...this.#closed, ...(this.#open === null ? [] : [this.#open])];
  }

  /**
   * Adds a record to the open batch. "noRoom": nothing was added, since the open batch has to be closed first; "full": added,
   * and the batch was closed by it. `acceptedMs` is asked when the record is the first of a batch.
   */
  add(record: PendingRecord, acceptedMs: () => number): "added" | "full" | "noRoom" {
    const batch = this.#open ?? this.#begin(acceptedMs());
    if (!batch.add(record)) return "noRoom";
    if (batch.frameBytes < this.#limits.batchBytes) return "added";
    this.closeOpen();
    return "full";
  }

  /** Closes and returns the open batch, full or not. */
  closeOpen(): ProducerBatch | null {
    const batch = this.#open;
    if (batch === null) return null;
    this.#closed.push(batch);
    this.#open = null;
    this.#expectedBytes = Math.ceil(batch.frameBytes * EXPECTED_GROWTH);
    return batch;
  }

  /** The next batch to send, counted as in flight; `null` when there is none or it may not go. */
  take(): ProducerBatch | null {
    if (!this.maySend) return null;
    const batch = this.#closed.shift();
    if (batch === undefined) return null;
    this.#inFlight.push(batch);
    return batch;
  }

  /** The batch is settled. */
  finish(batch: ProducerBatch): void {
    this.#inFlight = this.#inFlight.filter((other) => other !== batch);
  }

  /** `batch` will be sent again, whole or as `parts`: before all that came after it. */
  putBack(batch: ProducerBatch, parts: readonly ProducerBatch[] = [batch]): void {
    this.finish(batch);
    const later = this.#closed.findIndex((other) => other.order >= batch.order);
    this.#closed.splice(later === -1 ? this.#closed.length : later, 0, ...parts);
  }

  /** Forgets and returns all batches that are not settled. */
  abandon(): ProducerBatch[] {
    const batches = this.batches();
    this.#open = null;
    this.#closed = [];
    this.#inFlight = [];
    return batches;
  }

  /** Sends nothing until `release`: what failed should not be followed at once by what came after it. */
  hold(): void {
    this.#isHeld = true;
  }

  release(): void {
    this.#isHeld = false;
  }

  #begin(elapsedMs: number): ProducerBatch {
    const { batchBytes } = this.#limits;
    const expectedBytes = Math.min(this.#expectedBytes, batchBytes);
    const bounds = { frameBytesMax: batchBytes, expectedBytes };
    this.#open = new ProducerBatch(this.place, elapsedMs, this.#nextOrder++, bounds);
    return this.#open;
  }
}
