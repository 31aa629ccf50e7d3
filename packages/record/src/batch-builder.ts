/**
 * A batch that grows record by record, in the bytes in which it will be sent.
 *
 * Owns those bytes until `finish` gives them away. Invariants: a record that was added is a copy; `frameBytes` is the exact
 * size of the frame so far.
 */
import {
  FLAG,
  FORMAT_VERSION,
  FRAME_PREFIX_BYTES,
  HEADER_BYTES,
  MAGIC,
  POSITION,
  writeInt64,
} from "./batch-header.ts";
import { sealFrame } from "./frame-seal.ts";
import { isTimestampMs, type Record } from "./record.ts";
import { recordBodyBytes, writeRecord } from "./records-section.ts";
import { varintBytes } from "./varint.ts";

/** What a batch says of its producer. */
export interface BatchProducer {
  /** Idempotent producers only (KIP-98); all three or none. */
  readonly producerId?: number;
  readonly producerEpoch?: number;
  readonly baseSequence?: number;
  readonly transactional?: boolean;
}

/** Throws a RangeError for a time that no record may carry. */
export function requireTimestamp(timestampMs: number, index: number): void {
  if (isTimestampMs(timestampMs)) return;
  throw new RangeError(
    `record ${index} has timestamp ${timestampMs}; expected whole milliseconds since 1970`,
  );
}

export class BatchBuilder {
  #frame: Buffer;
  #end = HEADER_BYTES;
  #recordCount = 0;
  #firstTimestampMs = -1;
  #maxTimestampMs = -1;

  /** `room` is how large the frame will be, or memory for it; one that becomes larger is copied as it grows. */
  constructor(room: number | Buffer) {
    const memory = typeof room === "number" ? Buffer.allocUnsafe(Math.max(HEADER_BYTES, room)) : room;
    this.#frame = memory.length >= HEADER_BYTES ? memory : Buffer.allocUnsafe(HEADER_BYTES);
  }

  /** All of the memory in whose beginning the frame lies. */
  get memory(): Buffer {
    return this.#frame;
  }

  get recordCount(): number {
    return this.#recordCount;
  }

  get frameBytes(): number {
    return this.#end;
  }

  /**
   * Adds a copy of `record`, unless the frame would have more than `frameBytesMax` bytes with it: then it adds nothing and
   * returns false. Throws a RangeError for a timestamp out of range.
   */
  add(record: Record, frameBytesMax = Number.POSITIVE_INFINITY): boolean {
    const { timestampMs } = record;
    const offsetDelta = this.#recordCount;
    requireTimestamp(timestampMs, offsetDelta);
    const timestampDelta = offsetDelta === 0 ? 0 : timestampMs - this.#firstTimestampMs;
    const bodyBytes = recordBodyBytes(record, offsetDelta, timestampDelta);
    const end = this.#end + varintBytes(bodyBytes) + bodyBytes;
    if (end > frameBytesMax) return false;
    if (end > this.#frame.length) this.#grow(end);
    this.#end = writeRecord(this.#frame, this.#end, record, bodyBytes, offsetDelta, timestampDelta);
    if (offsetDelta === 0) this.#firstTimestampMs = timestampMs;
    if (timestampMs > this.#maxTimestampMs) this.#maxTimestampMs = timestampMs;
    this.#recordCount += 1;
    return true;
  }

  /**
   * The unassigned frame: base offset and leader epoch are -1 until `assignBatch`. Nothing may be added after it. Throws a
   * RangeError for an empty batch.
   */
  finish(producer: BatchProducer = {}): Buffer {
    if (this.#recordCount === 0) throw new RangeError("a batch needs at least one record");
    const frame = this.#frame.subarray(0, this.#end);
    frame.writeUInt32BE(MAGIC, 0);
    frame.writeUInt32BE(frame.length - FRAME_PREFIX_BYTES, POSITION.payloadBytes);
    frame.writeUInt8(FORMAT_VERSION, POSITION.version);
    frame.writeUInt8(producer.transactional === true ? FLAG.transactional : 0, POSITION.flags);
    writeInt64(frame, POSITION.baseOffset, -1);
    frame.writeInt32BE(-1, POSITION.leaderEpoch);
    frame.writeInt32BE(this.#recordCount - 1, POSITION.lastOffsetDelta);
    writeInt64(frame, POSITION.firstTimestampMs, this.#firstTimestampMs);
    writeInt64(frame, POSITION.maxTimestampMs, this.#maxTimestampMs);
    writeInt64(frame, POSITION.producerId, producer.producerId ?? -1);
    frame.writeInt16BE(producer.producerEpoch ?? -1, POSITION.producerEpoch);
    frame.writeInt32BE(producer.baseSequence ?? -1, POSITION.baseSequence);
    frame.writeUInt32BE(this.#recordCount, POSITION.recordCount);
    sealFrame(frame);
    return frame;
  }

  #grow(bytes: number): void {
    const grown = Buffer.allocUnsafe(Math.max(bytes, 2 * this.#frame.length));
    this.#frame.copy(grown, 0, 0, this.#end);
    this.#frame = grown;
  }
}
