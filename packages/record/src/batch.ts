/** A batch as bytes: made by a producer, given its place by the leader, read by everybody else without being re-encoded. */
import {
  FLAG,
  FORMAT_VERSION,
  FRAME_PREFIX_BYTES,
  HEADER_BYTES,
  MAGIC,
  POSITION,
  writeInt64,
} from "./batch-header.ts";
import { changedCrc } from "./crc-change.ts";
import { sealFrame } from "./frame-seal.ts";
import { isTimestampMs, type Record } from "./record.ts";
import { recordBytes, writeRecord } from "./records-section.ts";

export interface BatchContent {
  /** At least one. */
  readonly records: readonly Record[];
  /** Idempotent producers only (KIP-98); all three or none. */
  readonly producerId?: number;
  readonly producerEpoch?: number;
  readonly baseSequence?: number;
  readonly transactional?: boolean;
  /** The frame's exact size, for a caller that has summed up `recordBytes` already. */
  readonly frameBytes?: number;
}

/**
 * One unassigned frame: base offset and leader epoch are -1 until {@link assignBatch}. Throws a RangeError for an empty
 * batch or a timestamp out of range.
 */
export function encodeBatch(content: BatchContent): Buffer {
  const { records } = content;
  const first = records[0];
  if (first === undefined) throw new RangeError("a batch needs at least one record");
  let maxTimestampMs = first.timestampMs;
  for (let index = 0; index < records.length; index += 1) {
    const record = records[index] as Record;
    if (!isTimestampMs(record.timestampMs)) {
      throw new RangeError(
        `record ${index} has timestamp ${record.timestampMs}; expected whole milliseconds since 1970`,
      );
    }
    if (record.timestampMs > maxTimestampMs) maxTimestampMs = record.timestampMs;
  }
  const bytes = content.frameBytes ?? frameBytesOf(records, first.timestampMs);
  const frame = Buffer.allocUnsafe(bytes);
  frame.writeUInt32BE(MAGIC, 0);
  frame.writeUInt32BE(bytes - FRAME_PREFIX_BYTES, POSITION.payloadBytes);
  frame.writeUInt8(FORMAT_VERSION, POSITION.version);
  frame.writeUInt8(content.transactional === true ? FLAG.transactional : 0, POSITION.flags);
  writeInt64(frame, POSITION.baseOffset, -1);
  frame.writeInt32BE(-1, POSITION.leaderEpoch);
  frame.writeInt32BE(records.length - 1, POSITION.lastOffsetDelta);
  writeInt64(frame, POSITION.firstTimestampMs, first.timestampMs);
  writeInt64(frame, POSITION.maxTimestampMs, maxTimestampMs);
  writeInt64(frame, POSITION.producerId, content.producerId ?? -1);
  frame.writeInt16BE(content.producerEpoch ?? -1, POSITION.producerEpoch);
  frame.writeInt32BE(content.baseSequence ?? -1, POSITION.baseSequence);
  frame.writeUInt32BE(records.length, POSITION.recordCount);
  let position = HEADER_BYTES;
  for (let index = 0; index < records.length; index += 1) {
    position = writeRecord(frame, position, records[index] as Record, index, first.timestampMs);
  }
  if (position !== bytes) throw new RangeError(`the frame has ${position} bytes, not ${bytes}`);
  sealFrame(frame);
  return frame;
}

function frameBytesOf(records: readonly Record[], firstTimestampMs: number): number {
  let bytes = HEADER_BYTES;
  for (let index = 0; index < records.length; index += 1)
    bytes += recordBytes(records[index] as Record, index, firstTimestampMs);
  return bytes;
}

/** Where a leader puts a batch. */
export interface BatchPlace {
  readonly baseOffset: number;
  readonly leaderEpoch: number;
}

/** The payload's bytes up to the last that a place changes, and up to the last that an append time does. */
const PLACED_END = POSITION.lastOffsetDelta;
const STAMPED_END = POSITION.producerId;

/**
 * Gives `frame` its place, in its own bytes. The CRC follows the change: one that was right stays right, and damage that it
 * would have shown it still shows. Nothing else changes, and the records are not read.
 */
export function assignBatch(frame: Buffer, place: BatchPlace): void {
  change(frame, PLACED_END, () => {
    writeInt64(frame, POSITION.baseOffset, place.baseOffset);
    frame.writeInt32BE(place.leaderEpoch, POSITION.leaderEpoch);
  });
}

/**
 * Makes `appendTimeMs` the time of every record of `frame` (Kafka: LogAppendTime, KIP-32), in its own bytes: the latest
 * timestamp and a flag say it. What the producer wrote stays in the records and is read no more. The CRC follows as above.
 */
export function stampAppendTime(frame: Buffer, appendTimeMs: number): void {
  change(frame, STAMPED_END, () => {
    frame.writeUInt8(frame.readUInt8(POSITION.flags) | FLAG.appendTime, POSITION.flags);
    writeInt64(frame, POSITION.maxTimestampMs, appendTimeMs);
  });
}

/** Lets `act` change bytes of the payload below `end`. */
function change(frame: Buffer, end: number, act: () => void): void {
  const after = frame.subarray(FRAME_PREFIX_BYTES, end);
  const before = Buffer.from(after);
  act();
  const followingBytes = frame.length - end;
  const crc = changedCrc(frame.readUInt32BE(POSITION.crc), { before, after, followingBytes });
  frame.writeUInt32BE(crc, POSITION.crc);
}
