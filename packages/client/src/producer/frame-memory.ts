/**
 * Memory of frames that were delivered, for the next ones: fresh memory for each batch is paid for page by page, and makes the
 * collector come sooner.
 *
 * Owns what was given back. Never holds more than `bytesMax`, and never hands the same memory to two at a time.
 */
export class FrameMemory {
  readonly #bytesMax: number;
  /** The oldest first. */
  readonly #free: Buffer[] = [];
  #freeBytes = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  /** Memory of at least so many bytes, and of not much more. What lies in it is anything. */
  take(bytes: number): Buffer {
    const found = this.#free.findLastIndex(({ length }) => length >= bytes && length <= 2 * bytes);
    if (found === -1) return Buffer.allocUnsafe(bytes);
    const [memory] = this.#free.splice(found, 1) as [Buffer];
    this.#freeBytes -= memory.length;
    return memory;
  }

  /** Nobody reads or writes `memory` any more. */
  giveBack(memory: Buffer): void {
    this.#free.push(memory);
    this.#freeBytes += memory.length;
    while (this.#freeBytes > this.#bytesMax) this.#freeBytes -= this.#free.shift()?.length ?? 0;
  }
}
