/**
 * Cuts a byte stream into Kafka's frames: four bytes of size, then that many bytes.
 *
 * Owns the bytes of the frame that is not finished. A size is checked when its four bytes are there, before anything behind it
 * is kept; memory is held for bytes that came, never for bytes that were only announced.
 */
import { Backlog } from "../backlog.ts";
import { writeRequestHeader, writeResponseHeader } from "./headers.ts";
import { writeRequest, writeResponse } from "./messages.ts";
import type { Api, InputOf } from "./schema.ts";
import { Writer } from "./writer.ts";

/** The size in front of each frame. */
export const FRAME_SIZE_BYTES = 4;
const NO_BYTES = Buffer.alloc(0);

/** The size of a frame is none, or more than is taken. The stream cannot be read on. */
export class FrameRefused extends Error {
  override readonly name = "FrameRefused";
  readonly frameBytes: number;

  constructor(frameBytes: number, frameBytesMax: number) {
    super(`a frame of ${frameBytes} bytes; from 1 to ${frameBytesMax} are taken`);
    this.frameBytes = frameBytes;
  }
}

export class FrameSplitter {
  readonly #frameBytesMax: number;
  readonly #backlog = new Backlog();
  /** What came in last, used up to `#at`. */
  #chunk: Buffer = NO_BYTES;
  #at = 0;
  /** The frame that `#chunk` goes on with: its first `#heldBytes`, copied. Never used for another frame. */
  #held: Buffer = NO_BYTES;
  #heldBytes = 0;

  /** `frameBytesMax`: without the four bytes of the size (Kafka: socket.request.max.bytes). */
  constructor(frameBytesMax: number) {
    this.#frameBytesMax = frameBytesMax;
  }

  /** Bytes that came in and have not been handed out. */
  get pendingBytes(): number {
    return this.#heldBytes + this.#chunk.length - this.#at;
  }

  /** Whether {@link next} would return a frame, or throw. */
  get isReady(): boolean {
    const size = this.#size();
    return size !== null && (!this.#isTaken(size) || this.pendingBytes >= FRAME_SIZE_BYTES + size);
  }

  /** Takes what the stream brought. Frames are views of it: it may not be written to again. */
  push(chunk: Buffer): void {
    const left = this.#chunk.subarray(this.#at);
    if (left.length === 0) this.#backlog.forget();
    // Frames are left behind where others have to be carried out first.
    this.#chunk = left.length === 0 ? chunk : this.#backlog.join(left, chunk);
    this.#at = 0;
  }

  /** The next whole frame without its size, or `null` when the rest is unfinished. Throws {@link FrameRefused}. */
  next(): Buffer | null {
    const size = this.#size();
    if (size !== null && !this.#isTaken(size)) throw new FrameRefused(size, this.#frameBytesMax);
    const total = FRAME_SIZE_BYTES + (size ?? 0);
    if (size === null || this.pendingBytes < total) {
      this.#hold(this.#chunk.length - this.#at, total);
      return null;
    }
    if (this.#heldBytes === 0) {
      this.#at += total;
      return this.#chunk.subarray(this.#at - size, this.#at);
    }
    this.#hold(total - this.#heldBytes, total);
    const frame = this.#held.subarray(FRAME_SIZE_BYTES, total);
    this.#held = NO_BYTES;
    this.#heldBytes = 0;
    return frame;
  }

  #isTaken(size: number): boolean {
    return size > 0 && size <= this.#frameBytesMax;
  }

  /** The size of the frame at the front, or null while its four bytes are not there. */
  #size(): number | null {
    if (this.pendingBytes < FRAME_SIZE_BYTES) return null;
    let size = 0;
    for (let place = 0; place < FRAME_SIZE_BYTES; place += 1) size = (size << 8) | this.#byteAt(place);
    return size;
  }

  #byteAt(place: number): number {
    const isHeld = place < this.#heldBytes;
    return (isHeld ? this.#held[place] : this.#chunk[this.#at + place - this.#heldBytes]) ?? 0;
  }

  /** Moves bytes from the chunk to what is held of a frame of `total` bytes. Room grows with what came. */
  #hold(bytes: number, total: number): void {
    const needed = this.#heldBytes + bytes;
    if (needed > this.#held.length) {
      const grown = Buffer.allocUnsafeSlow(Math.max(needed, Math.min(2 * this.#held.length, total)));
      this.#held.copy(grown, 0, 0, this.#heldBytes);
      this.#held = grown;
    }
    this.#chunk.copy(this.#held, this.#heldBytes, this.#at, this.#at + bytes);
    this.#heldBytes = needed;
    this.#at += bytes;
    if (this.#at < this.#chunk.length) return;
    this.#chunk = NO_BYTES;
    this.#backlog.forget();
    this.#at = 0;
  }
}

/** Puts the size of all that was written behind it into the first four bytes. */
function closeFrame(writer: Writer): Buffer[] {
  const parts = writer.parts();
  parts[0]?.writeInt32BE(writer.length - FRAME_SIZE_BYTES, 0);
  return parts;
}

/** A whole frame with a response, as parts to be sent one after another. Long byte fields are parts, not copies. */
export function responseFrame<A extends Api>(
  api: A,
  version: number,
  correlationId: number,
  response: InputOf<A["response"]>,
): Buffer[] {
  const writer = new Writer();
  writer.int32(0);
  writeResponseHeader(writer, api, version, correlationId);
  writeResponse(api, version, writer, response);
  return closeFrame(writer);
}

/** A whole frame with a request, as a client sends it. */
export function requestFrame<A extends Api>(
  api: A,
  header: { readonly apiVersion: number; readonly correlationId: number; readonly clientId: string | null },
  request: InputOf<A["request"]>,
): Buffer[] {
  const writer = new Writer();
  writer.int32(0);
  writeRequestHeader(writer, api, header);
  writeRequest(api, header.apiVersion, writer, request);
  return closeFrame(writer);
}
