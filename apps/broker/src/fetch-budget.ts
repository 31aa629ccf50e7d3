/**
 * What a fetch of several partitions may still read.
 *
 * Owns the bytes that are left. Only the first batch of the whole answer may be larger than what is left or asked for of its partition; a
 * later one that does not fit is left for the next fetch (Kafka: fetch.max.bytes, max.partition.fetch.bytes, KIP-74). Once one did not fit
 * into what is left, partitions are read for their marks alone.
 */
import type { BrokerCluster, FetchOptions, FetchResult, TopicPartition } from "@minikafka/core";

const NO_BATCHES = Buffer.alloc(0);

export class FetchBudget {
  readonly #cluster: BrokerCluster;
  readonly #isolation: NonNullable<FetchOptions["isolation"]>;
  readonly #bytesMax: number;
  #bytesLeft: number;

  constructor(
    cluster: BrokerCluster,
    { bytesMax, isolation }: { bytesMax: number; isolation: NonNullable<FetchOptions["isolation"]> },
  ) {
    this.#cluster = cluster;
    this.#isolation = isolation;
    this.#bytesMax = bytesMax;
    this.#bytesLeft = bytesMax;
  }

  /** Bytes of batches that were read so far. */
  get bytesRead(): number {
    return this.#bytesMax - this.#bytesLeft;
  }

  /** Not more than so many further bytes may be read; none is left below 1. */
  get bytesLeft(): number {
    return this.#bytesLeft;
  }

  /** What was read takes `bytes` more, since it was compressed: they count like those that were read. */
  spend(bytes: number): void {
    this.#bytesLeft -= bytes;
  }

  /** Reads on from `offset`, at most `bytesMax` of what is left. Throws what the kernel refuses. */
  read({ topic, partition }: TopicPartition, offset: number, bytesMax: number): FetchResult {
    const budget = Math.max(0, Math.min(bytesMax, this.#bytesLeft));
    const options = { bytesMax: budget, isolation: this.#isolation };
    const result = this.#cluster.fetch({ topic, partition }, offset, options);
    const isFirst = this.bytesRead === 0;
    if (result.batches.length > budget && !isFirst) {
      if (result.batches.length > this.#bytesLeft) this.#bytesLeft = 0;
      return { ...result, batches: NO_BATCHES, abortedTransactions: [], nextOffset: offset };
    }
    this.#bytesLeft -= result.batches.length;
    return result;
  }
}
