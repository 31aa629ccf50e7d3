/**
 * LZ4 in its frame format, one frame as Kafka's clients write it (KIP-57). The library makes room for whatever comes out, and takes a
 * frame that ends too early for a whole one: the frame is walked over before.
 */
import { type PackingMethod, requireRoom } from "./codec.ts";
import { library } from "./library.ts";
import { lz4UnpackedBytes } from "./lz4-frame.ts";

const load = library<typeof import("lz4-napi")>("lz4-napi");

export const lz4: PackingMethod = {
  decompress(bytes, bytesMax) {
    requireRoom(lz4UnpackedBytes(bytes), bytesMax);
    return load().decompressFrameSync(bytes);
  },
  /** Independent blocks, the only ones that Kafka's Java clients read. */
  compress(bytes) {
    return load().compressFrameSync(bytes);
  },
};
