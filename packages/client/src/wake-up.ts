/** Lets a loop wait until something may have changed: told by hand, by a clock or by a signal, whichever is first. */
import { onAbort } from "./abort.ts";
import type { ClientClock } from "./clock.ts";

export class WakeUp {
  #waiting: (() => void)[] = [];

  /** Ends all waits. */
  now(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const wake of waiting) wake();
  }

  /** Resolves at the next `now`, after `delayMs` (`null`: never by itself), or once `signal` is aborted; never rejects. */
  wait(clock: ClientClock, delayMs: number | null, signal?: AbortSignal): Promise<void> {
    if (signal?.aborted === true) return Promise.resolve();
    return new Promise((resolve) => {
      let forget = () => {};
      const wake = () => {
        cancel();
        forget();
        this.#waiting = this.#waiting.filter((other) => other !== wake);
        resolve();
      };
      const cancel = delayMs === null ? () => {} : clock.after(delayMs, wake);
      if (signal !== undefined) forget = onAbort(signal, wake);
      this.#waiting.push(wake);
    });
  }
}
