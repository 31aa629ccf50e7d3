/**
 * The high watermark: the end of what every in-sync replica holds, and so of what a consumer may see.
 *
 * Owns: its value, and who waits for it to move.
 * Invariants: it is exclusive; it never moves back while its leader leads, nor when one takes over that was in sync.
 * Never: a listener told of a value that is not readable yet.
 */
import { assert } from "../assert.ts";

/** The high watermark that the in-sync replicas' log end offsets allow: the least of them. Pure. */
export function highWatermarkOf(logEndOffsets: readonly number[]): number {
  assert(logEndOffsets.length > 0, "the leader is always in sync with itself");
  return Math.min(...logEndOffsets);
}

/** The same where some ends are not known (`null`): then nobody can tell. Pure. */
export function knownHighWatermark(logEndOffsets: readonly (number | null)[]): number | null {
  const known = logEndOffsets.filter((end) => end !== null);
  return known.length < logEndOffsets.length ? null : highWatermarkOf(known);
}

export interface NotedReplica {
  readonly isInSync: boolean;
  /** Up to where its log is its leader's; `null` when it could not be opened. */
  readonly agreedEnd: number | null;
  /** What it had noted of the high watermark; `null` when nothing. */
  readonly checkpoint: number | null;
}

export interface StartFacts {
  /** Whether what was noted counts (the dial highWatermarkCheckpoint). */
  readonly isNoted: boolean;
  /** Whether one of the notes is the leader's, of a clean end of all brokers. */
  readonly isExact: boolean;
}

/**
 * Where the high watermark begins when a partition is opened, of the replicas that could be opened. With `isNoted` no consumer
 * sees less than before: what was noted was visible; with the leader's note of a clean end it is exact, and otherwise the in-sync
 * replicas may agree further than that, since each of them held everything that was visible. Without, it is where all replicas agree, as
 * in the system that this one carries on: one that lags pulls it back. Pure.
 */
export function startingHighWatermark(
  replicas: readonly NotedReplica[],
  { isNoted, isExact }: StartFacts,
): number {
  const counted = replicas.filter(({ isInSync, agreedEnd }) => agreedEnd !== null && (isInSync || !isNoted));
  if (counted.length === 0) return 0;
  const ends = counted.map(({ agreedEnd }) => agreedEnd ?? 0);
  // Also of one whose log is gone: the others had that as well.
  const notes = replicas.flatMap(({ isInSync, checkpoint }) => (isInSync ? (checkpoint ?? []) : []));
  if (!isNoted || notes.length === 0) return highWatermarkOf(ends);
  const noted = isExact ? Math.max(...notes) : Math.max(...notes, highWatermarkOf(ends));
  // Whoever has lost records is judged later, and must not be said to have them.
  return Math.min(noted, Math.max(...ends));
}

export class HighWatermark {
  #value: number;
  readonly #listeners = new Set<() => void>();

  constructor(value: number) {
    this.#value = value;
  }

  get value(): number {
    return this.#value;
  }

  /** Moves on to `value`, and returns whether it moved. */
  advance(value: number): boolean {
    assert(
      value >= this.#value,
      `the high watermark stands at ${this.#value} and cannot go back to ${value}`,
    );
    if (value === this.#value) return false;
    this.#value = value;
    return true;
  }

  /** Goes back to `value`: a new leader has taken over that never held what was visible above it. */
  fallBack(value: number): void {
    assert(value < this.#value, `the high watermark stands at ${this.#value}, and ${value} is no way back`);
    this.#value = value;
  }

  /** `listener` is called after each move and must not throw. Returns how to end that. */
  listen(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
    };
  }

  /** Calls the listeners. Those that come or go meanwhile count from the next time on. */
  tell(): void {
    for (const listener of [...this.#listeners]) listener();
  }

  /** The same for the last time: whoever waited here finds out where else to wait. */
  tellAndForget(): void {
    this.tell();
    this.#listeners.clear();
  }
}
