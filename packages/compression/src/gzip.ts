/** gzip (RFC 1952), by Node itself. */
import { gunzipSync, gzipSync } from "node:zlib";
import { CompressionError } from "@minikafka/record";
import type { PackingMethod } from "./codec.ts";

export const gzip: PackingMethod = {
  decompress(bytes, bytesMax) {
    return boundedByNode(bytesMax, (maxOutputLength) => gunzipSync(bytes, { maxOutputLength }));
  },
  compress(bytes) {
    return gzipSync(bytes);
  },
};

/** Node makes the output in pieces and stops where there is one byte too many. */
export function boundedByNode(bytesMax: number, unpack: (maxOutputLength: number) => Buffer): Buffer {
  try {
    // Node takes no 0.
    const unpacked = unpack(Math.max(1, bytesMax));
    if (unpacked.length <= bytesMax) return unpacked;
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : null;
    if (code !== "ERR_BUFFER_TOO_LARGE") throw error;
  }
  throw new CompressionError("too_large", `the records unpack to more than ${bytesMax} bytes`);
}
