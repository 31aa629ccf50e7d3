/**
 * The four codecs as one. What goes wrong within a library, whatever it throws, comes out as a CompressionError: nothing that a
 * producer sends may end its reader.
 */
import { type Compression, CompressionError, type PackingCodec } from "@minikafka/record";
import type { PackingMethod } from "./codec.ts";
import { gzip } from "./gzip.ts";
import { lz4 } from "./lz4.ts";
import { snappy } from "./snappy.ts";
import { zstd } from "./zstd.ts";

const METHODS: Readonly<Record<PackingCodec, PackingMethod>> = { gzip, snappy, lz4, zstd };

/** No library is loaded before its codec is used. */
export const compression: Compression = {
  decompress(codec, bytes, bytesMax) {
    try {
      return METHODS[codec].decompress(bytes, bytesMax);
    } catch (error) {
      if (error instanceof CompressionError) throw error;
      throw new CompressionError("damaged", `the ${codec} bytes cannot be unpacked: ${messageOf(error)}`);
    }
  },
  compress(codec, bytes, like) {
    return METHODS[codec].compress(bytes, like);
  },
};

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
