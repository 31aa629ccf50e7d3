/**
 * When the lines of a connection have arrived, among those of all connections, where requests are taken one after the other.
 *
 * Owns a place in the sequence for each line that is not taken yet, and for the end of the stream behind them.
 * Invariants: a place is drawn when the newline arrives, and is kept however long the line waits for the ones before it.
 */
import type { Sequence } from "./sequence.ts";

const NEWLINE = 0x0a;

export class Arrivals {
  readonly #sequence: Sequence;
  /** Lines that came in one chunk stand side by side. */
  readonly #chunks: { readonly place: number; lines: number }[] = [];
  #endPlace: number | null = null;

  constructor(sequence: Sequence) {
    this.#sequence = sequence;
  }

  /** Where the next line stands; the end, when no line is left; of neither it is here and now. */
  get nextPlace(): number {
    return this.#chunks[0]?.place ?? this.#endPlace ?? this.#sequence.place();
  }

  came(chunk: Buffer): void {
    let lines = 0;
    for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, at + 1)) lines += 1;
    if (lines > 0) this.#chunks.push({ place: this.#sequence.place(), lines });
  }

  /** No line comes any more. */
  ended(): void {
    this.#endPlace ??= this.#sequence.place();
  }

  /** The next line is taken. */
  taken(): void {
    const [first] = this.#chunks;
    if (first === undefined) return;
    first.lines -= 1;
    if (first.lines === 0) this.#chunks.shift();
  }
}
