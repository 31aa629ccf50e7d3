/**
 * The bytes of one file in memory: they grow by doubling, so that many small appends stay cheap, and a clone shares them
 * until one side writes, so that a whole disk can be cloned at every step of an experiment.
 */
const NO_BYTES = Buffer.alloc(0);
const CAPACITY_BYTES_MIN = 256;

export class MemoryBytes {
  #buffer: Buffer = NO_BYTES;
  #sizeBytes = 0;
  #shared = false;

  get sizeBytes(): number {
    return this.#sizeBytes;
  }

  write(position: number, bytes: Uint8Array): void {
    if (bytes.length === 0) return;
    const end = position + bytes.length;
    this.#makeWritable(end);
    // What lay here before a truncation must not come back.
    if (position > this.#sizeBytes) this.#buffer.fill(0, this.#sizeBytes, position);
    this.#buffer.set(bytes, position);
    this.#sizeBytes = Math.max(this.#sizeBytes, end);
  }

  truncate(sizeBytes: number): void {
    if (sizeBytes > this.#sizeBytes) {
      this.#makeWritable(sizeBytes);
      this.#buffer.fill(0, this.#sizeBytes, sizeBytes);
    }
    this.#sizeBytes = sizeBytes;
  }

  /** A copy of up to `lengthBytes` bytes; shorter where the bytes end. */
  read(position: number, lengthBytes: number): Buffer {
    const end = Math.min(position + lengthBytes, this.#sizeBytes);
    return position >= end ? Buffer.alloc(0) : Buffer.from(this.#buffer.subarray(position, end));
  }

  clone(): MemoryBytes {
    const copy = new MemoryBytes();
    copy.#buffer = this.#buffer;
    copy.#sizeBytes = this.#sizeBytes;
    copy.#shared = true;
    this.#shared = true;
    return copy;
  }

  #makeWritable(sizeBytes: number): void {
    const capacityBytes = this.#buffer.length;
    if (!this.#shared && sizeBytes <= capacityBytes) return;
    const doubled = sizeBytes <= capacityBytes ? capacityBytes : 2 * capacityBytes;
    // Not zeroed: whatever lies below the size was written, or filled by who made the gap.
    const grown = Buffer.allocUnsafeSlow(Math.max(CAPACITY_BYTES_MIN, sizeBytes, doubled));
    grown.set(this.#buffer.subarray(0, this.#sizeBytes));
    this.#buffer = grown;
    this.#shared = false;
  }
}
