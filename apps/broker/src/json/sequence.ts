/**
 * Whose request is taken when, with a manual clock: one after the other, over all connections, in the order in which they came.
 *
 * Owns the queue of acts that change something: requests, and the ends of connections; and the work that holds it up.
 * Invariants: an act begins when all is quiet that the one before it has set off, as far as it needs no step and no client; one
 * that waits for more than that (a long poll, an acknowledgement by who has to be stepped) holds nobody up. So what happens
 * follows from the order of the acts alone, and not from how long the machine took for each.
 * Never: a timer. All is quiet when no promise is left to be run: the disk is prompt (core's PromptDisk), and nothing else takes
 * time.
 */
import type { Deadlines } from "../deadlines.ts";
import { aTurnForOthers } from "../ticker.ts";

/** Returns whether it did anything that may have set something off. */
export type Act = () => boolean;

export class Sequence {
  readonly #deadlines: Deadlines;
  readonly #acts: Act[] = [];
  readonly #held = new Set<Promise<unknown>>();
  #isTaking = false;

  /** `deadlines` run on the stepped clock; what is due at once, is called when all else is quiet. */
  constructor(deadlines: Deadlines) {
    this.#deadlines = deadlines;
  }

  /** Begins `act` at once, or when its turn has come. */
  add(act: Act): void {
    this.#acts.push(act);
    if (!this.#isTaking) void this.#takeAll();
  }

  /** Until `work` is over no act begins, and nothing is quiet: it sets things off in more than one go. Settles as it does. */
  hold<Result>(work: Promise<Result>): Promise<Result> {
    const isOver = () => {
      this.#held.delete(work);
    };
    this.#held.add(work);
    work.then(isOver, isOver);
    return work;
  }

  /** Resolves when no act waits, and all is quiet. */
  async settled(): Promise<void> {
    do await this.quiet();
    while (this.#isTaking);
  }

  /** Resolves when nothing is left to be run that needs neither a step nor a client. */
  async quiet(): Promise<void> {
    do {
      await aTurnForOthers();
      await Promise.allSettled(this.#held);
    } while (this.#deadlines.fireDue() || this.#held.size > 0);
  }

  async #takeAll(): Promise<void> {
    this.#isTaking = true;
    for (let act = this.#acts.shift(); act !== undefined; act = this.#acts.shift())
      if (act()) await this.quiet();
    this.#isTaking = false;
  }
}
