/**
 * Reads the primitives of Kafka's protocol from bytes that a stranger sent.
 *
 * Owns a position in the bytes. Every read is checked against the bytes that are left, and whatever claims more than is there
 * is {@link Malformed} before anything is allocated for it. Bytes are handed out as views: they hold the whole frame alive.
 */
import { Malformed } from "./codec-errors.ts";

/**
 * How many elements all arrays of one request may have together. An element of one byte may cost fifty in memory, and many a microsecond
 * where it names something else than the one before, in one turn: the size of a frame alone does not bound what a message costs. Kafka has
 * no such bound, and threads.
 */
export const ELEMENTS_MAX = 20_000;

/** The same of an answer, for its memory alone: who reads it has asked for it, and a cluster may have many partitions. */
export const ANSWER_ELEMENTS_MAX = 1_000_000;

/** Strings are at most this long, also where the compact form could say more (Kafka: Short.MAX_VALUE). */
export const STRING_BYTES_MAX = 32_767;

export class Reader {
  readonly #bytes: Buffer;
  #at = 0;
  #end: number;
  readonly #elementsMax: number;
  #elementsLeft: number;

  constructor(bytes: Buffer, elementsMax = ELEMENTS_MAX) {
    this.#elementsMax = elementsMax;
    this.#elementsLeft = elementsMax;
    this.#bytes = bytes;
    this.#end = bytes.length;
  }

  /** From the beginning of the bytes. */
  get position(): number {
    return this.#at;
  }

  get remaining(): number {
    return this.#end - this.#at;
  }

  int8(): number {
    return this.#bytes.readInt8(this.#pass(1, "an int8"));
  }

  int16(): number {
    return this.#bytes.readInt16BE(this.#pass(2, "an int16"));
  }

  int32(): number {
    return this.#bytes.readInt32BE(this.#pass(4, "an int32"));
  }

  uint16(): number {
    return this.#bytes.readUInt16BE(this.#pass(2, "a uint16"));
  }

  uint32(): number {
    return this.#bytes.readUInt32BE(this.#pass(4, "a uint32"));
  }

  /**
   * A safe integer; what is beyond is the nearest one. No offset, time or id of ours lies there, so that it is as far from them all as what
   * was sent; one that is kept must be refused by who keeps it.
   */
  int64(): number {
    const at = this.#pass(8, "an int64");
    const value = this.#bytes.readInt32BE(at) * 0x1_0000_0000 + this.#bytes.readUInt32BE(at + 4);
    return Math.max(Number.MIN_SAFE_INTEGER, Math.min(value, Number.MAX_SAFE_INTEGER));
  }

  /** Seven bits a byte, the lowest first; the high bit says that more follows. At most 32 bits. */
  uvarint(): number {
    const start = this.#at;
    let value = 0;
    for (let shift = 0; shift < 35; shift += 7) {
      const byte = this.#bytes[this.#pass(1, "an unsigned varint")] ?? 0;
      value += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) {
        if (value > 0xffff_ffff) break;
        return value;
      }
    }
    throw new Malformed(start, "an unsigned varint of at most 32 bits");
  }

  /** A length in 2 bytes, or compact; -1 says null. */
  shortLength(isCompact: boolean): number {
    const start = this.#at;
    const length = isCompact ? this.uvarint() - 1 : this.int16();
    return this.#checkedLength(start, length);
  }

  /** A length in 4 bytes, or compact; -1 says null. */
  longLength(isCompact: boolean): number {
    const start = this.#at;
    const length = isCompact ? this.uvarint() - 1 : this.int32();
    return this.#checkedLength(start, length);
  }

  /** How many elements an array has, each of at least `elementBytesMin` bytes; -1 says null. */
  count(isCompact: boolean, elementBytesMin: number): number {
    const start = this.#at;
    const count = isCompact ? this.uvarint() - 1 : this.int32();
    if (count < -1) throw new Malformed(start, "a count, or -1 for null");
    if (count * elementBytesMin > this.remaining) {
      throw new Malformed(start, `at most the ${this.remaining} bytes that are left (${count} elements)`);
    }
    if (count > this.#elementsLeft) {
      throw new Malformed(start, `at most ${this.#elementsMax} elements in the arrays of one message`);
    }
    if (count > 0) this.#elementsLeft -= count;
    return count;
  }

  /** The next bytes, as a view. */
  bytes(length: number): Buffer {
    const at = this.#pass(length, `${length} bytes`);
    return this.#bytes.subarray(at, at + length);
  }

  /** The next bytes as UTF-8; what is not becomes U+FFFD, as in Java. Whatever was read can be written again. */
  text(length: number): string {
    const at = this.#at;
    if (length > STRING_BYTES_MAX) throw tooLong(at);
    this.#pass(length, `a string of ${length} bytes`);
    const text = this.#bytes.toString("utf8", at, at + length);
    // A byte that is no UTF-8 is three in its place.
    if (3 * length > STRING_BYTES_MAX && Buffer.byteLength(text) > STRING_BYTES_MAX) throw tooLong(at);
    return text;
  }

  skip(length: number): void {
    this.#pass(length, `${length} bytes`);
  }

  /** Reads what must fill exactly the next `length` bytes. */
  filling<T>(length: number, read: (reader: Reader) => T): T {
    const at = this.#pass(length, `${length} bytes`);
    const [after, end] = [this.#at, this.#end];
    this.#at = at;
    this.#end = after;
    const value = read(this);
    this.expectEnd();
    this.#end = end;
    return value;
  }

  /** Nothing may be left. */
  expectEnd(): void {
    if (this.remaining > 0) throw new Malformed(this.#at, `the end, ${this.remaining} bytes earlier`);
  }

  #checkedLength(start: number, length: number): number {
    if (length < -1) throw new Malformed(start, "a length, or -1 for null");
    if (length > this.remaining) {
      throw new Malformed(
        start,
        `a length of at most the ${this.remaining} bytes that are left, not ${length}`,
      );
    }
    return length;
  }

  /** Goes on by `length` bytes; returns where they begin. */
  #pass(length: number, what: string): number {
    const at = this.#at;
    if (length > this.#end - at) throw new Malformed(at, what);
    this.#at = at + length;
    return at;
  }
}

function tooLong(position: number): Malformed {
  return new Malformed(position, `a string of at most ${STRING_BYTES_MAX} bytes`);
}
