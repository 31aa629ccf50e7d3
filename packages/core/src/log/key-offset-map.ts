/**
 * The latest offset of each key that a pass of compaction has met, in a memory of fixed size.
 *
 * A key is told by 128 bits of a hash under a secret of the pass (sip-hash.ts), as Kafka tells it by an MD5. What is
 * assumed: no two keys of a log have the same hash. Among a billion keys that happens by chance in one of 10^20 logs, and
 * nobody who doesn't know the secret can bring it about. Two such keys would be taken for one, and the earlier one's record lost.
 *
 * Owns: one table with open addresses. Invariant: at most three of four slots are taken, so that a search ends soon.
 */
import { assert } from "../assert.ts";
import type { Random } from "../env/random.ts";
import { SipHash128 } from "./sip-hash.ts";

/** A hash and an offset. */
const SLOT_BYTES = 24;
const LOAD_MAX = 0.75;
/** Kafka takes 24 bytes for a slot and fills nine of ten; a fuller table would be slower here. */
export const BYTES_PER_KEY = SLOT_BYTES / LOAD_MAX;

const HASH_WORDS = 4;

export class KeyOffsetMap {
  /** How many keys there is room for. */
  readonly keysMax: number;
  readonly #slots: number;
  readonly #hash: SipHash128;
  readonly #hashes: Uint32Array;
  /** The offset and one more, so that 0 means none. */
  readonly #offsets: Float64Array;
  #keys = 0;

  /** Takes all of `bufferBytes` at once, or as much as `keysMax` keys need if that is less. At least one key fits. */
  constructor({ bufferBytes, keysMax }: { bufferBytes: number; keysMax: number }, random: Random) {
    this.keysMax = Math.max(1, Math.min(keysMax, Math.floor(bufferBytes / BYTES_PER_KEY)));
    this.#slots = Math.ceil(this.keysMax / LOAD_MAX);
    this.#hashes = new Uint32Array(this.#slots * HASH_WORDS);
    this.#offsets = new Float64Array(this.#slots);
    const word = () => random.nextUint32();
    this.#hash = new SipHash128([word(), word(), word(), word()]);
  }

  get keys(): number {
    return this.#keys;
  }

  /** Notes that the key in `bytes` from `start` up to `end` has a record at `offset`. False when a new key doesn't fit. */
  put(bytes: Uint8Array, start: number, end: number, offset: number): boolean {
    const slot = this.#find(bytes, start, end);
    const known = this.#offsets[slot] as number;
    if (known === 0) {
      if (this.#keys === this.keysMax) return false;
      this.#keys += 1;
      this.#hashes.set(this.#hash.words, slot * HASH_WORDS);
    }
    assert(offset >= known, `offset ${offset} is noted after ${known - 1}`);
    this.#offsets[slot] = offset + 1;
    return true;
  }

  /** The latest offset noted for the key, or -1. */
  get(bytes: Uint8Array, start: number, end: number): number {
    return (this.#offsets[this.#find(bytes, start, end)] as number) - 1;
  }

  /** The key's slot, or the free one where it would go. */
  #find(bytes: Uint8Array, start: number, end: number): number {
    const [hash, hashes, offsets] = [this.#hash, this.#hashes, this.#offsets];
    hash.hash(bytes, start, end);
    const { words } = hash;
    const first = words[0] as number;
    // Each step goes to the next slot; one of four at least is free.
    for (let slot = first % this.#slots; ; slot = slot + 1 === this.#slots ? 0 : slot + 1) {
      if (offsets[slot] === 0) return slot;
      const at = slot * HASH_WORDS;
      const isSame =
        hashes[at] === first &&
        hashes[at + 1] === words[1] &&
        hashes[at + 2] === words[2] &&
        hashes[at + 3] === words[3];
      if (isSame) return slot;
    }
  }
}
