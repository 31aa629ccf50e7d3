/**
 * How long a stopping daemon waits for answers that are owed.
 *
 * Owns the end of waiting. Invariants: who waits is answered, that the time is over, before anybody is cut off; with a manual clock that is
 * at once, since nobody can step any more what is waited for, and else after a grace in which replicas go on. It ends also where nothing but
 * its own time keeps the process alive.
 */
import type { Sequence } from "./connections/sequence.ts";
import type { Deadline, Deadlines } from "./deadlines.ts";

/** Unless the program says another. */
export const GRACE_MS = 5_000;
/** How long it may take after that to tell those who wait. */
const LAST_ANSWERS_MS = 500;

export interface GraceParts {
  readonly realTime: Deadlines;
  /** Those of requests; `realTime` itself unless the clock is a manual one. */
  readonly deadlines: Deadlines;
  /** With a manual clock; else `null`. */
  readonly sequence: Sequence | null;
  /** What replicas and disks are given to answer, with a clock that goes by itself. */
  readonly graceMs: number;
  /** Closes the connections of all who are there yet. */
  readonly cutOff: () => void;
}

export class Grace {
  readonly #parts: GraceParts;
  #next: Deadline;

  /** Begins it. Nobody may come in any more. */
  constructor(parts: GraceParts) {
    this.#parts = parts;
    parts.realTime.keepAwake();
    this.#next = parts.realTime.after(parts.graceMs, () => this.#over());
    // What the disks alone have to answer is answered until all is quiet.
    void parts.sequence?.settled().then(() => this.#endWaits());
  }

  /** All have gone. */
  end(): void {
    this.#next.cancel();
  }

  #over(): void {
    const { realTime, cutOff } = this.#parts;
    this.#next = realTime.after(LAST_ANSWERS_MS, cutOff);
    this.#endWaits();
  }

  #endWaits(): void {
    const { deadlines, sequence } = this.#parts;
    if (deadlines.hasEndedWaits) return;
    deadlines.endWaits();
    // Who waits behind one of those begins now.
    void sequence?.settled();
  }
}
