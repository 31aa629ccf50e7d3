/**
 * Many who wait for the disk, one who asks it. Whoever joins gets a promise of a round that begins after the call; those
 * who join while a round is under way share the next one, whose beginning may be up to one round away.
 *
 * Never: two rounds at once; a round that began before somebody's call counted for that call.
 */
import { assert } from "../assert.ts";

export class GroupCommit {
  readonly #round: (waiters: number) => Promise<void>;
  /** The round that has not begun, and how many wait for it. */
  #next: { readonly done: Promise<void>; waiters: number } | null = null;
  /** The round under way. Never rejects. */
  #running: Promise<void> = Promise.resolve();

  /** `round` is called once for all that wait. It must do for them whatever they could ask for when it is called. */
  constructor(round: (waiters: number) => Promise<void>) {
    this.#round = round;
  }

  /** Settles as the round does. */
  join(): Promise<void> {
    this.#next ??= { done: this.#begin(), waiters: 0 };
    this.#next.waiters++;
    return this.#next.done;
  }

  async #begin(): Promise<void> {
    // Also when nothing is under way: all that is asked for in the same turn of the event loop goes together.
    await this.#running;
    assert(this.#next !== null, "a round has nobody to run for");
    const { waiters } = this.#next;
    this.#next = null;
    const done = this.#round(waiters);
    this.#running = done.catch(() => {});
    await done;
  }
}
