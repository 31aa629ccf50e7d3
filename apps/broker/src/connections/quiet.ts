/**
 * When all is over that something has set off, with a manual clock.
 *
 * Owns the work that sets things off in more than one go.
 * Never: a timer. All is quiet when no promise is left to be run: the disk is prompt (core's PromptDisk), and nothing else takes
 * time.
 */
import type { Deadlines } from "../deadlines.ts";
import { aTurnForOthers } from "../ticker.ts";

export class Quiet {
  readonly #deadlines: Pick<Deadlines, "fireDue">;
  readonly #held = new Set<Promise<unknown>>();

  /** `deadlines` run on the stepped clock; what is due at once, is called when all else is quiet. */
  constructor(deadlines: Pick<Deadlines, "fireDue">) {
    this.#deadlines = deadlines;
  }

  /** Until `work` is over nothing is quiet: it sets things off in more than one go. Settles as it does. */
  hold<Result>(work: Promise<Result>): Promise<Result> {
    const isOver = () => {
      this.#held.delete(work);
    };
    this.#held.add(work);
    work.then(isOver, isOver);
    return work;
  }

  /** Resolves when nothing is left to be run that needs neither a step nor a client. */
  async come(): Promise<void> {
    do {
      await aTurnForOthers();
      await Promise.allSettled(this.#held);
    } while (this.#deadlines.fireDue() || this.#held.size > 0);
  }
}
