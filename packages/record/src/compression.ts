/**
 * What packs the records of a batch and unpacks them again. The implementation comes from outside
 * (`@minikafka/compression`), so that who only reads headers loads no codec.
 */
import type { Codec } from "./batch-header.ts";

export type PackingCodec = Exclude<Codec, "none">;

/**
 * damaged: the bytes are not whole, or not of this codec. too_large: they hold more than was allowed. unsupported: there is nothing
 * here that reads or writes the codec.
 */
export type CompressionProblem = "damaged" | "too_large" | "unsupported";

/** The only thing that a {@link Compression} throws. */
export class CompressionError extends Error {
  readonly problem: CompressionProblem;

  constructor(problem: CompressionProblem, message: string) {
    super(message);
    this.name = "CompressionError";
    this.problem = problem;
  }
}

export interface Compression {
  /**
   * What `bytes` hold, at most `bytesMax`: no more than about that is ever allocated, whatever they claim. Throws
   * {@link CompressionError}, and nothing else.
   */
  decompress(codec: PackingCodec, bytes: Buffer, bytesMax: number): Buffer;
  /**
   * In the form of `like`, which the same codec has packed: snappy has two, and who has written one may read no other. Without it in that of
   * Kafka's own clients. Throws {@link CompressionError} "unsupported".
   */
  compress(codec: PackingCodec, bytes: Buffer, like?: Buffer): Buffer;
}
