/**
 * The way through Zstandard frames without unpacking them (RFC 8878, 3.1): each block says how long it is, and none unpacks to
 * more than 128 KiB or the frame's window.
 */
import { damaged, endWithin } from "./codec.ts";

const MAGIC = 0xfd2f_b528;
const SKIPPABLE_MAGIC = 0x184d_2a50;
export const ZSTD_BLOCK_BYTES_MAX = 128 * 1024;
const BLOCK = { raw: 0, repeated: 1, compressed: 2 } as const;

export interface ZstdFrame {
  readonly start: number;
  readonly end: number;
  /** What it says it unpacks to; `null` when it does not say. */
  readonly bytesDeclared: number | null;
  /** It cannot unpack to more, whatever it says. */
  readonly bytesAtMost: number;
}

/** The frames that `bytes` are, at least one, without those that are to be skipped. Throws "damaged" for anything else. */
export function zstdFrames(bytes: Buffer): ZstdFrame[] {
  const frames: ZstdFrame[] = [];
  for (let at = 0; at < bytes.length; ) {
    const start = at;
    const content = endWithin(bytes, start, 4);
    const magic = bytes.readUInt32LE(start);
    if ((magic & ~0xf) >>> 0 === SKIPPABLE_MAGIC) {
      const body = endWithin(bytes, content, 4);
      at = endWithin(bytes, body, bytes.readUInt32LE(content));
      continue;
    }
    if (magic !== MAGIC)
      throw damaged(`magic at ${start} is 0x${magic.toString(16)}; expected that of a Zstandard frame`);
    const frame = { start, ...readFrame(bytes, content) };
    frames.push(frame);
    at = frame.end;
  }
  if (frames.length === 0) throw damaged("there is no Zstandard frame");
  return frames;
}

function readFrame(bytes: Buffer, position: number): Omit<ZstdFrame, "start"> {
  const { headerEnd, blockBytesMax, bytesDeclared, hasChecksum } = readHeader(bytes, position);
  let [at, bytesAtMost, isLast] = [headerEnd, 0, false];
  while (!isLast) {
    const start = endWithin(bytes, at, 3);
    const header = bytes.readUIntLE(at, 3);
    const type = (header >> 1) & 3;
    const size = header >> 3;
    if (type > BLOCK.compressed) throw damaged(`a Zstandard block at ${at} has the reserved type`);
    if (size > blockBytesMax)
      throw damaged(`a Zstandard block at ${at} says ${size} bytes; its frame allows ${blockBytesMax}`);
    isLast = (header & 1) === 1;
    bytesAtMost += type === BLOCK.compressed ? blockBytesMax : size;
    at = endWithin(bytes, start, type === BLOCK.repeated ? 1 : size);
  }
  return { end: endWithin(bytes, at, hasChecksum ? 4 : 0), bytesDeclared, bytesAtMost };
}

function readHeader(bytes: Buffer, position: number) {
  const descriptorEnd = endWithin(bytes, position, 1);
  const descriptor = bytes.readUInt8(position);
  const isSingleSegment = (descriptor & 0x20) !== 0;
  const sizeFlag = descriptor >> 6;
  const windowBytes = isSingleSegment ? 0 : 1;
  const dictionaryBytes = [0, 1, 2, 4][descriptor & 3] as number;
  const sizeBytes = sizeFlag === 0 ? (isSingleSegment ? 1 : 0) : 2 ** sizeFlag;
  const sizeAt = descriptorEnd + windowBytes + dictionaryBytes;
  const headerEnd = endWithin(bytes, descriptorEnd, windowBytes + dictionaryBytes + sizeBytes);
  const bytesDeclared = sizeBytes === 0 ? null : contentSize(bytes, sizeAt, sizeBytes);
  const windowSize = isSingleSegment ? (bytesDeclared ?? 0) : windowSizeOf(bytes.readUInt8(descriptorEnd));
  return {
    headerEnd,
    bytesDeclared,
    blockBytesMax: Math.min(windowSize, ZSTD_BLOCK_BYTES_MAX),
    hasChecksum: (descriptor & 0x04) !== 0,
  };
}

function contentSize(bytes: Buffer, position: number, sizeBytes: number): number {
  if (sizeBytes === 8) return Number(bytes.readBigUInt64LE(position));
  // Two bytes begin to count where one byte ends.
  return bytes.readUIntLE(position, sizeBytes) + (sizeBytes === 2 ? 256 : 0);
}

function windowSizeOf(descriptor: number): number {
  const base = 2 ** (10 + (descriptor >> 3));
  return base + (base / 8) * (descriptor & 7);
}
