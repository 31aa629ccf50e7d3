/**
 * Steps over the records of a batch and says where their parts lie, without making anything of them: what reads every
 * record of a log, as a check and a compaction do, must not cost an object a record.
 */
import { HEADER_BYTES, readBatchHeader } from "./batch-header.ts";
import { MalformedVarint, VarintReader } from "./varint.ts";

const ATTRIBUTES_BYTES = 1;

export class RecordCursor {
  readonly #frame: Buffer;
  readonly #reader: VarintReader;
  readonly #recordCount: number;
  /** How many were stepped on. */
  #count = 0;

  /** The record lies in the frame from here, its length included, … */
  start = HEADER_BYTES;
  /** … up to here. */
  end = HEADER_BYTES;
  /** Where its timestamp delta begins. */
  timestampStart = HEADER_BYTES;
  /** Where its offset delta begins: from here on nothing depends on the batch's first timestamp. */
  offsetStart = HEADER_BYTES;
  timestampDelta = 0;
  offsetDelta = 0;
  keyStart = 0;
  /** -1 for no key, while an empty one ends where it starts. */
  keyEnd = -1;
  /** False for a tombstone. */
  hasValue = false;
  /** Where the count of its headers stands. */
  headersStart = HEADER_BYTES;

  /** `frame` is whole, uncompressed, and its CRC was checked. */
  constructor(frame: Buffer) {
    const { recordCount, frameBytes } = readBatchHeader(frame);
    this.#frame = frame;
    this.#recordCount = recordCount;
    this.#reader = new VarintReader(frame, HEADER_BYTES, frameBytes);
  }

  get hasKey(): boolean {
    return this.keyEnd >= 0;
  }

  /** Steps on the next record; false behind the last. Throws {@link MalformedVarint} for what no encoder writes. */
  next(): boolean {
    if (this.#count === this.#recordCount) return false;
    const reader = this.#reader;
    reader.position = this.end;
    this.start = this.end;
    const bodyBytes = reader.next();
    const body = this.#take(bodyBytes);
    if (bodyBytes < ATTRIBUTES_BYTES || this.#frame[body] !== 0)
      throw new MalformedVarint(`record ${this.#count} has attributes other than 0`);
    this.end = body + bodyBytes;
    this.timestampStart = body + ATTRIBUTES_BYTES;
    reader.position = this.timestampStart;
    this.timestampDelta = reader.next();
    this.offsetStart = reader.position;
    this.offsetDelta = reader.next();
    this.keyEnd = this.#stepOverBytes();
    this.keyStart = this.keyEnd < 0 ? 0 : this.keyEnd - this.#steppedBytes;
    this.hasValue = this.#stepOverBytes() >= 0;
    this.headersStart = reader.position;
    if (this.headersStart >= this.end)
      throw new MalformedVarint(`record ${this.#count} ends at ${this.end}, before its headers`);
    this.#count += 1;
    return true;
  }

  #steppedBytes = 0;

  /** Where the bytes end, or -1 for none. */
  #stepOverBytes(): number {
    const length = this.#reader.next();
    if (length === -1) return -1;
    const start = this.#take(length);
    this.#steppedBytes = length;
    return start + length;
  }

  #take(length: number): number {
    const reader = this.#reader;
    const start = reader.position;
    if (length < 0 || start + length > reader.end)
      throw new MalformedVarint(`a field of ${length} bytes at ${start} runs past the end at ${reader.end}`);
    reader.position = start + length;
    return start;
  }
}
