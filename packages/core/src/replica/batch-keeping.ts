/**
 * In which form a leader keeps a batch: as its producer packed it, or as its topic's compression_type wants it. Kafka: LogValidator, which
 * builds a batch anew whose codec is another one. Everybody else takes it over as it is: followers copy it, readers unpack it.
 */
import { type Codec, type Compression, CompressionError, packedFrame } from "@minikafka/record";
import { BrokerError } from "../errors.ts";
import { type Admitted, requireSize } from "./batch-admission.ts";
import type { PartitionConfig } from "./partition-config.ts";

/**
 * `frame`, or another one of the same records. A codec that is asked for is used also where it makes the batch no smaller, as in Kafka. Throws
 * RECORD_TOO_LARGE where the batch does not fit in that form, and UNSUPPORTED_COMPRESSION_TYPE where nothing here packs it.
 */
export function asKept(
  frame: Buffer,
  { header, plain }: Admitted,
  { codec, batchBytesMax }: Pick<PartitionConfig, "codec" | "batchBytesMax">,
  compression: Compression | undefined,
): Buffer {
  if (codec === null || codec === header.codec) return frame;
  const wish = `the topic's compression_type is ${codec === "none" ? "uncompressed" : codec}`;
  const kept = packedAs(plain, codec, compression, wish);
  requireSize(kept, batchBytesMax, `, as ${wish}`);
  return kept;
}

function packedAs(plain: Buffer, codec: Codec, compression: Compression | undefined, wish: string): Buffer {
  if (compression === undefined)
    throw new BrokerError("UNSUPPORTED_COMPRESSION_TYPE", `${wish}, which cannot be written here`);
  try {
    return packedFrame(plain, codec, compression);
  } catch (error) {
    if (!(error instanceof CompressionError)) throw error;
    throw new BrokerError("UNSUPPORTED_COMPRESSION_TYPE", `${wish}: ${error.message}`);
  }
}
