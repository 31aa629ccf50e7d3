/**
 * Writes to a stream in portions that can be seen to leave.
 *
 * A stream tells that a write is over when its last byte has gone, and takes all that waits as one write: of 50 MiB nothing would be
 * seen to leave for as long as a slow peer takes to read them all. Owns what is not handed to the stream yet.
 * Invariants: bytes leave in their order; the stream holds no more than two portions; what waits goes when the stream is closed.
 */
import type { Duplex } from "node:stream";

/** So little leaves at a time that a slow reader is seen to read, and so much that a fast one waits for nothing. */
const PORTION_BYTES = 128 * 1024;

export interface MeterEvents {
  /** Something of what had to wait has left. */
  onProgress(): void;
  /** All that had to wait has left, or as good as that: the stream takes more. */
  onDrained(): void;
}

type Piece = string | Buffer;

export class MeteredWriter {
  readonly #stream: Duplex;
  readonly #events: MeterEvents;
  readonly #waiting: Piece[] = [];
  #waitingBytes = 0;
  #isCorked = false;
  /** {@link MeterEvents.onDrained} is owed. */
  #isLate = false;
  #isEnding = false;

  constructor(stream: Duplex, events: MeterEvents) {
    this.#stream = stream;
    this.#events = events;
    stream.on("drain", this.#moved);
    stream.on("close", () => {
      this.#waiting.length = 0;
      this.#waitingBytes = 0;
    });
  }

  /** What was written and has not left. */
  get unsentBytes(): number {
    return this.#waitingBytes + this.#stream.writableLength;
  }

  /** Whether {@link MeterEvents.onDrained} will be called: a stream that was never asked to wait does not say that it has drained. */
  get isLate(): boolean {
    return this.#isLate;
  }

  /** Returns whether it leaves at once, as far as the stream knows. What is written in one turn of the event loop goes out together. */
  write(piece: Piece): boolean {
    if (!this.#stream.writable || this.#isEnding) return true;
    let hasLeft = false;
    if (this.#waiting.length === 0 && this.#stream.writableLength + piece.length < PORTION_BYTES) {
      this.#cork();
      hasLeft = this.#stream.write(piece);
    } else {
      this.#waiting.push(piece);
      this.#waitingBytes += piece.length;
      this.#fill();
    }
    if (!hasLeft) this.#isLate = true;
    return hasLeft;
  }

  /** Hands on what was written in this turn now, for whoever may not live to see its end. */
  flush(): void {
    if (this.#isCorked) this.#stream.uncork();
  }

  /** Sends what is left and then the end of the stream. */
  end(): void {
    this.#isEnding = true;
    if (this.#waiting.length === 0 && this.#stream.writable) this.#stream.end();
  }

  readonly #moved = (): void => {
    this.#events.onProgress();
    this.#fill();
    if (!this.#isLate || this.#waiting.length > 0 || this.#stream.writableNeedDrain) return;
    this.#isLate = false;
    this.#events.onDrained();
  };

  #fill(): void {
    if (this.#waiting.length === 0 || !this.#stream.writable) return;
    this.#cork();
    while (this.#waiting.length > 0 && this.#stream.writableLength < PORTION_BYTES)
      this.#stream.write(this.#nextPortion(), this.#moved);
    if (this.#waiting.length === 0 && this.#isEnding) this.#stream.end();
  }

  /** Of the first piece that waits, as much as is handed on at a time. */
  #nextPortion(): Piece {
    const [first = ""] = this.#waiting;
    if (first.length <= PORTION_BYTES) {
      this.#waiting.shift();
      this.#waitingBytes -= first.length;
      return first;
    }
    const bytes = typeof first === "string" ? Buffer.from(first) : first;
    const rest = bytes.subarray(PORTION_BYTES);
    this.#waiting[0] = rest;
    this.#waitingBytes += rest.length - first.length;
    return bytes.subarray(0, PORTION_BYTES);
  }

  #cork(): void {
    if (this.#isCorked) return;
    this.#isCorked = true;
    this.#stream.cork();
    process.nextTick(this.#uncork);
  }

  readonly #uncork = (): void => {
    this.#isCorked = false;
    this.#stream.uncork();
  };
}
