/** One codec, and what the four have in common. */
import { CompressionError } from "@minikafka/record";

export interface PackingMethod {
  /** Throws CompressionError, and what the library throws for bytes that it cannot read: that is damage too. */
  decompress(bytes: Buffer, bytesMax: number): Buffer;
  /** In the form of `like`, which this codec has packed, where it has several. */
  compress(bytes: Buffer, like?: Buffer): Buffer;
}

export function damaged(message: string): CompressionError {
  return new CompressionError("damaged", message);
}

/** Throws unless as many bytes as are declared, or must be, are allowed. */
export function requireRoom(bytes: number, bytesMax: number): void {
  if (bytes <= bytesMax) return;
  throw new CompressionError(
    "too_large",
    `the records unpack to ${bytes} bytes; expected at most ${bytesMax}`,
  );
}

/** Throws unless `length` bytes from `position` on are there. Returns where they end. */
export function endWithin(bytes: Buffer, position: number, length: number): number {
  const end = position + length;
  if (end > bytes.length)
    throw damaged(`${length} bytes at ${position} run past the end at ${bytes.length}; the input was cut`);
  return end;
}
