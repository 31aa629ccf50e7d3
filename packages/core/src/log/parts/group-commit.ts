/**
 * Many who wait for the disk, one who asks it. Whoever joins gets a promise of a round that begins after the call; those
 * who join while something else has the turn share the next round.
 *
 * Never: two rounds at once; a round that began before somebody's call counted for that call.
 */
import { assert } from "../../assert.ts";
import type { Turns } from "./turns.ts";

export class GroupCommit {
  readonly #turns: Turns;
  readonly #round: (waiters: number) => Promise<void>;
  /** The round that has not begun, and how many wait for it. */
  #next: { readonly done: Promise<void>; waiters: number } | null = null;

  /** `round` is called once for all that wait. It must do for them whatever they could ask for when it is called. */
  constructor(turns: Turns, round: (waiters: number) => Promise<void>) {
    this.#turns = turns;
    this.#round = round;
  }

  /** Settles as the round does. */
  join(): Promise<void> {
    // Also when nothing is under way: all that is asked for in the same turn of the event loop goes together.
    this.#next ??= { done: this.#turns.take(() => this.#begin()), waiters: 0 };
    this.#next.waiters++;
    return this.#next.done;
  }

  async #begin(): Promise<void> {
    assert(this.#next !== null, "a round has nobody to run for");
    const { waiters } = this.#next;
    this.#next = null;
    await this.#round(waiters);
  }
}
