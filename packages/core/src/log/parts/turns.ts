/**
 * One at a time: whatever changes which segments a log has, or how far they reach on the disk, waits for its turn. A flush,
 * a seal, a truncation, retention and the swap of a compaction so never see each other half done. Appends need no turn:
 * they only add to the end, and never while a truncation is under way.
 *
 * Invariants: turns begin in the order in which they were asked for; one that fails makes room for the next.
 * Never: a turn taken within a turn, which would wait for itself.
 */
export class Turns {
  #last: Promise<void> = Promise.resolve();
  #isTaken = false;

  /** True while somebody has the turn. */
  get isTaken(): boolean {
    return this.#isTaken;
  }

  /** Calls `act` when everybody who asked before is through, never within this call. Settles as it does. */
  take<Result>(act: () => Promise<Result>): Promise<Result> {
    const done = this.#last.then(() => this.#run(act));
    this.#last = done.then(nothing, nothing);
    return done;
  }

  async #run<Result>(act: () => Promise<Result>): Promise<Result> {
    this.#isTaken = true;
    try {
      return await act();
    } finally {
      this.#isTaken = false;
    }
  }
}

function nothing(): void {}
