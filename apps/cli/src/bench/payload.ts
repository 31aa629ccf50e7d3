/** What a bench's records hold: capital letters, as kafka-producer-perf-test has them, and the same ones each time. */

const LETTERS = 26;
const CAPITAL_A = 65;
/** So many different values, one after the other: a codec is not to find the same record again and again. */
const VALUES_MAX = 64;
/** Of all values together, that large ones are made in no time. */
const BYTES_MAX = 1024 * 1024;
/** Knuth's multiplier for a generator of 32 bits; its upper bits are the better ones. */
const MULTIPLIER = 1_664_525;
const INCREMENT = 1_013_904_223;

export class Payloads {
  readonly #values: readonly Buffer[];
  #state = 1;
  #next = 0;

  /** `recordBytes`: of each value. */
  constructor(recordBytes: number) {
    const length = Math.min(VALUES_MAX, Math.max(1, Math.floor(BYTES_MAX / recordBytes)));
    this.#values = Array.from({ length }, () =>
      Buffer.from(Uint8Array.from({ length: recordBytes }, () => this.#letter())),
    );
  }

  next(): Buffer {
    const value = this.#values[this.#next % this.#values.length] ?? Buffer.alloc(0);
    this.#next += 1;
    return value;
  }

  #letter(): number {
    this.#state = (Math.imul(this.#state, MULTIPLIER) + INCREMENT) >>> 0;
    return CAPITAL_A + ((this.#state >>> 8) % LETTERS);
  }
}
