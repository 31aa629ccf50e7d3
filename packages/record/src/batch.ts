/** A batch as bytes: made by a producer, given its place by the leader, read by everybody else without being re-encoded. */
import { crc32 } from "node:zlib";
import {
  FLAG,
  FORMAT_VERSION,
  FRAME_PREFIX_BYTES,
  HEADER_BYTES,
  MAGIC,
  POSITION,
  writeInt64,
} from "./batch-header.ts";
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
}

/**
 * One unassigned frame: base offset and leader epoch are -1 until {@link assignBatch}. Throws a RangeError for an empty
 * batch or a timestamp out of range.
 */
export function encodeBatch(content: BatchContent): Buffer {
  const { records } = content;
  const first = records[0];
  if (first === undefined) throw new RangeError("a batch needs at least one record");
  let bytes = HEADER_BYTES;
  let maxTimestampMs = first.timestampMs;
  for (let index = 0; index < records.length; index += 1) {
    const record = records[index] as Record;
    if (!isTimestampMs(record.timestampMs)) {
      throw new RangeError(
        `record ${index} has timestamp ${record.timestampMs}; expected whole milliseconds since 1970`,
      );
    }
    if (record.timestampMs > maxTimestampMs) maxTimestampMs = record.timestampMs;
    bytes += recordBytes(record, index, first.timestampMs);
  }
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
  seal(frame);
  return frame;
}

/** Where a leader puts a batch. */
export interface BatchPlace {
  readonly baseOffset: number;
  readonly leaderEpoch: number;
}

/** Gives `frame` its place, in its own bytes, and renews the CRC. Nothing else in it changes. */
export function assignBatch(frame: Buffer, place: BatchPlace): void {
  writeInt64(frame, POSITION.baseOffset, place.baseOffset);
  frame.writeInt32BE(place.leaderEpoch, POSITION.leaderEpoch);
  seal(frame);
}

function seal(frame: Buffer): void {
  frame.writeUInt32BE(crc32(frame.subarray(FRAME_PREFIX_BYTES)), POSITION.crc);
}
