/**
 * One partition as a consumer reads it: where it is, and what was fetched ahead of that.
 *
 * Owns position, chunks and pause. Invariants: position moves over everything that was scanned, delivered or not, so that it
 * reaches the end behind control markers and gaps; what was asked for in an older turn (before a seek) is never taken.
 *
 *   lost (no position) → locating → positioned → (seek) → positioned, or (out of range) → lost
 */
import type { MiniKafkaError } from "../errors.ts";
import type { TopicPartition } from "../topic-partition.ts";
import { type HandedOutRecord, RecordDeserializationError } from "./deserialized-record.ts";
import type { FetchedChunk } from "./fetched-chunk.ts";

/** An offset, or what the broker knows an offset for. */
export type OffsetSpec =
  | number
  | "beginning"
  | "end"
  | "earliest"
  | "latest"
  | { readonly timestampMs: number };

/** Where a position is to be found; "committed" is where the consumer's group goes on. */
export type Target = OffsetSpec | "committed";

export class PartitionCursor {
  readonly place: TopicPartition;
  /** Which topic of that name it is, as the group's coordinator says; `null` for a consumer that assigns itself. */
  readonly topicId: string | null;
  isPaused = false;
  /**
   * The end of what was visible at the last fetch: the high watermark, or for read_committed the last stable offset. `null` before
   * the first.
   */
  visibleEnd: number | null = null;
  /** What is under way in this turn: something that is answered at once, or a fetch that the broker may hold back. */
  busy: "no" | "quick" | "waiting" = "no";
  /** Where it began for want of a committed offset, by autoOffsetReset; `null` when it did not. */
  origin: number | null = null;
  /** Whether records were handed out that neither a commit of the positions nor a move is behind. */
  isOwed = false;
  #generation = 0;
  #turn = 0;
  #position: number | null = null;
  #target: Target | null = null;
  #chunks: FetchedChunk[] = [];
  #failures = 0;
  #error: MiniKafkaError | null = null;
  #notBeforeMs = 0;

  constructor(place: TopicPartition, topicId: string | null = null) {
    this.place = place;
    this.topicId = topicId;
  }

  /** The next offset to hand out; `null` while it is not known. */
  get position(): number | null {
    return this.#position;
  }

  /** Where to go when there is no position; `null`: as autoOffsetReset says. */
  get target(): Target | null {
    return this.#target;
  }

  /** Raised by every move. */
  get generation(): number {
    return this.#generation;
  }

  /** Raised by every move, and when a fetch is overtaken: an answer to what was asked before is not for us any more. */
  get turn(): number {
    return this.#turn;
  }

  /** Where to fetch from: after what was fetched already. */
  get fetchOffset(): number | null {
    return this.#chunks.at(-1)?.nextOffset ?? this.#position;
  }

  get hasChunks(): boolean {
    return this.#chunks.length > 0;
  }

  get undecodedBytes(): number {
    return this.#chunks.reduce((bytes, chunk) => bytes + chunk.undecodedBytes, 0);
  }

  /** What the last attempt failed with, if trying again may help. */
  get error(): MiniKafkaError | null {
    return this.#error;
  }

  /** No attempt before this time on the clock's `elapsedMs`, since the last one failed. */
  get notBeforeMs(): number {
    return this.#notBeforeMs;
  }

  mayAsk(elapsedMs: number): boolean {
    return this.busy === "no" && !this.isPaused && elapsedMs >= this.#notBeforeMs;
  }

  /** Goes on at `position`. Drops what was fetched and what is under way. */
  moveTo(position: number): void {
    this.isOwed = false;
    this.#restart(position, null);
  }

  /** Gives the position up, to be found at `target` or as autoOffsetReset says. */
  lose(target: Target | null): void {
    this.isOwed = false;
    this.#restart(null, target);
  }

  /** Stays where it is, but drops what was fetched and what is under way. */
  restart(): void {
    this.#restart(this.#position, this.#target);
  }

  /** Lets another fetch be made instead of the one that the broker holds back; what is in hand stays. */
  overtake(): void {
    this.#turn += 1;
    this.busy = "no";
  }

  /** What a fetch from `fetchOffset` brought. Nothing is decoded yet, so that the next fetch can go out before that. */
  receive(chunk: FetchedChunk, visibleEnd: number): void {
    this.#succeeded();
    this.visibleEnd = visibleEnd;
    this.#chunks.push(chunk);
    if (chunk.isEmpty && this.#chunks.length === 1) this.#dropExhausted();
  }

  /**
   * Adds at most `countMax` records to `into` and moves on. Throws, when none come before that, RECORD_DESERIALIZATION, or
   * CORRUPT_BATCH and the like, for which what was fetched is dropped and fetched again.
   */
  take(countMax: number, into: HandedOutRecord[]): void {
    const begin = into.length;
    let left = countMax;
    while (left > 0) {
      const chunk = this.#chunks[0];
      if (chunk === undefined || this.#position === null) return;
      const before = into.length;
      try {
        chunk.take(this.#position, left, into);
      } catch (error) {
        if (!(error instanceof RecordDeserializationError)) this.#chunks = [];
        if (into.length === begin) throw error;
        return;
      }
      const last = into.length > before ? into.at(-1) : undefined;
      if (last !== undefined) {
        this.#position = last.offset + 1;
        this.isOwed = true;
      }
      left -= into.length - before;
      this.#dropExhausted();
    }
  }

  /** An attempt failed; the next waits as long as so many failures in a row ask for. */
  backOff(error: MiniKafkaError, elapsedMs: number, delayMs: (failures: number) => number): void {
    this.#failures += 1;
    this.#error = error;
    this.#notBeforeMs = elapsedMs + delayMs(this.#failures);
  }

  #restart(position: number | null, target: Target | null): void {
    this.overtake();
    this.#generation += 1;
    this.#position = position;
    this.#target = target;
    this.#chunks = [];
    this.#succeeded();
  }

  #succeeded(): void {
    this.#failures = 0;
    this.#error = null;
    this.#notBeforeMs = 0;
  }

  #dropExhausted(): void {
    for (let chunk = this.#chunks[0]; chunk !== undefined; chunk = this.#chunks[0]) {
      if (this.#position === null || !chunk.isExhausted(this.#position)) return;
      this.#chunks.shift();
      this.#position = Math.max(this.#position, chunk.nextOffset);
    }
  }
}
