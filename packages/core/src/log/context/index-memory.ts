/**
 * How much memory the indexes of many logs may hold together: thousands of partitions share one budget.
 *
 * Invariants: what the indexes hold that were told of here is at most `bytesMax`, but for the one that was used last; the
 * one that was not used for longest gives its entries up first.
 * Never: an index asked to give up what it is just being read for.
 */
export interface IdleIndex {
  /** What its entries take. */
  readonly bytes: number;
  /** Writes what only memory holds, and forgets it. */
  giveWay(): void;
}

export class IndexMemory {
  readonly #bytesMax: number;
  /** With what they were last known to hold, the one that was used last at the end. */
  readonly #indexes = new Map<IdleIndex, number>();
  #bytes = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  /** What all of them hold. */
  get bytes(): number {
    return this.#bytes;
  }

  /** `index` was read, or has grown. */
  noteUse(index: IdleIndex): void {
    const { bytes } = index;
    this.forget(index);
    if (bytes === 0) return;
    this.#indexes.set(index, bytes);
    this.#bytes += bytes;
    if (this.#bytes > this.#bytesMax) this.#makeRoom(index);
  }

  /** It holds nothing any more, or nobody will ask it again. */
  forget(index: IdleIndex): void {
    this.#bytes -= this.#indexes.get(index) ?? 0;
    this.#indexes.delete(index);
  }

  #makeRoom(used: IdleIndex): void {
    for (const index of this.#indexes.keys()) {
      if (this.#bytes <= this.#bytesMax || index === used) return;
      this.forget(index);
      index.giveWay();
    }
  }
}
