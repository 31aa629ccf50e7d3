/**
 * Writes the primitives of Kafka's protocol.
 *
 * Owns the bytes written so far, in parts: long byte fields are not copied but become parts of their own, so that records
 * go from the log to the socket as they are. Who gave such bytes leaves them alone until the parts are sent.
 */
import { Unencodable } from "./codec-errors.ts";
import { STRING_BYTES_MAX } from "./reader.ts";

const FIRST_ROOM_BYTES = 512;
const ROOM_BYTES_MAX = 64 * 1024;
/** Shorter byte fields are copied: a part of its own costs more than that. */
const OWN_PART_BYTES = 4096;

export class Writer {
  readonly #parts: Buffer[] = [];
  #partsBytes = 0;
  #room: Buffer = Buffer.allocUnsafe(FIRST_ROOM_BYTES);
  #at = 0;

  /** How much was written. */
  get length(): number {
    return this.#partsBytes + this.#at;
  }

  int8(value: number): void {
    const at = this.#take(1);
    this.#room.writeInt8(value, at);
  }

  int16(value: number): void {
    const at = this.#take(2);
    this.#room.writeInt16BE(value, at);
  }

  int32(value: number): void {
    const at = this.#take(4);
    this.#room.writeInt32BE(value, at);
  }

  uint16(value: number): void {
    const at = this.#take(2);
    this.#room.writeUInt16BE(value, at);
  }

  uint32(value: number): void {
    const at = this.#take(4);
    this.#room.writeUInt32BE(value, at);
  }

  /** A safe integer. */
  int64(value: number): void {
    if (!Number.isSafeInteger(value)) throw new Unencodable(`${value} is not a safe integer`);
    const at = this.#take(8);
    const high = Math.floor(value / 0x1_0000_0000);
    this.#room.writeInt32BE(high, at);
    this.#room.writeUInt32BE(value - high * 0x1_0000_0000, at + 4);
  }

  uvarint(value: number): void {
    let left = value;
    for (; left >= 0x80; left = Math.floor(left / 0x80)) this.#byte((left & 0x7f) | 0x80);
    this.#byte(left);
  }

  /** A length or count in 2 bytes, or compact; -1 says null. */
  shortLength(length: number, isCompact: boolean): void {
    if (isCompact) this.uvarint(length + 1);
    else this.int16(length);
  }

  /** A length or count in 4 bytes, or compact; -1 says null. */
  longLength(length: number, isCompact: boolean): void {
    if (isCompact) this.uvarint(length + 1);
    else this.int32(length);
  }

  /** UTF-8 behind its length. */
  text(value: string, isCompact: boolean): void {
    const length = Buffer.byteLength(value);
    if (length > STRING_BYTES_MAX) {
      throw new Unencodable(`a string of ${length} bytes; at most ${STRING_BYTES_MAX} can be said`);
    }
    this.shortLength(length, isCompact);
    const at = this.#take(length);
    this.#room.write(value, at, length, "utf8");
  }

  /** Bytes as they are, without a length. */
  bytes(value: Buffer): void {
    if (value.length >= OWN_PART_BYTES) {
      this.#closePart();
      this.#add(value);
      return;
    }
    const at = this.#take(value.length);
    value.copy(this.#room, at);
  }

  /** All of another writer's bytes. */
  append(other: Writer): void {
    for (const part of other.parts()) this.bytes(part);
  }

  /** What was written, in order. */
  parts(): Buffer[] {
    this.#closePart();
    return this.#parts;
  }

  /** What was written, in one piece. */
  whole(): Buffer {
    const parts = this.parts();
    const only = parts[0];
    return parts.length === 1 && only !== undefined ? only : Buffer.concat(parts);
  }

  #byte(value: number): void {
    const at = this.#take(1);
    this.#room[at] = value;
  }

  /** Makes room for `length` bytes; returns where in `#room`, which may be another one now. */
  #take(length: number): number {
    if (this.#at + length > this.#room.length) {
      const wanted = Math.min(2 * this.length, ROOM_BYTES_MAX);
      this.#closePart();
      this.#room = Buffer.allocUnsafe(Math.max(length, wanted));
    }
    const at = this.#at;
    this.#at += length;
    return at;
  }

  /** The rest of the room is for what comes next. */
  #closePart(): void {
    if (this.#at === 0) return;
    this.#add(this.#room.subarray(0, this.#at));
    this.#room = this.#room.subarray(this.#at);
    this.#at = 0;
  }

  #add(part: Buffer): void {
    this.#parts.push(part);
    this.#partsBytes += part.length;
  }
}
