/**
 * How many frames end in each part of a stream, before anybody takes them.
 *
 * Owns what is known of the frame that is under way: the first bytes of its size, or how many bytes are missing.
 * Invariant: behind a size that is refused nothing is counted, and that place counts as one, so that the refusal has its turn.
 */
import { FRAME_SIZE_BYTES } from "@minikafka/protocol/kafka";

export class FrameCounter {
  readonly #frameBytesMax: number;
  #size = 0;
  #sizeBytes = 0;
  #missingBytes = 0;
  #isOver = false;

  constructor(frameBytesMax: number) {
    this.#frameBytesMax = frameBytesMax;
  }

  /** `chunk` is the next of the stream. */
  endsIn(chunk: Buffer): number {
    let frames = 0;
    let at = 0;
    while (at < chunk.length && !this.#isOver) {
      if (this.#missingBytes === 0) {
        const byte = chunk[at] ?? 0;
        at += 1;
        if (!this.#takeSizeByte(byte)) continue;
        this.#isOver = this.#missingBytes <= 0 || this.#missingBytes > this.#frameBytesMax;
        if (this.#isOver) frames += 1;
        continue;
      }
      const bytes = Math.min(this.#missingBytes, chunk.length - at);
      at += bytes;
      this.#missingBytes -= bytes;
      if (this.#missingBytes === 0) frames += 1;
    }
    return frames;
  }

  /** Whether the size is whole. */
  #takeSizeByte(byte: number): boolean {
    this.#size = (this.#size << 8) | byte;
    this.#sizeBytes += 1;
    if (this.#sizeBytes < FRAME_SIZE_BYTES) return false;
    this.#missingBytes = this.#size;
    this.#size = 0;
    this.#sizeBytes = 0;
    return true;
  }
}
