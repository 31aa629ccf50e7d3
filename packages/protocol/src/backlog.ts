/**
 * What came in before anybody took it, in one piece.
 *
 * Owns the room in which pieces are joined. It grows twofold, so that many small pieces that nobody takes cost what they weigh, and not
 * the square of it.
 * Invariant: bytes that were given out once are never written to again.
 */
const NO_BYTES = Buffer.alloc(0);

export class Backlog {
  #room: Buffer = NO_BYTES;
  /** What stands there. */
  #bytes = 0;

  /** `left` and `chunk` behind it; `left` is the rest of what this gave last, or of a piece that came alone. */
  join(left: Buffer, chunk: Buffer): Buffer {
    const bytes = left.length + chunk.length;
    if (!this.#endsWith(left) || this.#room.length - this.#bytes < chunk.length) {
      this.#room = Buffer.allocUnsafeSlow(2 * bytes);
      this.#bytes = left.copy(this.#room);
    }
    this.#bytes += chunk.copy(this.#room, this.#bytes);
    return this.#room.subarray(this.#bytes - bytes, this.#bytes);
  }

  /** Nothing is left of it. */
  forget(): void {
    this.#room = NO_BYTES;
    this.#bytes = 0;
  }

  #endsWith(left: Buffer): boolean {
    const end = left.byteOffset + left.length;
    return left.buffer === this.#room.buffer && end === this.#room.byteOffset + this.#bytes;
  }
}
