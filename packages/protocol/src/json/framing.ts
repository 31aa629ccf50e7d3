/**
 * Cuts a byte stream into lines.
 *
 * Owns the bytes of the line that is not finished. Never holds more than `frameBytesMax` of it, and never hands out a line
 * that had no newline: a request cut off by a closing connection is not a request. When nothing is left over it holds no
 * more than `keptBytesMax` of memory, whatever was there before: none in a broker, most of whose connections are idle.
 */
import { Backlog } from "../backlog.ts";

const NEWLINE = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const NO_BYTES = Buffer.alloc(0);

export class FrameTooLarge extends Error {
  override readonly name = "FrameTooLarge";
}

export class LineFramer {
  readonly #frameBytesMax: number;
  readonly #keptBytesMax: number;
  readonly #backlog = new Backlog();
  /** What came in last, used up to `#at`. */
  #chunk: Buffer = NO_BYTES;
  #at = 0;
  /** The line that `#chunk` goes on with: its first `#heldBytes`, copied. Used again for the lines after it. */
  #held: Buffer = NO_BYTES;
  #heldBytes = 0;
  /** How long the last line was that came in several chunks: the next is probably like it. */
  #lastBytes = 0;

  constructor(frameBytesMax: number, keptBytesMax = 0) {
    this.#frameBytesMax = frameBytesMax;
    this.#keptBytesMax = keptBytesMax;
  }

  /** Bytes that came in and have not been handed out as lines. */
  get pendingBytes(): number {
    return this.#heldBytes + this.#chunk.length - this.#at;
  }

  /** Whether {@link next} would return a line, or throw. */
  get isReady(): boolean {
    return this.pendingBytes > this.#frameBytesMax || this.#chunk.indexOf(NEWLINE, this.#at) !== -1;
  }

  /** Takes what the stream brought. It may be written to again once {@link next} has returned `null`. */
  push(chunk: Buffer): void {
    if (chunk.length === 0) return;
    const left = this.#chunk.subarray(this.#at);
    // Lines are left behind where others have to be carried out first.
    this.#chunk = left.length === 0 ? chunk : this.#backlog.join(left, chunk);
    this.#at = 0;
  }

  /**
   * The next whole line without its line end, or `null` when the rest is unfinished. A view that is good until the next call:
   * copy what is kept. Throws {@link FrameTooLarge} for a line, finished or not, of more than `frameBytesMax` bytes.
   */
  next(): Buffer | null {
    const newline = this.#chunk.indexOf(NEWLINE, this.#at);
    const end = newline === -1 ? this.#chunk.length : newline;
    const lineBytes = this.#heldBytes + end - this.#at;
    if (lineBytes > this.#frameBytesMax) {
      throw new FrameTooLarge(
        `a line of ${lineBytes} bytes or more; at most ${this.#frameBytesMax} are taken`,
      );
    }
    if (newline === -1) {
      this.#hold(end);
      this.#useUp(end);
      return null;
    }
    const line = this.#heldBytes === 0 ? this.#chunk.subarray(this.#at, newline) : this.#finish(newline);
    this.#useUp(newline + 1);
    return line.at(-1) === CARRIAGE_RETURN ? line.subarray(0, -1) : line;
  }

  /** The rest of a line that began in earlier chunks. */
  #finish(newline: number): Buffer {
    this.#hold(newline);
    const line = this.#held.subarray(0, this.#heldBytes);
    this.#lastBytes = this.#heldBytes;
    this.#heldBytes = 0;
    return line;
  }

  #hold(end: number): void {
    const bytes = end - this.#at;
    if (bytes === 0) return;
    const needed = this.#heldBytes + bytes;
    if (needed > this.#held.length) this.#grow(needed);
    this.#chunk.copy(this.#held, this.#heldBytes, this.#at, end);
    this.#heldBytes = needed;
  }

  /** Room for twice as much, or for a line like the last one. */
  #grow(needed: number): void {
    const expected = Math.max(2 * this.#held.length, this.#lastBytes + (this.#lastBytes >> 6));
    const grown = Buffer.allocUnsafeSlow(Math.max(needed, Math.min(expected, this.#frameBytesMax)));
    this.#held.copy(grown, 0, 0, this.#heldBytes);
    this.#held = grown;
  }

  #useUp(end: number): void {
    this.#at = end;
    if (end < this.#chunk.length) return;
    this.#chunk = NO_BYTES;
    this.#backlog.forget();
    this.#at = 0;
    if (this.#heldBytes === 0 && this.#held.length > this.#keptBytesMax) this.#held = NO_BYTES;
  }
}
