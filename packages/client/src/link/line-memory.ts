/**
 * Memory of a long line that has gone out, for the next one: fresh memory for each is paid for page by page, and makes the
 * collector come sooner.
 *
 * Owns what was given back last, if it has no more than `bytesMax`.
 */
const NO_BYTES = Buffer.alloc(0);

export class LineMemory {
  readonly #bytesMax: number;
  #spare: Buffer = NO_BYTES;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  /** So many bytes of memory; what lies in it is anything. */
  take(bytes: number): Buffer {
    const spare = this.#spare;
    if (spare.length < bytes) return Buffer.allocUnsafeSlow(withSlack(bytes)).subarray(0, bytes);
    this.#spare = NO_BYTES;
    return spare.subarray(0, bytes);
  }

  /** Nobody reads or writes what was taken as `line` any more. */
  giveBack(line: Buffer): void {
    const memory = Buffer.from(line.buffer);
    if (memory.length <= this.#bytesMax) this.#spare = memory;
  }
}

/** Lines of full batches differ by a record and a digit. */
function withSlack(bytes: number): number {
  return bytes + (bytes >> 5);
}
