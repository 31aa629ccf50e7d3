/**
 * Whose request is taken when, with a manual clock: one after the other, over all connections, in the order in which they came.
 * One that had to wait (for one that a fault holds, say) comes before all that came later, once what it waited for lets it go.
 *
 * Owns the queue of acts that change something: requests, and the ends of connections.
 * Invariants: an act begins when all is quiet that the one before it has set off, as far as it needs no step and no client; one
 * that waits for more than that (a long poll, an acknowledgement by who has to be stepped) holds nobody up. So what happens
 * follows from the order of the acts alone, and not from how long the machine took for each.
 */
import type { Deadlines } from "../deadlines.ts";
import { Quiet } from "./quiet.ts";

/** Returns whether it did anything that may have set something off. */
export type Act = () => boolean;

interface Placed {
  readonly place: number;
  readonly act: Act;
}

export class Sequence {
  readonly #quiet: Quiet;
  /** In the order of their places. */
  readonly #acts: Placed[] = [];
  #lastPlace = 0;
  #isTaking = false;

  /** `deadlines` run on the stepped clock. */
  constructor(deadlines: Pick<Deadlines, "fireDue">) {
    this.#quiet = new Quiet(deadlines);
  }

  /** A place behind all that were given. */
  place(): number {
    this.#lastPlace += 1;
    return this.#lastPlace;
  }

  /** Begins `act` at once, or when its turn has come. */
  add(act: Act, place = this.place()): void {
    const after = this.#acts.findLastIndex((other) => other.place <= place);
    this.#acts.splice(after + 1, 0, { place, act });
    if (!this.#isTaking) void this.#takeAll();
  }

  /** Until `work` is over no act begins. Settles as it does. */
  hold<Result>(work: Promise<Result>): Promise<Result> {
    return this.#quiet.hold(work);
  }

  /** Resolves when no act waits, and all is quiet. */
  async settled(): Promise<void> {
    do await this.#quiet.come();
    while (this.#isTaking);
  }

  async #takeAll(): Promise<void> {
    this.#isTaking = true;
    for (let next = this.#acts.shift(); next !== undefined; next = this.#acts.shift())
      if (next.act()) await this.#quiet.come();
    this.#isTaking = false;
  }
}
