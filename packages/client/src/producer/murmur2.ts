/**
 * The hash by which Kafka's Java client places keys: `org.apache.kafka.common.utils.Utils.murmur2`, a MurmurHash2 of 32 bits
 * with a fixed seed (Austin Appleby's algorithm), and `Utils.toPositive`, which drops the sign bit. A key then lies in the
 * partition where Kafka would have put it.
 */

const SEED = 0x9747b28c;
const MIX = 0x5bd1e995;
const MIX_SHIFT = 24;

/** The hash as Java has it: a signed integer of 32 bits. */
export function murmur2(bytes: Uint8Array): number {
  const wholeBytes = bytes.length & ~3;
  let hash = SEED ^ bytes.length;
  for (let at = 0; at < wholeBytes; at += 4) {
    let word = byteAt(bytes, at) | (byteAt(bytes, at + 1) << 8) | (byteAt(bytes, at + 2) << 16);
    word |= byteAt(bytes, at + 3) << 24;
    word = Math.imul(word, MIX);
    word ^= word >>> MIX_SHIFT;
    hash = Math.imul(hash, MIX) ^ Math.imul(word, MIX);
  }
  const rest = bytes.length - wholeBytes;
  if (rest > 0) {
    for (let index = rest - 1; index >= 0; index -= 1)
      hash ^= byteAt(bytes, wholeBytes + index) << (8 * index);
    hash = Math.imul(hash, MIX);
  }
  hash ^= hash >>> 13;
  hash = Math.imul(hash, MIX);
  return hash ^ (hash >>> 15);
}

/** Without the sign bit, which is not the absolute value: -1 becomes 2147483647. */
export function toPositive(hash: number): number {
  return hash & 0x7fffffff;
}

function byteAt(bytes: Uint8Array, index: number): number {
  return bytes[index] ?? 0;
}
