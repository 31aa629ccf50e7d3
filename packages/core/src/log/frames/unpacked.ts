/**
 * Compressed batches, looked into. A log stores and serves them as they came; whoever reads their records unpacks them here, each
 * time, within one bound.
 */
import {
  type BatchHeader,
  type Compression,
  CompressionError,
  isPlain,
  plainFrame,
  storedRecordsProblem,
} from "@minikafka/record";
import { BrokerError } from "../../errors.ts";
import { LIMITS } from "../../limits.ts";

/** `frame` with its records plain; see plainFrame. Throws CompressionError. */
export function unpacked(frame: Buffer, compression: Compression | undefined): Buffer {
  return plainFrame(frame, compression, LIMITS.unpackedBytesMax);
}

/** A stored batch that was looked into. */
export interface LookedInto {
  /** Its records plain; `null` where they cannot be read. */
  readonly plain: Buffer | null;
  /** What is wrong with them, in words; `null` also where there is nothing here that reads their codec. */
  readonly problem: string | null;
}

/** What a whole, checked `frame` holds, and whether that can be. */
export function lookInto(frame: Buffer, compression: Compression | undefined): LookedInto {
  try {
    const plain = unpacked(frame, compression);
    const problem = storedRecordsProblem(plain);
    return { plain: problem === null ? plain : null, problem };
  } catch (error) {
    if (!(error instanceof CompressionError)) throw error;
    return { plain: null, problem: error.problem === "unsupported" ? null : error.message };
  }
}

/** The plain `frame` for who passes over what he cannot read: `null` for a packed one that cannot be unpacked, or is unsound within. */
export function plainOrNull(
  frame: Buffer,
  header: BatchHeader,
  compression: Compression | undefined,
): Buffer | null {
  return isPlain(header) ? frame : lookInto(frame, compression).plain;
}

/**
 * For who cannot go on without the records. Throws UNSUPPORTED_COMPRESSION_TYPE where nothing here reads the codec; what cannot be
 * unpacked is damage, which `asDamage` says.
 */
export function requireUnpacked(
  frame: Buffer,
  compression: Compression | undefined,
  asDamage: (problem: string) => Error,
): Buffer {
  try {
    return unpacked(frame, compression);
  } catch (error) {
    if (!(error instanceof CompressionError)) throw error;
    if (error.problem === "unsupported") throw new BrokerError("UNSUPPORTED_COMPRESSION_TYPE", error.message);
    throw asDamage(error.message);
  }
}
