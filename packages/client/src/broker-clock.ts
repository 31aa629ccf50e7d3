/**
 * A clock that follows the broker's: for a client of a broker whose clock is stepped. Linger, backoff between retries, heartbeats and
 * timeouts of requests go by it, so that they come due when somebody moves the broker's clock, and not before.
 *
 * Owns the waits, and where the broker's clock was heard to stand.
 * Invariants: durations never go back, also when a broker that was started anew tells an earlier time; a move is one jump: what is due
 * by its end is called, earliest first, and what begins to wait meanwhile waits from its end on.
 * Never: a timer, but for who waits for no time at all.
 */
import { type Cancel, type ClientClock, systemClock } from "./clock.ts";

interface Wait {
  readonly dueMs: number;
  readonly action: () => void;
}

/** By which a client's connections go: nobody steps them with the broker's clock. */
export function clockOfConnections(clock: ClientClock): ClientClock {
  return clock instanceof BrokerClock ? systemClock : clock;
}

export class BrokerClock implements ClientClock {
  /** It goes without anybody at this client moving it: what is due happens by itself. */
  readonly mode = "auto";
  /** In the order in which they were asked for. */
  readonly #waits = new Set<Wait>();
  #elapsedMs = 0;
  /** `null` before anything was heard. */
  #heardMs: number | null = null;

  /** What the broker's clock said last; 0 before anything was heard. */
  nowMs(): number {
    return this.#heardMs ?? 0;
  }

  elapsedMs(): number {
    return this.#elapsedMs;
  }

  after(delayMs: number, action: () => void): Cancel {
    if (delayMs <= 0) return systemClock.after(0, action);
    const wait = { dueMs: this.#elapsedMs + delayMs, action };
    this.#waits.add(wait);
    return () => {
      this.#waits.delete(wait);
    };
  }

  /** The broker's clock stands at `nowMs`. */
  hear(nowMs: number): void {
    const movedMs = nowMs - (this.#heardMs ?? nowMs);
    this.#heardMs = nowMs;
    this.#elapsedMs += Math.max(0, movedMs);
    const due = [...this.#waits].filter(({ dueMs }) => dueMs <= this.#elapsedMs);
    // One before it may have cancelled it.
    for (const wait of due.sort((one, other) => one.dueMs - other.dueMs))
      if (this.#waits.delete(wait)) wait.action();
  }
}
