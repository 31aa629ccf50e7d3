/**
 * Zstandard (KIP-110). Node has it since 22.15; before that, a library unpacks frames, and makes room for whatever comes out. What
 * a frame declares is looked at first. Beyond that Node counts what comes out; the library is asked only for what can be larger
 * than allowed by one block at most.
 */
import zlib from "node:zlib";
import { type PackingMethod, requireRoom } from "./codec.ts";
import { boundedByNode } from "./gzip.ts";
import { library } from "./library.ts";
import { ZSTD_BLOCK_BYTES_MAX, zstdFrames } from "./zstd-frame.ts";

/** The types are those of the oldest Node. */
interface NodeZstd {
  zstdCompressSync(bytes: Buffer): Buffer;
  zstdDecompressSync(bytes: Buffer, options: { maxOutputLength: number }): Buffer;
}

/** The one that Kafka's clients take: zstd's own default. */
const LEVEL = 3;

const load = library<typeof import("@toondepauw/node-zstd")>("@toondepauw/node-zstd");

/** One frame; how it is bounded hangs on who unpacks it. */
const byLibrary: PackingMethod = {
  decompress(frame, bytesMax) {
    const bytesAtMost = zstdFrames(frame).reduce((sum, each) => sum + each.bytesAtMost, 0);
    // All blocks of a frame are full but the last.
    requireRoom(bytesAtMost - ZSTD_BLOCK_BYTES_MAX, bytesMax);
    const unpacked = new (load().Decoder)().decodeSync(frame);
    requireRoom(unpacked.length, bytesMax);
    return unpacked;
  },
  compress(bytes) {
    return new (load().Encoder)(LEVEL).encodeSync(bytes);
  },
};

function byNode(node: NodeZstd): PackingMethod {
  return {
    decompress(frame, bytesMax) {
      return boundedByNode(bytesMax, (maxOutputLength) =>
        node.zstdDecompressSync(frame, { maxOutputLength }),
      );
    },
    compress(bytes) {
      return node.zstdCompressSync(bytes);
    },
  };
}

/** What `from` offers, or what is installed where that is nothing. */
export function zstdOf(from: Partial<NodeZstd>): PackingMethod {
  const isNode = from.zstdDecompressSync !== undefined && from.zstdCompressSync !== undefined;
  const method = isNode ? byNode(from as NodeZstd) : byLibrary;
  return {
    decompress(bytes, bytesMax) {
      const frames = zstdFrames(bytes);
      requireRoom(
        frames.reduce((sum, { bytesDeclared }) => sum + (bytesDeclared ?? 0), 0),
        bytesMax,
      );
      const parts: Buffer[] = [];
      let room = bytesMax;
      for (const { start, end } of frames) {
        const part = method.decompress(bytes.subarray(start, end), room);
        room -= part.length;
        parts.push(part);
      }
      return parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts);
    },
    compress(bytes) {
      return method.compress(bytes);
    },
  };
}

export const zstd = zstdOf(zlib as Partial<NodeZstd>);
