/**
 * Snappy, in two forms. Kafka's own clients put snappy-java's framing around it ("xerial"): a header, then blocks that each have
 * their length before them. librdkafka and others may write one raw block. Both are read. The first is written, as by Kafka's brokers, but
 * for a batch that came raw: @platformatic/kafka 1.35, which writes raw blocks, reads no others.
 */
import { damaged, endWithin, type PackingMethod, requireRoom } from "./codec.ts";
import { library } from "./library.ts";

const XERIAL_MAGIC = Buffer.from("\x82SNAPPY\0", "latin1");
/** The magic, the version and the least version that can read it, both 1. */
const XERIAL_HEADER = Buffer.concat([XERIAL_MAGIC, Buffer.from([0, 0, 0, 1, 0, 0, 0, 1])]);
/** snappy-java: the default block size. */
const BLOCK_BYTES = 32 * 1024;
const LENGTH_BYTES = 4;

const load = library<typeof import("snappy")>("snappy");

export const snappy: PackingMethod = {
  decompress(bytes, bytesMax) {
    const blocks = isXerial(bytes) ? xerialBlocks(bytes) : [bytes];
    // The library allocates what a block declares.
    requireRoom(
      blocks.reduce((sum, block) => sum + declaredBytes(block), 0),
      bytesMax,
    );
    // Copied out, native memory is freed at once, and not when the caller's turn has ended.
    const options = { asBuffer: true, copyOutputData: true };
    const parts = blocks.map((block) => load().uncompressSync(block, options) as Buffer);
    return parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts);
  },
  compress(bytes, like) {
    if (like !== undefined && !isXerial(like)) return load().compressSync(bytes);
    const parts: Buffer[] = [XERIAL_HEADER];
    for (let at = 0; at < bytes.length; at += BLOCK_BYTES) {
      const block = load().compressSync(bytes.subarray(at, at + BLOCK_BYTES));
      const length = Buffer.alloc(LENGTH_BYTES);
      length.writeInt32BE(block.length);
      parts.push(length, block);
    }
    return Buffer.concat(parts);
  },
};

function isXerial(bytes: Buffer): boolean {
  return bytes.subarray(0, XERIAL_MAGIC.length).equals(XERIAL_MAGIC);
}

function xerialBlocks(bytes: Buffer): Buffer[] {
  const blocks: Buffer[] = [];
  for (let at = endWithin(bytes, 0, XERIAL_HEADER.length); at < bytes.length; ) {
    const start = endWithin(bytes, at, LENGTH_BYTES);
    const length = bytes.readInt32BE(at);
    if (length <= 0) throw damaged(`a snappy block at ${at} says ${length} bytes`);
    at = endWithin(bytes, start, length);
    blocks.push(bytes.subarray(start, at));
  }
  return blocks;
}

/** The size that a raw block begins with: a varint of at most 32 bits. */
function declaredBytes(block: Buffer): number {
  let size = 0;
  for (let at = 0; at < 5; at += 1) {
    const byte = block[at];
    if (byte === undefined) break;
    size += (byte & 0x7f) * 2 ** (7 * at);
    if (byte < 0x80) return size;
  }
  throw damaged("a snappy block does not begin with its size");
}
