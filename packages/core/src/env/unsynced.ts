/**
 * The changes of one file or folder in memory that no sync has covered, in order.
 *
 * A sync covers what was there when it was called. One that fails leaves its changes in doubt: the system marks the pages
 * clean all the same, so that no later sync makes them durable, though the device may have them.
 */
interface Entry<Change> {
  readonly change: Change;
  readonly turn: number;
  inDoubt: boolean;
}

export class Unsynced<Change> {
  #entries: Entry<Change>[] = [];
  #lastTurn = 0;

  get isEmpty(): boolean {
    return this.#entries.length === 0;
  }

  /** The last change so far. A sync notes it when it is called, and names it when it ends. */
  get lastTurn(): number {
    return this.#lastTurn;
  }

  add(change: Change): void {
    this.#entries.push({ change, turn: ++this.#lastTurn, inDoubt: false });
  }

  /** A sync of everything up to `turn` has succeeded: the changes that it made durable. Those in doubt are lost. */
  takeSynced(turn: number): Change[] {
    const covered = this.#entries.filter((entry) => entry.turn <= turn);
    this.#entries = this.#entries.slice(covered.length);
    return covered.filter((entry) => !entry.inDoubt).map((entry) => entry.change);
  }

  /** A sync of everything up to `turn` has failed. */
  doubt(turn: number): void {
    for (const entry of this.#entries) entry.inDoubt ||= entry.turn <= turn;
  }

  /** Everything that a power cut may keep or lose. */
  takeAll(): Change[] {
    const changes = this.#entries.map((entry) => entry.change);
    this.#entries = [];
    return changes;
  }

  clone(cloneOf: (change: Change) => Change = (change) => change): Unsynced<Change> {
    const copy = new Unsynced<Change>();
    copy.#entries = this.#entries.map((entry) => ({ ...entry, change: cloneOf(entry.change) }));
    copy.#lastTurn = this.#lastTurn;
    return copy;
  }
}
