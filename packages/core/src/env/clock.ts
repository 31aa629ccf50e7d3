/**
 * Time, as the kernel sees it: something that is read and that somebody else moves. The kernel starts no timer; what is
 * due is found by a step that compares `nowMs()` with what was noted before. The real clock is in node-clock.ts.
 */
import { assert } from "../assert.ts";

export interface Clock {
  /** Milliseconds since the Unix epoch, an integer. These are the timestamps that logs carry. */
  nowMs(): number;

  /**
   * Milliseconds since some instant, not an integer, which never jump when somebody sets the time of day: for how long
   * something is ago. Kafka: Time.hiResClockMs.
   */
  monotonicMs(): number;
}

/** One instant by both of a clock's readings: `nowMs` tells people when it was, `monotonicMs` for how long it is ago. */
export interface Instant {
  readonly nowMs: number;
  readonly monotonicMs: number;
}

export function instantOf(clock: Clock): Instant {
  return { nowMs: clock.nowMs(), monotonicMs: clock.monotonicMs() };
}

/** A clock that only a hand moves: never by being read, and never back. */
export class ManualClock implements Clock {
  #nowMs: number;

  constructor(startMs = 0) {
    assert(Number.isSafeInteger(startMs) && startMs >= 0, `a clock cannot start at ${startMs} ms`);
    this.#nowMs = startMs;
  }

  nowMs(): number {
    return this.#nowMs;
  }

  monotonicMs(): number {
    return this.#nowMs;
  }

  /** Moves on by `deltaMs`, a non-negative integer. */
  advance(deltaMs: number): void {
    assert(Number.isSafeInteger(deltaMs) && deltaMs >= 0, `a clock cannot advance by ${deltaMs} ms`);
    this.set(this.#nowMs + deltaMs);
  }

  /** Moves to `nowMs`, which may not lie before the present. */
  set(nowMs: number): void {
    assert(
      Number.isSafeInteger(nowMs) && nowMs >= this.#nowMs,
      `a clock at ${this.#nowMs} ms cannot move to ${nowMs} ms`,
    );
    this.#nowMs = nowMs;
  }
}
