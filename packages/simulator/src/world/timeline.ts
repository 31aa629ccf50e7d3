/**
 * Simulated time, and what is going to happen in it.
 *
 * Owns: the present, and the queue of what is due.
 * Invariants: time never goes back; of what is due at one instant, what was planned first happens first.
 * Never: the wall clock.
 */
export interface Planned {
  readonly atMs: number;
  /** It does not happen any more. */
  cancel(): void;
}

interface Entry extends Planned {
  readonly order: number;
  act: (() => void) | null;
}

export class Timeline {
  /** Latest first, so that the next is taken from the end. */
  readonly #queue: Entry[] = [];
  #nowMs = 0;
  #planned = 0;

  /** Since the run began. */
  get nowMs(): number {
    return this.#nowMs;
  }

  /** `act` happens `afterMs` from now. */
  plan(afterMs: number, act: () => void): Planned {
    const entry: Entry = {
      atMs: this.#nowMs + afterMs,
      order: this.#planned++,
      act,
      cancel: () => {
        entry.act = null;
      },
    };
    this.#queue.splice(this.#placeOf(entry), 0, entry);
    return entry;
  }

  /** When something is due next; `null`: nothing is planned. */
  get nextMs(): number | null {
    let last = this.#queue.at(-1);
    while (last !== undefined && last.act === null) {
      this.#queue.pop();
      last = this.#queue.at(-1);
    }
    return last?.atMs ?? null;
  }

  /** Time goes on to `atMs`, up to which nothing may be due. */
  moveTo(atMs: number): void {
    if (atMs < this.#nowMs)
      throw new RangeError(`time is ${this.#nowMs} ms and cannot go back to ${atMs} ms`);
    this.#nowMs = atMs;
  }

  /** Everything that is due now happens, also what is planned for now meanwhile. */
  act(): void {
    while (this.nextMs !== null && this.nextMs <= this.#nowMs) this.#queue.pop()?.act?.();
  }

  #placeOf({ atMs, order }: Entry): number {
    let [low, high] = [0, this.#queue.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      const other = this.#queue[middle] as Entry;
      if (other.atMs > atMs || (other.atMs === atMs && other.order > order)) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
