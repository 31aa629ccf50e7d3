/**
 * What one connection takes of a turn of the process. All that it asks may be there at once, and be answered at once: without an end to that
 * nobody else's socket would be read.
 *
 * Owns when its turn began. Invariant: who was told to wait is called in the next turn, after the sockets of all.
 */
import { timers } from "../system-timers.ts";

/** Another client waits for so long, and for the request that is being taken. */
const SHARE_MS = 10;

export class TurnShare {
  readonly #goOn: () => void;
  #beganMs: number | null = null;
  #isAwaited = false;

  constructor(goOn: () => void) {
    this.#goOn = goOn;
  }

  /** Asked before each request. Where it may not, `goOn` is called later. */
  mayTakeMore(): boolean {
    if (this.#beganMs === null) this.#begin();
    else if (timers.nowMs() - this.#beganMs >= SHARE_MS) this.#isAwaited = true;
    return !this.#isAwaited;
  }

  #begin(): void {
    this.#beganMs = timers.nowMs();
    timers.setImmediate(() => {
      const isAwaited = this.#isAwaited;
      this.#beganMs = null;
      this.#isAwaited = false;
      if (isAwaited) this.#goOn();
    });
  }
}
