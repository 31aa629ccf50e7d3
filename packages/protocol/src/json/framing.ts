/**
 * Cuts a byte stream into lines.
 *
 * Owns the bytes of the line that is not finished. Never holds more than `frameBytesMax` of it, and never hands out a line
 * that had no newline: a request cut off by a closing connection is not a request. When nothing is left over it holds no
 * memory, whatever was there before: most connections are idle.
 */

const NEWLINE = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const NO_BYTES = Buffer.alloc(0);

export class FrameTooLarge extends Error {
  override readonly name = "FrameTooLarge";
}

export class LineFramer {
  readonly #frameBytesMax: number;
  /** Chunks that came in and are not used up: the first from `#start` on, only the last may hold unseen newlines. */
  #chunks: Buffer[] = [];
  #start = 0;
  #pendingBytes = 0;
  /** Where lines that came in several chunks are put together: used again while more is on its way, and then let go. */
  #joined: Buffer = NO_BYTES;
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
   * The next whole line without its line end, or `null` when the rest is unfinished. A view that is good until the next call:
   * copy what is kept. Throws {@link FrameTooLarge} for a line, finished or not, of more than `frameBytesMax` bytes.
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
      line = this.#joinedLine(lineBytes);
    }
    this.#pendingBytes -= lineBytes + 1;
    this.#start = newline + 1;
    this.#chunks = this.#start === last.length ? [] : [last];
    if (this.#chunks.length === 0) {
      this.#start = 0;
      this.#scanned = true;
      this.#joined = NO_BYTES;
    }
    return line.at(-1) === CARRIAGE_RETURN ? line.subarray(0, -1) : line;
  }
  /** The chunks' first `lengthBytes`, without making a new buffer for each line of a kind. */
  #joinedLine(lengthBytes: number): Buffer {
    if (this.#joined.length < lengthBytes) this.#joined = Buffer.allocUnsafeSlow(lengthBytes);
    let from = this.#start;
    let at = 0;
    for (const chunk of this.#chunks) {
      at += chunk.copy(this.#joined, at, from, Math.min(chunk.length, from + lengthBytes - at));
      from = 0;
    }
    return this.#joined.subarray(0, lengthBytes);
  }
}
