/**
 * Which of the batches that were fetched of a partition belong to transactions that were aborted (KIP-98).
 *
 * Owns, for each producer, the place in the list of its transactions. Invariant: `hides` is asked in the order of the log, so
 * that each batch and each transaction is looked at once, however many there are.
 */
import type { BatchHeader } from "@minikafka/record";

/** An aborted transaction in one partition. */
export interface AbortedRange {
  readonly producerId: number;
  /** Of its first record. */
  readonly firstOffset: number;
  /** Of its abort marker. */
  readonly lastOffset: number;
}

export class AbortedRanges {
  /** For each producer those that are not over yet, the earliest first. */
  readonly #byProducer = new Map<number, AbortedRange[]>();

  /** `ranges` by first offset, as the broker gives them. */
  constructor(ranges: readonly AbortedRange[] = []) {
    for (const range of ranges) {
      const known = this.#byProducer.get(range.producerId);
      if (known === undefined) this.#byProducer.set(range.producerId, [range]);
      else known.push(range);
    }
  }

  /** Whether the batch is not to be shown. An aborted transaction's epoch does not matter: between the two offsets there is no other. */
  hides({ transactional, producerId, baseOffset }: BatchHeader): boolean {
    if (!transactional || this.#byProducer.size === 0) return false;
    const ranges = this.#byProducer.get(producerId);
    while (ranges?.[0] !== undefined && ranges[0].lastOffset < baseOffset) ranges.shift();
    const next = ranges?.[0];
    return next !== undefined && next.firstOffset <= baseOffset;
  }
}
