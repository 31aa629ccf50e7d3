/** A frame around records that somebody else has encoded, and maybe compressed. */
import {
  CODECS,
  type Codec,
  FLAG,
  FORMAT_VERSION,
  FRAME_PREFIX_BYTES,
  HEADER_BYTES,
  MAGIC,
  POSITION,
  writeInt64,
} from "./batch-header.ts";
import { sealFrame } from "./frame-seal.ts";
import { RecordCursor } from "./record-cursor.ts";
import { MalformedVarint } from "./varint.ts";

/** What a header says of the records and of who sent them. */
export interface FramedFields {
  readonly codec: Codec;
  readonly transactional: boolean;
  readonly lastOffsetDelta: number;
  readonly firstTimestampMs: number;
  readonly maxTimestampMs: number;
  readonly producerId: number;
  readonly producerEpoch: number;
  readonly baseSequence: number;
  readonly recordCount: number;
}

/**
 * The unassigned frame of `records`, which are copied as they are. Whether they are what the fields say is for `recordsProblem` to
 * judge. Throws a RangeError for a number that has no room in its field.
 */
export function frameRecords(records: Uint8Array, fields: FramedFields): Buffer {
  const frame = Buffer.allocUnsafe(HEADER_BYTES + records.length);
  frame.writeUInt32BE(MAGIC, 0);
  frame.writeUInt32BE(frame.length - FRAME_PREFIX_BYTES, POSITION.payloadBytes);
  frame.writeUInt8(FORMAT_VERSION, POSITION.version);
  const codec = CODECS.indexOf(fields.codec) << 3;
  frame.writeUInt8(codec | (fields.transactional ? FLAG.transactional : 0), POSITION.flags);
  writeInt64(frame, POSITION.baseOffset, -1);
  frame.writeInt32BE(-1, POSITION.leaderEpoch);
  frame.writeInt32BE(fields.lastOffsetDelta, POSITION.lastOffsetDelta);
  writeInt64(frame, POSITION.firstTimestampMs, fields.firstTimestampMs);
  writeInt64(frame, POSITION.maxTimestampMs, fields.maxTimestampMs);
  writeInt64(frame, POSITION.producerId, fields.producerId);
  frame.writeInt16BE(fields.producerEpoch, POSITION.producerEpoch);
  frame.writeInt32BE(fields.baseSequence, POSITION.baseSequence);
  frame.writeUInt32BE(fields.recordCount, POSITION.recordCount);
  frame.set(records, HEADER_BYTES);
  sealFrame(frame);
  return frame;
}

/** The latest time of the records of an uncompressed frame, whatever its header says; `null` when they are not well formed. */
export function latestTimestampMs(frame: Buffer, firstTimestampMs: number): number | null {
  let latestDelta: number | null = null;
  try {
    for (const cursor = new RecordCursor(frame); cursor.next(); ) {
      const { timestampDelta } = cursor;
      if (latestDelta === null || timestampDelta > latestDelta) latestDelta = timestampDelta;
    }
  } catch (error) {
    if (error instanceof MalformedVarint) return null;
    throw error;
  }
  return latestDelta === null ? null : firstTimestampMs + latestDelta;
}
