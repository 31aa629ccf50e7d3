/**
 * The three kinds of frames that compaction writes in the place of others. Each keeps the offsets that it stands for, so
 * that the frames of a log go on joining without a hole, and the leader epoch in which they were given.
 *
 *   a smaller batch   some records are gone; those that stay have their bytes, offsets and times
 *   an empty batch    all are gone; it keeps what the last batch of a producer says of its sequence (KAFKA-5490)
 *   a gap             a header alone, in the place of any number of batches that are gone
 */
import {
  type BatchHeader,
  FLAG,
  FORMAT_VERSION,
  FRAME_PREFIX_BYTES,
  HEADER_BYTES,
  MAGIC,
  POSITION,
  readBatchHeader,
  writeInt64,
} from "./batch-header.ts";
import { sealFrame } from "./frame-seal.ts";
import { RecordCursor } from "./record-cursor.ts";
import { varintBytes, writeVarint } from "./varint.ts";

/** A gap of more offsets than an i32 counts takes several frames. */
export const GAP_OFFSETS_MAX = 2 ** 31;

export interface Gap {
  readonly baseOffset: number;
  /** Exclusive; at most {@link GAP_OFFSETS_MAX} behind the base. */
  readonly nextOffset: number;
  readonly leaderEpoch: number;
}

/** True for a frame that stands for offsets without anything else to say. */
export function isGap({
  recordCount,
  producerId,
  control,
}: Pick<BatchHeader, "recordCount" | "producerId" | "control">): boolean {
  return recordCount === 0 && producerId === -1 && control === null;
}

export function gapFrame({ baseOffset, nextOffset, leaderEpoch }: Gap): Buffer {
  const offsets = nextOffset - baseOffset;
  if (!(offsets >= 1 && offsets <= GAP_OFFSETS_MAX)) throw new RangeError(`a gap of ${offsets} offsets`);
  const frame = Buffer.alloc(HEADER_BYTES);
  frame.writeUInt32BE(MAGIC, 0);
  frame.writeUInt32BE(HEADER_BYTES - FRAME_PREFIX_BYTES, POSITION.payloadBytes);
  frame.writeUInt8(FORMAT_VERSION, POSITION.version);
  writeInt64(frame, POSITION.baseOffset, baseOffset);
  frame.writeInt32BE(leaderEpoch, POSITION.leaderEpoch);
  frame.writeInt32BE(offsets - 1, POSITION.lastOffsetDelta);
  writeInt64(frame, POSITION.firstTimestampMs, -1);
  writeInt64(frame, POSITION.maxTimestampMs, -1);
  writeInt64(frame, POSITION.producerId, -1);
  frame.writeInt16BE(-1, POSITION.producerEpoch);
  frame.writeInt32BE(-1, POSITION.baseSequence);
  sealFrame(frame);
  return frame;
}

/** The header of `frame` without its records. Its latest time stays: it is when the producer was last heard of. */
export function emptiedFrame(frame: Buffer): Buffer {
  const empty = Buffer.from(frame.subarray(0, HEADER_BYTES));
  empty.writeUInt32BE(HEADER_BYTES - FRAME_PREFIX_BYTES, POSITION.payloadBytes);
  const flags = empty.readUInt8(POSITION.flags);
  empty.writeUInt8(flags & ~(FLAG.codec | FLAG.deleteHorizon), POSITION.flags);
  writeInt64(empty, POSITION.firstTimestampMs, readBatchHeader(frame).maxTimestampMs);
  empty.writeUInt32BE(0, POSITION.recordCount);
  sealFrame(empty);
  return empty;
}

export interface Thinning {
  /** Asked for each record in order. At least one must stay. */
  readonly stays: (record: RecordCursor) => boolean;
  /** Sets the delete horizon; `null` leaves it, or the lack of one, as it is. */
  readonly deleteHorizonMs: number | null;
}

/** A new frame of those records of a whole, uncompressed `frame` that stay. */
export function thinnedFrame(frame: Buffer, { stays, deleteHorizonMs }: Thinning): Buffer {
  const header = readBatchHeader(frame);
  const firstTimestampMs = deleteHorizonMs ?? header.firstTimestampMs;
  // A delta from another first timestamp may take up to nine bytes more, and the length before it one more.
  const room = deleteHorizonMs === null ? 0 : 10 * header.recordCount;
  const target = Buffer.allocUnsafe(frame.length + room);
  frame.copy(target, 0, 0, HEADER_BYTES);
  let [at, recordCount, maxTimestampMs] = [HEADER_BYTES, 0, -1];
  for (const cursor = new RecordCursor(frame); cursor.next(); ) {
    if (!stays(cursor)) continue;
    const timestampMs = header.firstTimestampMs + cursor.timestampDelta;
    at =
      firstTimestampMs === header.firstTimestampMs
        ? at + frame.copy(target, at, cursor.start, cursor.end)
        : writeAnew(target, at, frame, cursor, timestampMs - firstTimestampMs);
    recordCount += 1;
    maxTimestampMs = Math.max(maxTimestampMs, timestampMs);
  }
  if (recordCount === 0) throw new RangeError("a batch that keeps no record is an empty one, or a gap");
  const thinned = target.subarray(0, at);
  thinned.writeUInt32BE(at - FRAME_PREFIX_BYTES, POSITION.payloadBytes);
  if (deleteHorizonMs !== null)
    thinned.writeUInt8(thinned.readUInt8(POSITION.flags) | FLAG.deleteHorizon, POSITION.flags);
  writeInt64(thinned, POSITION.firstTimestampMs, firstTimestampMs);
  // An append time is the whole batch's, whichever of its records stay.
  if (header.timestampType === "create") writeInt64(thinned, POSITION.maxTimestampMs, maxTimestampMs);
  thinned.writeUInt32BE(recordCount, POSITION.recordCount);
  sealFrame(thinned);
  return thinned;
}

/** The record under `cursor` with another timestamp delta. Returns its end. */
function writeAnew(
  target: Buffer,
  position: number,
  frame: Buffer,
  cursor: RecordCursor,
  timestampDelta: number,
): number {
  const restBytes = cursor.end - cursor.offsetStart;
  let at = writeVarint(target, position, 1 + varintBytes(timestampDelta) + restBytes);
  target[at++] = 0;
  at = writeVarint(target, at, timestampDelta);
  return at + frame.copy(target, at, cursor.offsetStart, cursor.end);
}
