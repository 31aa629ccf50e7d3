/**
 * The way of records to one partition: an open batch that grows, closed ones that wait their turn, those in flight.
 *
 * Owns the batches of one partition. Invariants: records leave in the order in which they came; at most `inFlightMax`
 * batches are out; a batch that has to be sent again goes before all that came after it. With one batch in flight a retry
 * can therefore never change the order of records. With sequences more may be in flight: the partition takes none out of
 * order, and what has to be sent again goes alone, so that the broker still knows each by the last few that it remembers.
 * Never sends anything itself.
 */
import type { PackingCodec } from "@minikafka/record";
import { isFateUnknown, type MiniKafkaError } from "../errors.ts";
import type { TopicPartition } from "../topic-partition.ts";
import type { FrameMemory } from "./frame-memory.ts";
import { type IdempotentVerdict, idempotentVerdict } from "./idempotent-verdict.ts";
import { LaneSequences, type SequenceOwner } from "./lane-sequences.ts";
import { type PendingRecord, ProducerBatch } from "./producer-batch.ts";

export interface LaneLimits {
  readonly batchBytes: number;
  readonly lingerMs: number;
  readonly inFlightMax: number;
  /** Whose batches they are; `null` for a producer that is not idempotent. */
  readonly sequences: SequenceOwner | null;
  readonly frames: FrameMemory;
  readonly codec: PackingCodec | null;
}

/** What the buffer of a lane's first batch takes. */
const FIRST_EXPECTED_BYTES = 1_024;
const EXPECTED_GROWTH = 1.125;

export class PartitionLane {
  readonly place: TopicPartition;
  readonly #limits: LaneLimits;
  /** `null` for a producer that is not idempotent. */
  readonly sequences: LaneSequences | null;
  #open: ProducerBatch | null = null;
  #closed: ProducerBatch[] = [];
  /** In the order in which they were sent. */
  #inFlight: ProducerBatch[] = [];
  #isHeld = false;
  /** Whether a look at its open batch is planned, so that it is planned once for many records. */
  isScheduled = false;
  #nextOrder = 0;
  /** Batches of a later order surely are not in the partition: one before them is missing there. */
  #voidAfter = Number.POSITIVE_INFINITY;
  /** The next batch is probably like the last one: its buffer should neither be copied as it grows nor be much too large. */
  #expectedBytes = FIRST_EXPECTED_BYTES;

  constructor(place: TopicPartition, limits: LaneLimits) {
    this.place = place;
    this.#limits = limits;
    this.sequences = limits.sequences === null ? null : new LaneSequences(limits.sequences);
  }

  /** Whether a batch may be sent now. */
  get maySend(): boolean {
    if (this.#isHeld || this.#inFlight.length >= this.#inFlightMax) return false;
    return this.sequences === null || this.#nextHasSequence || this.sequences.mayAssign;
  }

  /** Whether no batch that has a sequence is left: nothing of the present epoch is open. */
  get isQuiet(): boolean {
    return this.#inFlight.length === 0 && !this.#nextHasSequence;
  }

  /** Whether something waits to be sent, closed or not. */
  get hasWaiting(): boolean {
    return this.#closed.length > 0 || this.#open !== null;
  }

  /** When the first that waits was begun, on the clock's `elapsedMs`; `null` without one. */
  get waitingSinceMs(): number | null {
    return (this.#closed[0] ?? this.#open)?.createdMs ?? null;
  }

  /** Whether no batch before `batch` that has a sequence is left. */
  isFirst(batch: ProducerBatch): boolean {
    return [...this.#inFlight, ...this.#closed].every(
      (other) => other.order >= batch.order || other.sequence === null,
    );
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
    this.sequences?.assign(batch);
    batch.attempts += 1;
    this.#inFlight.push(batch);
    return batch;
  }

  /** The batch is settled. */
  finish(batch: ProducerBatch): void {
    this.#inFlight = this.#inFlight.filter((other) => other !== batch);
  }

  /** `batch` will be sent again: before all that came after it. */
  putBack(batch: ProducerBatch): void {
    this.#putBack(batch, [batch]);
  }

  /** The same in halves. */
  putBackHalved(batch: ProducerBatch): void {
    if (this.isVoid(batch)) batch.forgetSequence();
    this.#putBack(batch, batch.split());
  }

  #putBack(batch: ProducerBatch, parts: readonly ProducerBatch[]): void {
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

  /**
   * `batch` surely is not in the partition and will not get there, and so no batch behind it is: those that were to be sent
   * again get another sequence.
   */
  voidBehind({ order }: ProducerBatch): void {
    this.#voidAfter = Math.min(this.#voidAfter, order);
    for (const batch of this.#closed) if (batch.order > order) batch.forgetSequence();
  }

  /** Whether `batch` surely is not in the partition, whatever its answer says. */
  isVoid(batch: ProducerBatch): boolean {
    return batch.order > this.#voidAfter;
  }

  /** What becomes of `batch`, of an idempotent producer, that failed with `error`. Notes whether its fate is open. */
  verdictOn(error: MiniKafkaError, batch: ProducerBatch, isExpired: boolean): IdempotentVerdict {
    const isVoid = this.isVoid(batch);
    const wasInDoubt = batch.isInDoubt;
    batch.isInDoubt = !isVoid && (wasInDoubt || isFateUnknown(error));
    return idempotentVerdict(error, {
      recordCount: batch.recordCount,
      isExpired,
      isFirst: this.isFirst(batch),
      isVoid,
      isInDoubt: batch.isInDoubt,
    });
  }

  /** A new epoch begins: nothing has a sequence. */
  restart(): void {
    this.sequences?.restart();
    this.#voidAfter = Number.POSITIVE_INFINITY;
  }

  /** Forgets and returns those batches that wait, closed or not, for which `isWanted` holds. */
  dropWaiting(isWanted: (batch: ProducerBatch) => boolean): ProducerBatch[] {
    const waiting = this.#open === null ? this.#closed : [...this.#closed, this.#open];
    const dropped = waiting.filter(isWanted);
    this.#closed = this.#closed.filter((batch) => !dropped.includes(batch));
    if (this.#open !== null && dropped.includes(this.#open)) this.#open = null;
    return dropped;
  }

  /** Sends nothing until `release`: what failed should not be followed at once by what came after it. */
  hold(): void {
    this.#isHeld = true;
  }

  release(): void {
    this.#isHeld = false;
  }

  get #inFlightMax(): number {
    if (this.sequences === null) return this.#limits.inFlightMax;
    const isRepeating = this.#nextHasSequence || this.#inFlight.some(({ attempts }) => attempts > 1);
    return this.sequences.isProven && !isRepeating ? this.#limits.inFlightMax : 1;
  }

  /** Those that have one come before all that have none. */
  get #nextHasSequence(): boolean {
    return this.#closed[0] !== undefined && this.#closed[0].sequence !== null;
  }

  #begin(elapsedMs: number): ProducerBatch {
    const { batchBytes, frames, codec } = this.#limits;
    const expectedBytes = Math.min(this.#expectedBytes, batchBytes);
    const bounds = { frameBytesMax: batchBytes, expectedBytes, frames, codec };
    this.#open = new ProducerBatch(this.place, elapsedMs, this.#nextOrder++, bounds);
    return this.#open;
  }
}
