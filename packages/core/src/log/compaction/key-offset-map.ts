/**
 * The latest offset of each key that a pass of compaction has met, in a memory of fixed size.
 *
 * A key is told by 128 bits of a hash under a secret of the pass (sip-hash.ts), as Kafka tells it by an MD5. What is
 * assumed: no two keys of a log have the same hash. Among a billion keys that happens by chance in one of 10^20 logs, and
 * nobody who doesn't know the secret can bring it about. Two such keys would be taken for one, and the earlier one's record lost.
 *
 * Owns: one table with open addresses. Invariant: at most three of four slots are taken, so that a search ends soon.
 */
import { assert } from "../../assert.ts";
import type { Random } from "../../env/random.ts";
import { SipHash128 } from "./sip-hash.ts";

/** A hash and an offset. */
const SLOT_BYTES = 24;
const LOAD_MAX = 0.75;
/** Kafka takes 24 bytes for a slot and fills nine of ten; a fuller table would be slower here. */
export const BYTES_PER_KEY = SLOT_BYTES / LOAD_MAX;

const SLOT_WORDS = SLOT_BYTES / 4;
/** Where the halves of the offset stand in a slot, behind the hash. */
const LOW = 4;
const HIGH = 5;
const TWO_32 = 2 ** 32;

export class KeyOffsetMap {
  /** How many keys there is room for. */
  readonly keysMax: number;
  readonly #slots: number;
  readonly #hash: SipHash128;
  /** Six words for each slot, so that a search mostly touches one line of the cache: the hash, and one more than the offset. */
  readonly #table: Uint32Array;
  #keys = 0;

  /** Takes all of `bufferBytes` at once, or as much as `keysMax` keys need if that is less. At least one key fits. */
  constructor({ bufferBytes, keysMax }: { bufferBytes: number; keysMax: number }, random: Random) {
    this.keysMax = Math.max(1, Math.min(keysMax, Math.floor(bufferBytes / BYTES_PER_KEY)));
    this.#slots = Math.ceil(this.keysMax / LOAD_MAX);
    this.#table = new Uint32Array(this.#slots * SLOT_WORDS);
    const word = () => random.nextUint32();
    this.#hash = new SipHash128([word(), word(), word(), word()]);
  }

  get keys(): number {
    return this.#keys;
  }

  /** Notes that the key in `bytes` from `start` up to `end` has a record at `offset`. False when a new key doesn't fit. */
  put(bytes: Uint8Array, start: number, end: number, offset: number): boolean {
    const at = this.#find(bytes, start, end);
    const known = this.#offsetAt(at);
    if (known === -1) {
      if (this.#keys === this.keysMax) return false;
      this.#keys += 1;
      this.#table.set(this.#hash.words, at);
    }
    assert(offset > known, () => `offset ${offset} is noted after ${known}`);
    this.#table[at + LOW] = offset + 1;
    this.#table[at + HIGH] = (offset + 1) / TWO_32;
    return true;
  }

  /** The latest offset noted for the key, or -1. */
  get(bytes: Uint8Array, start: number, end: number): number {
    return this.#offsetAt(this.#find(bytes, start, end));
  }

  /** -1 for a free slot. */
  #offsetAt(at: number): number {
    return (this.#table[at + HIGH] as number) * TWO_32 + (this.#table[at + LOW] as number) - 1;
  }

  /** Where the key's slot begins, or the free one where it would go. */
  #find(bytes: Uint8Array, start: number, end: number): number {
    const table = this.#table;
    this.#hash.hash(bytes, start, end);
    const { words } = this.#hash;
    const first = words[0] as number;
    // Each step goes to the next slot; one of four at least is free.
    for (
      let at = (first % this.#slots) * SLOT_WORDS;
      ;
      at = at + SLOT_WORDS === table.length ? 0 : at + SLOT_WORDS
    ) {
      if (table[at + LOW] === 0 && table[at + HIGH] === 0) return at;
      const isSame =
        table[at] === first &&
        table[at + 1] === words[1] &&
        table[at + 2] === words[2] &&
        table[at + 3] === words[3];
      if (isSame) return at;
    }
  }
}
