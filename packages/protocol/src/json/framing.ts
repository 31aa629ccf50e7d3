/**
 * Cuts a byte stream into lines.
 *
 * Owns the bytes of the line that is not finished. Never holds more than `frameBytesMax` of it, and never hands out a line
 * that had no newline: a request cut off by a closing connection is not a request.
 */

const NEWLINE = 0x0a;
const CARRIAGE_RETURN = 0x0d;

export class FrameTooLarge extends Error {
  override readonly name = "FrameTooLarge";
}

export class LineFramer {
  readonly #frameBytesMax: number;
  /** Chunks that came in and are not used up: the first from `#start` on, only the last may hold unseen newlines. */
  #chunks: Buffer[] = [];
  #start = 0;
  #pendingBytes = 0;
  /** Whether the last chunk is known to hold no further newline. */
  #scanned = true;

  constructor(frameBytesMax: number) {
    this.#frameBytesMax = frameBytesMax;
  }

  /** Bytes that came in and have not been handed out as lines. */
  get pendingBytes(): number {
    return this.#pendingBytes;
  }

  /** Takes what the stream brought. */
  push(chunk: Buffer): void {
    if (chunk.length === 0) return;
    this.#chunks.push(chunk);
    if (!this.#scanned) this.#join();
    this.#scanned = false;
    this.#pendingBytes += chunk.length;
  }

  /**
   * The next whole line without its line end, or `null` when the rest is unfinished. A view where the line came in one
   * piece. Throws {@link FrameTooLarge} for a line, finished or not, of more than `frameBytesMax` bytes.
   */
  next(): Buffer | null {
    const last = this.#chunks.at(-1);
    if (last === undefined) return null;
    const from = this.#chunks.length === 1 ? this.#start : 0;
    const newline = last.indexOf(NEWLINE, from);
    const lineBytes = newline === -1 ? this.#pendingBytes : this.#pendingBytes - (last.length - newline);
    if (lineBytes > this.#frameBytesMax) {
      throw new FrameTooLarge(
        `a line of ${lineBytes} bytes or more; at most ${this.#frameBytesMax} are taken`,
      );
    }
    if (newline !== -1) return this.#take(last, newline, lineBytes);
    this.#scanned = true;
    return null;
  }

  /** Lines were left behind when more came in: the rare case where bytes are copied before their line is whole. */
  #join(): void {
    const [first, ...rest] = this.#chunks;
    if (first === undefined) return;
    this.#chunks = [Buffer.concat([first.subarray(this.#start), ...rest])];
    this.#start = 0;
  }

  #take(last: Buffer, newline: number, lineBytes: number): Buffer {
    let line: Buffer;
    if (this.#chunks.length === 1) {
      line = last.subarray(this.#start, newline);
    } else {
      const first = (this.#chunks[0] as Buffer).subarray(this.#start);
      line = Buffer.concat([first, ...this.#chunks.slice(1, -1), last.subarray(0, newline)], lineBytes);
    }
    this.#pendingBytes -= lineBytes + 1;
    this.#start = newline + 1;
    this.#chunks = this.#start === last.length ? [] : [last];
    if (this.#chunks.length === 0) {
      this.#start = 0;
      this.#scanned = true;
    }
    return line.at(-1) === CARRIAGE_RETURN ? line.subarray(0, -1) : line;
  }
}
