/**
 * How much unread output all connections together may leave with us.
 *
 * Each connection's own limits bound it alone; a thousand clients that ask for a megabyte each and never read would still
 * fill the memory. Owns the list of those that have unsent output, the one that has not read for longest first.
 * Invariant: while more than `bytesMax` lie unsent, whoever has read nothing for `patienceMs` is given up, oldest first. A
 * burst of clients that do read is over before that, and loses nobody; those who read slowly begin nothing new meanwhile.
 */
import type { Deadline, Deadlines } from "../deadlines.ts";

export interface Debtor {
  /** Bytes that were written and not passed on. */
  readonly unsentBytes: number;
  /** Closes the connection; it then settles by itself. */
  giveUp(): void;
}

export interface OutputBudgetLimits {
  readonly bytesMax: number;
  readonly patienceMs: number;
}

export class OutputBudget {
  readonly #limits: OutputBudgetLimits;
  readonly #realTime: Deadlines;
  /** Since when each has had unsent output of which nothing has left. In the order of that time. */
  readonly #debtors = new Map<Debtor, number>();
  /** What was owed when it was last added up, and what was written since: never less than what is owed. */
  #bytesAtMost = 0;
  #nextLook: Deadline | null = null;

  constructor(limits: OutputBudgetLimits, realTime: Deadlines) {
    this.#limits = limits;
    this.#realTime = realTime;
  }

  /** `debtor` has written `bytes` that did not leave at once. */
  owe(debtor: Debtor, bytes: number): void {
    if (!this.#debtors.has(debtor)) this.#debtors.set(debtor, this.#realTime.nowMs());
    this.#bytesAtMost += bytes;
    if (this.#bytesAtMost > this.#limits.bytesMax) this.#collect();
  }

  /** Some of what `debtor` owes has left. */
  progressed(debtor: Debtor): void {
    if (this.#debtors.delete(debtor)) this.#debtors.set(debtor, this.#realTime.nowMs());
  }

  /** Everything of `debtor` has left, or it is closed. */
  settle(debtor: Debtor): void {
    this.#debtors.delete(debtor);
  }

  #collect(): void {
    let bytes = 0;
    for (const debtor of this.#debtors.keys()) bytes += debtor.unsentBytes;
    const tooOldMs = this.#realTime.nowMs() - this.#limits.patienceMs;
    for (const [debtor, sinceMs] of this.#debtors) {
      if (bytes <= this.#limits.bytesMax || sinceMs > tooOldMs) break;
      bytes -= debtor.unsentBytes;
      this.#debtors.delete(debtor);
      debtor.giveUp();
    }
    this.#bytesAtMost = bytes;
    if (bytes > this.#limits.bytesMax) this.#lookAgain();
  }

  /** Nobody may write any more by then, since nobody reads. */
  #lookAgain(): void {
    this.#nextLook ??= this.#realTime.after(this.#limits.patienceMs, () => {
      this.#nextLook = null;
      this.#collect();
    });
  }
}
