/** Compression for the tests of the kernel: gzip for gzip, and nothing for the other codecs. The real one is another package. */
import { gunzipSync, gzipSync } from "node:zlib";
import {
  type BatchContent,
  type Compression,
  CompressionError,
  encodeBatch,
  packedFrame,
} from "@minikafka/record";

export const gzipOnly: Compression = {
  decompress(codec, bytes, bytesMax) {
    requireGzip(codec);
    try {
      return gunzipSync(bytes, { maxOutputLength: bytesMax });
    } catch (error) {
      const isLarge = error instanceof Error && "code" in error && error.code === "ERR_BUFFER_TOO_LARGE";
      throw new CompressionError(isLarge ? "too_large" : "damaged", `the bytes cannot be unpacked: ${error}`);
    }
  },
  compress(codec, bytes) {
    requireGzip(codec);
    return gzipSync(bytes);
  },
};

function requireGzip(codec: string): void {
  if (codec !== "gzip") throw new CompressionError("unsupported", `${codec} cannot be read in this test`);
}

/** The frame that a producer sends of `content`, with its records packed. */
export function packedBatch(content: BatchContent): Buffer {
  return packedFrame(encodeBatch(content), "gzip", gzipOnly);
}
