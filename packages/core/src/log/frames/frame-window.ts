/** A part of a file in memory that moves forward as somebody walks over it, with one read for each move. */
import type { DiskFile } from "../../env/disk.ts";

const NO_BYTES = Buffer.alloc(0);

export class FrameWindow {
  readonly #file: DiskFile;
  readonly #end: number;
  readonly #chunkBytes: number;
  #bytes: Buffer = NO_BYTES;
  #position = 0;

  /** Nothing at `end` or beyond is read. `chunkBytes` is what one read takes at least, where the file has it. */
  constructor(file: DiskFile, { end, chunkBytes }: { end: number; chunkBytes: number }) {
    this.#file = file;
    this.#end = end;
    this.#chunkBytes = chunkBytes;
  }

  /** What is in memory. */
  get bytes(): Buffer {
    return this.#bytes;
  }

  /**
   * Brings `lengthBytes` bytes from `position` into memory and returns where in `bytes` they begin. Fewer are there only
   * when the file or the end came first.
   */
  reach(position: number, lengthBytes: number): number {
    const wanted = Math.min(lengthBytes, this.#end - position);
    const at = position - this.#position;
    if (at >= 0 && at + wanted <= this.#bytes.length) return at;
    const chunkBytes = Math.min(Math.max(lengthBytes, this.#chunkBytes), this.#end - position);
    this.#bytes = this.#file.readAt(position, chunkBytes);
    this.#position = position;
    return 0;
  }
}
