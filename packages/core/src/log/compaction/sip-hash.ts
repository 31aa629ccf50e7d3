/**
 * SipHash-2-4 with 128 bits (Aumasson and Bernstein): a hash under a secret, so that nobody who chooses keys can choose two
 * that fall together. Words of 64 bits are kept as halves of 32, which is what a JavaScript engine calculates fast.
 */

/** 16 secret bytes as four words, least significant first. */
export type HashSecret = readonly [number, number, number, number];

export class SipHash128 {
  readonly #secret: HashSecret;
  /** The hash that hash() has made: four words of 32 bits, least significant first. */
  readonly words = new Uint32Array(4);

  constructor(secret: HashSecret) {
    this.#secret = secret;
  }

  /**
   * Puts the hash of `bytes` from `start` up to `end` into `words`. One loop goes over the message's words and then twice
   * over the state alone, so that all of it stays in registers: small letters are the low halves of v0 to v3, capitals the
   * high ones.
   */
  hash(bytes: Uint8Array, start: number, end: number): void {
    const { words } = this;
    const [k0, K0, k1, K1] = this.#secret;
    let [a, A, b, B] = [k0 ^ 0x70736575, K0 ^ 0x736f6d65, k1 ^ 0x6e646f6d, K1 ^ 0x646f7261];
    let [c, C, d, D] = [k0 ^ 0x6e657261, K0 ^ 0x6c796765, k1 ^ 0x79746573, K1 ^ 0x74656462];
    // Tells the hash of 128 bits from that of 64.
    b ^= 0xee;
    const messageWords = ((end - start) >>> 3) + 1;
    for (let step = 0; step < messageWords + 2; step += 1) {
      const isMessage = step < messageWords;
      const at = start + 8 * step;
      const low = isMessage ? halfAt(bytes, at, end) : 0;
      const high = isMessage
        ? halfAt(bytes, at + 4, end) | (step === messageWords - 1 ? (end - start) << 24 : 0)
        : 0;
      d ^= low;
      D ^= high;
      if (step === messageWords) c ^= 0xee;
      if (step === messageWords + 1) b ^= 0xdd;
      for (let round = isMessage ? 2 : 4; round > 0; round -= 1) {
        let sum = (a >>> 0) + (b >>> 0);
        A = (A + B + (sum > 0xffffffff ? 1 : 0)) | 0;
        const a1 = sum | 0;
        const b1 = ((b << 13) | (B >>> 19)) ^ a1;
        B = ((B << 13) | (b >>> 19)) ^ A;
        sum = (c >>> 0) + (d >>> 0);
        C = (C + D + (sum > 0xffffffff ? 1 : 0)) | 0;
        c = sum | 0;
        const d1 = ((d << 16) | (D >>> 16)) ^ c;
        D = ((D << 16) | (d >>> 16)) ^ C;
        // v0 has its halves the other way round here.
        sum = (A >>> 0) + (d1 >>> 0);
        A = (a1 + D + (sum > 0xffffffff ? 1 : 0)) | 0;
        a = sum | 0;
        d = ((d1 << 21) | (D >>> 11)) ^ a;
        D = ((D << 21) | (d1 >>> 11)) ^ A;
        sum = (c >>> 0) + (b1 >>> 0);
        const C1 = (C + B + (sum > 0xffffffff ? 1 : 0)) | 0;
        b = ((b1 << 17) | (B >>> 15)) ^ sum;
        B = ((B << 17) | (b1 >>> 15)) ^ C1;
        C = sum | 0;
        c = C1;
      }
      a ^= low;
      A ^= high;
      const half = step - messageWords;
      if (half < 0) continue;
      words[2 * half] = a ^ b ^ c ^ d;
      words[2 * half + 1] = A ^ B ^ C ^ D;
    }
  }
}

/** Up to four bytes as a word, least significant first. */
function halfAt(bytes: Uint8Array, at: number, end: number): number {
  if (at + 4 <= end) {
    const [first, second] = [bytes[at] as number, bytes[at + 1] as number];
    return first | (second << 8) | ((bytes[at + 2] as number) << 16) | ((bytes[at + 3] as number) << 24);
  }
  let word = 0;
  for (let byte = at; byte < end; byte += 1) word |= (bytes[byte] as number) << (8 * (byte - at));
  return word;
}
