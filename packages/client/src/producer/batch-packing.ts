/** What a producer's batches are compressed with. */
import { compression } from "@minikafka/compression";
import {
  CompressionError,
  decodeRecords,
  type PackingCodec,
  packedFrame,
  plainFrame,
  type StoredRecord,
  shownValue,
} from "@minikafka/record";
import { MiniKafkaError } from "../errors.ts";
import { usageError } from "../usage.ts";

/** Kafka: compression.type of a producer. */
export type CompressionType = "none" | PackingCodec;

const TYPES: readonly CompressionType[] = ["none", "gzip", "snappy", "lz4", "zstd"];
const NOTHING = Buffer.alloc(0);

/**
 * The codec that `type` names, which works here: `null` for none. Throws USAGE for another name, and UNSUPPORTED_COMPRESSION_TYPE where the
 * system lacks its library.
 */
export function codecOf(type: CompressionType): PackingCodec | null {
  if (!TYPES.includes(type))
    throw usageError(`compression is ${shownValue(type)}; expected one of ${TYPES.join(", ")}`);
  if (type === "none") return null;
  try {
    compression.compress(type, NOTHING);
  } catch (error) {
    if (!(error instanceof CompressionError)) throw error;
    throw new MiniKafkaError("UNSUPPORTED_COMPRESSION_TYPE", error.message, {
      details: { compression: type },
    });
  }
  return type;
}

/** `frame` compressed, or itself where that would not make it smaller. */
export function packed(frame: Buffer, codec: PackingCodec | null): Buffer {
  if (codec === null) return frame;
  const smaller = packedFrame(frame, codec, compression);
  return smaller.length < frame.length ? smaller : frame;
}

/** The records of what {@link packed} has made. */
export function recordsIn(frame: Buffer): StoredRecord[] {
  return decodeRecords(plainFrame(frame, compression, Number.MAX_SAFE_INTEGER));
}
