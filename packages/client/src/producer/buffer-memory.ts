/**
 * How many bytes of records a producer holds that are not acknowledged (Kafka: buffer.memory). A send that finds no room
 * fails at once with BUFFER_FULL, instead of blocking as Kafka's does: in one thread, blocking would stop the very
 * acknowledgements that make room.
 */
import { MiniKafkaError } from "../errors.ts";

export class BufferMemory {
  readonly #bytesMax: number;
  #bytes = 0;
  #records = 0;
  #waiting: (() => void)[] = [];

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  get bytes(): number {
    return this.#bytes;
  }

  get records(): number {
    return this.#records;
  }

  /** Takes the room or throws BUFFER_FULL and takes nothing. */
  reserve(bytes: number, records: number): void {
    if (this.#bytes + bytes > this.#bytesMax) {
      const message = `${this.#bytes} bytes wait to be acknowledged, and ${bytes} more pass bufferBytesMax (${this.#bytesMax})`;
      throw new MiniKafkaError("BUFFER_FULL", message, {
        details: { bufferedBytes: this.#bytes, neededBytes: bytes, bufferBytesMax: this.#bytesMax },
      });
    }
    this.#bytes += bytes;
    this.#records += records;
  }

  release(bytes: number, records: number): void {
    this.#bytes -= bytes;
    this.#records -= records;
    if (!this.#isHalfEmpty) return;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resolve of waiting) resolve();
  }

  /** Resolves when at most half of the room is taken: waiting for any room at all would wake up for every batch. */
  whenHalfEmpty(): Promise<void> {
    if (this.#isHalfEmpty) return Promise.resolve();
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  get #isHalfEmpty(): boolean {
    return this.#bytes * 2 <= this.#bytesMax;
  }
}
