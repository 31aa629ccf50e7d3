/**
 * Time, as the SDK sees it: linger, backoff and timeouts are asked of a clock that is handed in, so that an experiment or
 * a test can step them. The only file that knows the wall clock and the system's timers.
 */

/** Ends a wait before its time; does nothing once it has run. */
export type Cancel = () => void;

/** What a client asks for the time. */
export interface ClientClock {
  /** "manual" when a hand moves it: lingering batches then wait for `Producer.runDueFlushes`. */
  readonly mode: "auto" | "manual";
  /** Milliseconds since the Unix epoch, an integer: the timestamps that records carry. */
  nowMs(): number;
  /** Milliseconds since some start. Never goes back, whatever happens to the wall clock: durations are measured on it. */
  elapsedMs(): number;
  /** Runs `action` once, when `delayMs` have passed. */
  after(delayMs: number, action: () => void): Cancel;
}

/** Taken now: a test may put timers of its own in the place of the system's, and what waits for them waits for that test. */
const ofSystem = {
  elapsedMs: performance.now.bind(performance),
  setTimeout,
  clearTimeout,
  setImmediate,
};

/** The system's time and timers. What time of day it is goes by the Date of the moment. */
export const systemClock: ClientClock = {
  mode: "auto",
  nowMs: () => Date.now(),
  elapsedMs: () => ofSystem.elapsedMs(),
  after(delayMs, action) {
    const timer = ofSystem.setTimeout(action, delayMs);
    return () => ofSystem.clearTimeout(timer);
  },
};

/** Resolves when timers, sockets and signals have had a turn: for a loop that would keep them from it. Needs no time of any clock. */
export function turnOfOthers(): Promise<void> {
  return new Promise((resolve) => void ofSystem.setImmediate(resolve));
}

interface Wait {
  readonly dueMs: number;
  readonly action: () => void;
}

/** A clock that only a hand moves: never by being read, and never back. */
export class ManualClock implements ClientClock {
  readonly mode = "manual";
  readonly #startMs: number;
  #passedMs = 0;
  /** In the order in which they were asked for. */
  #waits: Wait[] = [];

  constructor(startMs = 0) {
    if (!Number.isSafeInteger(startMs) || startMs < 0)
      throw new RangeError(`a clock cannot start at ${startMs} ms`);
    this.#startMs = startMs;
  }

  /** Milliseconds since the Unix epoch, as far as `advance` has moved them. */
  nowMs(): number {
    return this.#startMs + this.#passedMs;
  }

  /** Milliseconds by which `advance` has moved it. */
  elapsedMs(): number {
    return this.#passedMs;
  }

  /** Runs `action` once, within the `advance` that comes so far. */
  after(delayMs: number, action: () => void): Cancel {
    const wait: Wait = { dueMs: this.#passedMs + Math.max(0, delayMs), action };
    this.#waits.push(wait);
    return () => {
      this.#waits = this.#waits.filter((other) => other !== wait);
    };
  }

  /** How many waits are under way: after a close there must be none. */
  get waiting(): number {
    return this.#waits.length;
  }

  /** Moves on by `deltaMs`, a non-negative integer, and runs what becomes due on the way, the earliest first. */
  advance(deltaMs: number): void {
    if (!Number.isSafeInteger(deltaMs) || deltaMs < 0)
      throw new RangeError(`a clock cannot advance by ${deltaMs} ms`);
    const endMs = this.#passedMs + deltaMs;
    for (let wait = this.#earliest(endMs); wait !== undefined; wait = this.#earliest(endMs)) {
      const due = wait;
      this.#waits = this.#waits.filter((other) => other !== due);
      this.#passedMs = Math.max(this.#passedMs, due.dueMs);
      due.action();
    }
    this.#passedMs = endMs;
  }

  #earliest(endMs: number): Wait | undefined {
    let earliest: Wait | undefined;
    for (const wait of this.#waits) {
      if (wait.dueMs <= endMs && (earliest === undefined || wait.dueMs < earliest.dueMs)) earliest = wait;
    }
    return earliest;
  }
}
