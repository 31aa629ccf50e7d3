/**
 * The high watermark: the end of what every in-sync replica holds, and so of what a consumer may see.
 *
 * Owns: its value, and who waits for it to move.
 * Invariants: it is exclusive; it never moves back while its leader leads.
 * Never: a listener told of a value that is not readable yet.
 */
import { assert } from "../assert.ts";

/** The high watermark that the in-sync replicas' log end offsets allow: the least of them. Pure. */
export function highWatermarkOf(logEndOffsets: readonly number[]): number {
  assert(logEndOffsets.length > 0, "the leader is always in sync with itself");
  return Math.min(...logEndOffsets);
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
