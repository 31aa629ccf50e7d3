/**
 * SipHash-2-4 with 128 bits (Aumasson and Bernstein): a hash under a secret, so that nobody who chooses keys can choose two
 * that fall together. Words of 64 bits are kept as halves of 32, which is what a JavaScript engine calculates fast.
 */

/** 16 secret bytes as four words, least significant first. */
export type HashSecret = readonly [number, number, number, number];

const COMPRESSION_ROUNDS = 2;
const FINAL_ROUNDS = 4;

export class SipHash128 {
  readonly #secret: HashSecret;
  /** The hash that hash() has made: four words of 32 bits, least significant first. */
  readonly words = new Uint32Array(4);
  // The state: small letters are the low halves of v0 to v3, capitals the high ones.
  #a = 0;
  #A = 0;
  #b = 0;
  #B = 0;
  #c = 0;
  #C = 0;
  #d = 0;
  #D = 0;

  constructor(secret: HashSecret) {
    this.#secret = secret;
  }

  /** Puts the hash of `bytes` from `start` up to `end` into `words`. */
  hash(bytes: Uint8Array, start: number, end: number): void {
    const { words } = this;
    this.#begin();
    let at = start;
    for (; end - at >= 8; at += 8) this.#take(wordAt(bytes, at), wordAt(bytes, at + 4));
    let low = 0;
    let high = (end - start) << 24;
    for (let shift = 0; at < end; at += 1, shift += 8) {
      if (shift < 32) low |= (bytes[at] as number) << shift;
      else high |= (bytes[at] as number) << (shift - 32);
    }
    this.#take(low, high);
    this.#c ^= 0xee;
    this.#rounds(FINAL_ROUNDS);
    words[0] = this.#a ^ this.#b ^ this.#c ^ this.#d;
    words[1] = this.#A ^ this.#B ^ this.#C ^ this.#D;
    this.#b ^= 0xdd;
    this.#rounds(FINAL_ROUNDS);
    words[2] = this.#a ^ this.#b ^ this.#c ^ this.#d;
    words[3] = this.#A ^ this.#B ^ this.#C ^ this.#D;
  }

  #begin(): void {
    const [k0, K0, k1, K1] = this.#secret;
    this.#a = k0 ^ 0x70736575;
    this.#A = K0 ^ 0x736f6d65;
    // 0xee tells the hash of 128 bits from that of 64.
    this.#b = k1 ^ 0x6e646f6d ^ 0xee;
    this.#B = K1 ^ 0x646f7261;
    this.#c = k0 ^ 0x6e657261;
    this.#C = K0 ^ 0x6c796765;
    this.#d = k1 ^ 0x79746573;
    this.#D = K1 ^ 0x74656462;
  }

  #take(low: number, high: number): void {
    this.#d ^= low;
    this.#D ^= high;
    this.#rounds(COMPRESSION_ROUNDS);
    this.#a ^= low;
    this.#A ^= high;
  }

  #rounds(count: number): void {
    let [a, A, b, B] = [this.#a, this.#A, this.#b, this.#B];
    let [c, C, d, D] = [this.#c, this.#C, this.#d, this.#D];
    for (let round = 0; round < count; round += 1) {
      let sum = (a >>> 0) + (b >>> 0);
      A = (A + B + (sum > 0xffffffff ? 1 : 0)) | 0;
      a = sum | 0;
      let low = (b << 13) | (B >>> 19);
      B = ((B << 13) | (b >>> 19)) ^ A;
      b = low ^ a;
      low = A;
      A = a;
      a = low;
      sum = (c >>> 0) + (d >>> 0);
      C = (C + D + (sum > 0xffffffff ? 1 : 0)) | 0;
      c = sum | 0;
      low = (d << 16) | (D >>> 16);
      D = ((D << 16) | (d >>> 16)) ^ C;
      d = low ^ c;
      sum = (a >>> 0) + (d >>> 0);
      A = (A + D + (sum > 0xffffffff ? 1 : 0)) | 0;
      a = sum | 0;
      low = (d << 21) | (D >>> 11);
      D = ((D << 21) | (d >>> 11)) ^ A;
      d = low ^ a;
      sum = (c >>> 0) + (b >>> 0);
      C = (C + B + (sum > 0xffffffff ? 1 : 0)) | 0;
      c = sum | 0;
      low = (b << 17) | (B >>> 15);
      B = ((B << 17) | (b >>> 15)) ^ C;
      b = low ^ c;
      low = C;
      C = c;
      c = low;
    }
    this.#a = a;
    this.#A = A;
    this.#b = b;
    this.#B = B;
    this.#c = c;
    this.#C = C;
    this.#d = d;
    this.#D = D;
  }
}

function wordAt(bytes: Uint8Array, at: number): number {
  return (
    (bytes[at] as number) |
    ((bytes[at + 1] as number) << 8) |
    ((bytes[at + 2] as number) << 16) |
    ((bytes[at + 3] as number) << 24)
  );
}
