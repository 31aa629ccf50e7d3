/** Whether bytes are a whole, undamaged frame. Everything that enters or leaves a log passes here. */
import { crc32 } from "node:zlib";
import {
  FLAG,
  FORMAT_VERSION,
  FRAME_PREFIX_BYTES,
  HEADER_BYTES,
  MAGIC,
  POSITION,
  readBatchHeader,
  readInt64,
} from "./batch-header.ts";

/**
 * Why the bytes at `position` do not begin a frame of at most `frameBytesMax`, or `null`. Only magic and size are judged, so
 * that whoever walks over frames may step over one whose end is not in memory.
 */
export function prefixProblem(bytes: Buffer, position: number, frameBytesMax: number): string | null {
  const available = bytes.length - position;
  if (available < HEADER_BYTES) return `${available} bytes are too few for a batch header of ${HEADER_BYTES}`;
  const magic = bytes.readUInt32BE(position);
  if (magic !== MAGIC)
    return `magic is 0x${magic.toString(16).padStart(8, "0")}, expected 0x${MAGIC.toString(16)} (MKB1)`;
  const frameBytes = FRAME_PREFIX_BYTES + bytes.readUInt32BE(position + POSITION.payloadBytes);
  if (frameBytes < HEADER_BYTES || frameBytes > frameBytesMax) {
    return `the frame says ${frameBytes} bytes, expected ${HEADER_BYTES} to ${frameBytesMax}`;
  }
  return null;
}

/**
 * Why the bytes at `position` are not a whole frame of at most `frameBytesMax`, or `null`. The size is judged before it is
 * believed, so that a damaged length never makes anybody read or allocate past the limit.
 */
export function frameProblem(bytes: Buffer, position: number, frameBytesMax: number): string | null {
  const problem = prefixProblem(bytes, position, frameBytesMax);
  if (problem !== null) return problem;
  const available = bytes.length - position;
  const frameBytes = FRAME_PREFIX_BYTES + bytes.readUInt32BE(position + POSITION.payloadBytes);
  if (frameBytes > available) return `the frame says ${frameBytes} bytes, only ${available} are there`;
  const crc = bytes.readUInt32BE(position + POSITION.crc);
  const expected = crc32(bytes.subarray(position + FRAME_PREFIX_BYTES, position + frameBytes));
  if (crc !== expected) return `CRC is 0x${crc.toString(16)}, expected 0x${expected.toString(16)}`;
  return headerProblem(bytes, position);
}

/** Fields that a right CRC does not make right: a writer's mistake, or a newer format. */
function headerProblem(bytes: Buffer, position: number): string | null {
  const header = readBatchHeader(bytes, position);
  const flags = bytes.readUInt8(position + POSITION.flags);
  if (header.version !== FORMAT_VERSION)
    return `format version is ${header.version}, expected ${FORMAT_VERSION}`;
  if ((flags & FLAG.commit) !== 0 && (flags & FLAG.abort) !== 0)
    return "a batch cannot be a commit and an abort marker";
  if (header.codec === null) return "the codec has no name";
  if (header.lastOffsetDelta < 0) return `last offset delta is ${header.lastOffsetDelta}`;
  if (header.recordCount > header.lastOffsetDelta + 1) {
    return `${header.recordCount} records for a last offset delta of ${header.lastOffsetDelta}`;
  }
  for (const field of ["baseOffset", "firstTimestampMs", "maxTimestampMs", "producerId"] as const) {
    const value = readInt64(bytes, position + POSITION[field]);
    if (!Number.isSafeInteger(value) || value < -1) return `${field} is ${value}`;
  }
  if (header.deleteHorizonMs === -1) return "a delete horizon is set, and is -1";
  return Number.isSafeInteger(header.nextOffset) ? null : `the next offset is ${header.nextOffset}`;
}

/**
 * Cuts whole frames that follow each other, as a fetch returns them, into views of `bytes`. Throws a RangeError that names
 * the position when the bytes are anything else.
 */
export function splitFrames(bytes: Buffer): Buffer[] {
  const frames: Buffer[] = [];
  for (let position = 0; position < bytes.length; ) {
    const problem = frameProblem(bytes, position, bytes.length);
    if (problem !== null) throw new RangeError(`at byte ${position} of ${bytes.length}: ${problem}`);
    const { frameBytes } = readBatchHeader(bytes, position);
    frames.push(bytes.subarray(position, position + frameBytes));
    position += frameBytes;
  }
  return frames;
}
