/**
 * LZ4 in its frame format, one frame as Kafka's clients write it (KIP-57). Unpacking is done here, into memory of exactly the size
 * that comes out: what a native library makes is freed only once the caller's turn has ended, and who unpacks many batches in one
 * would hold them all. Of the frame's checksums none is looked at, since a batch has its own over all of it.
 */
import { type PackingMethod, requireRoom } from "./codec.ts";
import { library } from "./library.ts";
import { unpackBlock } from "./lz4-block.ts";
import { lz4Frame } from "./lz4-frame.ts";

const load = library<typeof import("lz4-napi")>("lz4-napi");

export const lz4: PackingMethod = {
  decompress(bytes, bytesMax) {
    const { blocks, unpackedBytes, isLinked } = lz4Frame(bytes);
    requireRoom(unpackedBytes, bytesMax);
    const target = Buffer.allocUnsafe(unpackedBytes);
    let at = 0;
    for (const { start, end, isStored } of blocks) {
      if (isStored) at += bytes.copy(target, at, start, end);
      else at = unpackBlock(bytes, { start, end }, { target, at, floor: isLinked ? 0 : at });
    }
    return target;
  },
  /** Independent blocks, the only ones that Kafka's Java clients read. */
  compress(bytes) {
    return load().compressFrameSync(bytes);
  },
};
