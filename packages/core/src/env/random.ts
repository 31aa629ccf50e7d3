/**
 * Chance, handed in. The same seed gives the same numbers on every machine and in every version: transcripts and
 * simulator seeds depend on it, so the generator is written out here and never changes. What must not be guessed comes
 * from node-random.ts instead.
 */
import { assert } from "../assert.ts";

export interface Random {
  /** A whole number from 0 to 2^32 - 1, each as likely. */
  nextUint32(): number;
  /** A whole number from 0 to `limit` - 1, each as likely; `limit` is 1 to 2^32. */
  below(limit: number): number;
  bytes(count: number): Buffer;
  /** A version 4 UUID, in lower case. */
  uuid(): string;
}

const UINT32_COUNT = 2 ** 32;

/** Small Fast Counter (sfc32, Chris Doty-Humphrey, PractRand): 128 bits of state, one of them a counter. */
export class SeededRandom implements Random {
  readonly seed: number;
  #a: number;
  #b: number;
  #c: number;
  #counter = 1;

  /** `seed` is any safe integer; both of its halves count. */
  constructor(seed: number) {
    assert(Number.isSafeInteger(seed), `a seed is a safe integer, not ${seed}`);
    this.seed = seed;
    this.#a = seed | 0;
    this.#b = Math.floor(seed / UINT32_COUNT) | 0;
    this.#c = 0x2545f491;
    // Seeds that differ in one bit give numbers that have nothing in common only after the state is well mixed.
    for (let round = 0; round < 16; round++) this.nextUint32();
  }

  nextUint32(): number {
    const sum = (this.#a + this.#b + this.#counter) | 0;
    this.#counter = (this.#counter + 1) | 0;
    this.#a = this.#b ^ (this.#b >>> 9);
    this.#b = (this.#c + (this.#c << 3)) | 0;
    this.#c = ((this.#c << 21) | (this.#c >>> 11)) + sum;
    this.#c |= 0;
    return sum >>> 0;
  }

  below(limit: number): number {
    assert(
      Number.isInteger(limit) && limit >= 1 && limit <= UINT32_COUNT,
      `a limit is 1 to 2^32, not ${limit}`,
    );
    // Numbers in the last, incomplete round of `limit` are drawn again, or small results would be likelier.
    const fairLimit = UINT32_COUNT - (UINT32_COUNT % limit);
    let drawn = this.nextUint32();
    while (drawn >= fairLimit) drawn = this.nextUint32();
    return drawn % limit;
  }

  bytes(count: number): Buffer {
    const drawn = Buffer.alloc(count);
    for (let index = 0; index < count; index++) drawn[index] = this.nextUint32() & 0xff;
    return drawn;
  }

  uuid(): string {
    const drawn = this.bytes(16);
    drawn.writeUInt8((drawn.readUInt8(6) & 0x0f) | 0x40, 6);
    drawn.writeUInt8((drawn.readUInt8(8) & 0x3f) | 0x80, 8);
    const hex = drawn.toString("hex");
    return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
  }
}
