/**
 * When the requests of a connection have arrived, among those of all connections, where requests are taken one after the other.
 *
 * Owns a place in the sequence for each request that is not taken yet, and for the end of the stream behind them.
 * Invariants: a place is drawn when the last byte of a request arrives, and is kept however long it waits for the ones before it.
 */
import type { Sequence } from "./sequence.ts";

export class Arrivals {
  readonly #sequence: Sequence;
  /** What came in one chunk stands side by side. */
  readonly #chunks: { readonly place: number; requests: number }[] = [];
  #endPlace: number | null = null;

  constructor(sequence: Sequence) {
    this.#sequence = sequence;
  }

  /** Where the next request stands; the end, when none is left; of neither it is here and now. */
  get nextPlace(): number {
    return this.#chunks[0]?.place ?? this.#endPlace ?? this.#sequence.place();
  }

  /** So many ended in one chunk. */
  came(requests: number): void {
    if (requests > 0) this.#chunks.push({ place: this.#sequence.place(), requests });
  }

  /** No request comes any more. */
  ended(): void {
    this.#endPlace ??= this.#sequence.place();
  }

  /** The next request is taken. */
  taken(): void {
    const [first] = this.#chunks;
    if (first === undefined) return;
    first.requests -= 1;
    if (first.requests === 0) this.#chunks.shift();
  }
}
