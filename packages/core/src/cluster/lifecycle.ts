/**
 * The life of a cluster, as a table of every state and every event.
 *
 *   running --close--> closing --close_done--> closed
 *      |                  |---close_failed---> failed
 *      '-------crash------'------------------> failed
 *
 * `failed`: it was dropped, or something could not be flushed. Its folder is opened again like that of a killed process.
 */
import { assert } from "../assert.ts";
import { BrokerError } from "../errors.ts";

export type LifecycleState = "running" | "closing" | "closed" | "failed";
export type LifecycleEvent = "close" | "close_done" | "close_failed" | "crash";

/** `null` where an event cannot happen: whoever sends it has lost count of its own states. */
const NEXT: {
  readonly [State in LifecycleState]: { readonly [Event in LifecycleEvent]: LifecycleState | null };
} = {
  running: { close: "closing", close_done: null, close_failed: null, crash: "failed" },
  closing: { close: "closing", close_done: "closed", close_failed: "failed", crash: "failed" },
  closed: { close: "closed", close_done: null, close_failed: null, crash: "closed" },
  failed: { close: "failed", close_done: null, close_failed: null, crash: "failed" },
};

export class Lifecycle {
  #state: LifecycleState = "running";

  get state(): LifecycleState {
    return this.#state;
  }

  /** Takes `event` and returns the state after it. */
  on(event: LifecycleEvent): LifecycleState {
    const next = NEXT[this.#state][event];
    assert(next !== null, `a cluster that is ${this.#state} cannot take ${event}`);
    this.#state = next;
    return next;
  }

  /** Throws SHUTTING_DOWN unless requests are served. */
  requireRunning(): void {
    if (this.#state === "running") return;
    throw new BrokerError(
      "SHUTTING_DOWN",
      `the cluster is ${this.#state}; it takes requests only while running`,
      {
        state: this.#state,
      },
    );
  }
}
