/**
 * Zigzag varints as in Protocol Buffers and Kafka's record batch v2: seven bits a byte, least significant first, the high
 * bit set on every byte but the last. Small magnitudes of either sign take one byte.
 *
 * Values of up to two bytes, which nearly all are, are read and written in functions so short that the compiler makes them
 * part of their callers' loops: a call for each was half of what a small record cost. Larger ones go through others, and those
 * past 32 bits (a time far from its batch's first) through bigint.
 */

const INT32_MAX = 0x7fffffff;
const INT32_MIN = -0x80000000;
/** Ten groups of seven bits hold 64 bits. */
const VARINT_BYTES_MAX = 10;

function bytesOfUnsigned32(value: number): number {
  if (value < 0x80) return 1;
  if (value < 0x4000) return 2;
  if (value < 0x200000) return 3;
  return value < 0x10000000 ? 4 : 5;
}

function zigzag64(value: number): bigint {
  const wide = BigInt(value);
  return BigInt.asUintN(64, (wide << 1n) ^ (wide >> 63n));
}

/** How many bytes {@link writeVarint} will write for `value`. */
export function varintBytes(value: number): number {
  return value >= -0x40 && value < 0x40 ? 1 : bytesOfLonger(value);
}

function bytesOfLonger(value: number): number {
  if (value >= INT32_MIN && value <= INT32_MAX)
    return bytesOfUnsigned32(((value << 1) ^ (value >> 31)) >>> 0);
  let rest = zigzag64(value) >> 7n;
  let bytes = 1;
  for (; rest > 0n; rest >>= 7n) bytes += 1;
  return bytes;
}

/** Writes `value` at `position` and returns the position after it. The caller has made room. */
export function writeVarint(target: Uint8Array, position: number, value: number): number {
  if (value !== (value | 0)) return writeLonger(target, position, value);
  const zigzag = (value << 1) ^ (value >> 31);
  if (zigzag >>> 7 === 0) {
    target[position] = zigzag;
    return position + 1;
  }
  if (zigzag >>> 14 !== 0) return writeLonger(target, position, value);
  target[position] = (zigzag & 0x7f) | 0x80;
  target[position + 1] = zigzag >>> 7;
  return position + 2;
}

function writeLonger(target: Uint8Array, position: number, value: number): number {
  let at = position;
  if (value >= INT32_MIN && value <= INT32_MAX) {
    let rest = ((value << 1) ^ (value >> 31)) >>> 0;
    for (; rest >= 0x80; rest >>>= 7) target[at++] = (rest & 0x7f) | 0x80;
    target[at++] = rest;
    return at;
  }
  let rest = zigzag64(value);
  for (; rest >= 0x80n; rest >>= 7n) target[at++] = Number(rest & 0x7fn) | 0x80;
  target[at++] = Number(rest);
  return at;
}

/** Thrown for bytes that no writer of this format produces. */
export class MalformedVarint extends Error {
  override readonly name = "MalformedVarint";
}

/**
 * Reads varints one after the other from `bytes`, never past `end`. One reader serves a whole batch: an object a value
 * would cost more than the reading itself.
 */
export class VarintReader {
  readonly bytes: Uint8Array;
  readonly end: number;
  position: number;

  constructor(bytes: Uint8Array, position: number, end: number) {
    this.bytes = bytes;
    this.position = position;
    this.end = end;
  }

  /** The next value; throws {@link MalformedVarint} when it does not end before `end` or is not a safe integer. */
  next(): number {
    const { bytes, end } = this;
    const at = this.position;
    if (at < end) {
      const first = bytes[at] as number;
      if (first < 0x80) {
        this.position = at + 1;
        return (first >>> 1) ^ -(first & 1);
      }
      if (at + 1 < end) {
        const second = bytes[at + 1] as number;
        if (second < 0x80) {
          this.position = at + 2;
          const low = (first & 0x7f) | (second << 7);
          return (low >>> 1) ^ -(low & 1);
        }
      }
    }
    return this.#nextLonger();
  }

  /** Kept apart, so that what is short can be made part of the loop that calls it. */
  #nextLonger(): number {
    const { bytes, end } = this;
    let at = this.position;
    let low = 0;
    for (let shift = 0; shift < 28; shift += 7) {
      if (at >= end) throw new MalformedVarint(`a varint at ${this.position} runs past the end at ${end}`);
      const byte = bytes[at++] as number;
      low |= (byte & 0x7f) << shift;
      if (byte < 0x80) {
        this.position = at;
        return (low >>> 1) ^ -(low & 1);
      }
    }
    return this.#nextWide();
  }

  #nextWide(): number {
    const start = this.position;
    let wide = 0n;
    for (let index = 0; index < VARINT_BYTES_MAX; index += 1) {
      if (start + index >= this.end)
        throw new MalformedVarint(`a varint at ${start} runs past the end at ${this.end}`);
      const byte = this.bytes[start + index] as number;
      wide |= BigInt(byte & 0x7f) << BigInt(7 * index);
      if (byte >= 0x80) continue;
      const value = Number((wide >> 1n) ^ -(wide & 1n));
      if (!Number.isSafeInteger(value)) throw new MalformedVarint(`the varint at ${start} is past 2^53`);
      this.position = start + index + 1;
      return value;
    }
    throw new MalformedVarint(`the varint at ${start} has more than ${VARINT_BYTES_MAX} bytes`);
  }
}
