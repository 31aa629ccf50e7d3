/**
 * The way through an LZ4 frame without unpacking it (lz4's frame format 1.6 and block format): a block is a row of sequences, each a
 * token with the lengths of what it copies, so that adding them up gives the exact size of what will come out.
 */
import { damaged, endWithin } from "./codec.ts";

const MAGIC = 0x184d2204;
const VERSION = 1;
const IS_STORED = 0x8000_0000;
/** Of a block, by the number in the header: 64 KiB, 256 KiB, 1 MiB, 4 MiB. */
const BLOCK_BYTES_MAX = [64, 256, 1024, 4096].map((kibibytes) => kibibytes * 1024);
const FIRST_BLOCK_SIZE = 4;
/** The least length of a match, which its token does not count. */
export const MATCH_BYTES_MIN = 4;

interface Lz4Block {
  readonly start: number;
  readonly end: number;
  /** Not compressed. */
  readonly isStored: boolean;
}

export interface Lz4Frame {
  readonly blocks: readonly Lz4Block[];
  /** What all of them unpack to. */
  readonly unpackedBytes: number;
  /** Blocks may repeat what those before them hold. */
  readonly isLinked: boolean;
}

/** The one whole frame that `bytes` are. Throws "damaged" for anything else. */
export function lz4Frame(bytes: Buffer): Lz4Frame {
  const { headerEnd, blockBytesMax, isLinked, hasBlockChecksums, hasContentChecksum } = readHeader(bytes);
  const blocks: Lz4Block[] = [];
  let unpackedBytes = 0;
  for (let at = headerEnd; ; ) {
    const start = endWithin(bytes, at, 4);
    const size = bytes.readUInt32LE(at);
    if (size === 0) {
      const end = endWithin(bytes, start, hasContentChecksum ? 4 : 0);
      if (end !== bytes.length) throw damaged(`${bytes.length - end} bytes follow the LZ4 frame`);
      return { blocks, unpackedBytes, isLinked };
    }
    const isStored = size >= IS_STORED;
    const blockBytes = size % IS_STORED;
    const end = endWithin(bytes, start, blockBytes);
    const outcome = isStored ? blockBytes : blockUnpackedBytes(bytes, start, end);
    if (outcome > blockBytesMax)
      throw damaged(`an LZ4 block at ${at} unpacks to ${outcome} bytes; its frame allows ${blockBytesMax}`);
    blocks.push({ start, end, isStored });
    unpackedBytes += outcome;
    at = endWithin(bytes, end, hasBlockChecksums ? 4 : 0);
  }
}

function readHeader(bytes: Buffer) {
  endWithin(bytes, 0, 7);
  const magic = bytes.readUInt32LE(0);
  if (magic !== MAGIC) throw damaged(`magic is 0x${magic.toString(16)}; expected that of an LZ4 frame`);
  const flags = bytes.readUInt8(4);
  if (flags >> 6 !== VERSION) throw damaged(`the LZ4 frame is of version ${flags >> 6}; expected ${VERSION}`);
  const blockSize = (bytes.readUInt8(5) >> 4) & 7;
  const blockBytesMax = BLOCK_BYTES_MAX[blockSize - FIRST_BLOCK_SIZE];
  if (blockBytesMax === undefined)
    throw damaged(`the LZ4 frame has block size ${blockSize}; expected 4 to 7`);
  const contentSizeBytes = (flags & 0x08) !== 0 ? 8 : 0;
  const dictionaryBytes = (flags & 0x01) !== 0 ? 4 : 0;
  return {
    blockBytesMax,
    isLinked: (flags & 0x20) === 0,
    hasBlockChecksums: (flags & 0x10) !== 0,
    hasContentChecksum: (flags & 0x04) !== 0,
    // Behind magic, flags and block size; the header's own checksum is its last byte.
    headerEnd: endWithin(bytes, 6, contentSizeBytes + dictionaryBytes + 1),
  };
}

function blockUnpackedBytes(bytes: Buffer, start: number, end: number): number {
  let [at, unpacked] = [start, 0];
  const lengthOf = (nibble: number): number => {
    let length = nibble;
    for (let byte = nibble === 15 ? 255 : 0; byte === 255; length += byte) {
      if (at >= end) throw damaged(`a length in an LZ4 block runs past its end at ${end}`);
      byte = bytes[at++] as number;
    }
    return length;
  };
  while (at < end) {
    const token = bytes[at++] as number;
    const literals = lengthOf(token >> 4);
    at += literals;
    unpacked += literals;
    // The last sequence has no match.
    if (at === end) return unpacked;
    at += 2;
    if (at > end) throw damaged(`a sequence of an LZ4 block runs past its end at ${end}`);
    unpacked += lengthOf(token & 15) + MATCH_BYTES_MIN;
  }
  throw damaged(`an LZ4 block ends at ${end} within a match`);
}
