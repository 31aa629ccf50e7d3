/**
 * Which transactions of a log are open, and which have ended only just (KIP-98): told by the headers of its batches alone, so
 * that a follower, and whoever reads the log again, come to the same. Kafka: ProducerStateManager's ongoing and unreplicated
 * transactions.
 *
 * Owns: both lists. A producer has one open transaction at most: it begins with the first batch of records that is part of a
 * transaction, and ends with the producer's next marker.
 * Invariants: the open ones stand in the order of their first offsets, the ended ones in that of their markers.
 * Never: an open transaction forgotten of which a record is left, however long nothing is heard of its producer; an empty batch that begins one: it is
 * what compaction has left of a transaction that ended.
 */
import type { BatchHeader } from "@minikafka/record";

export interface OpenTransaction {
  readonly producerId: number;
  readonly producerEpoch: number;
  /** Of its first batch in this log. Deleted records may lie there: the log may begin behind it. */
  readonly firstOffset: number;
  /** Behind its last batch so far. */
  readonly nextOffset: number;
}

export interface EndedTransaction {
  readonly producerId: number;
  readonly firstOffset: number;
  /** Of its marker. */
  readonly lastOffset: number;
}

/** What a snapshot keeps. */
export interface Transactions {
  /** Oldest first. */
  readonly open: readonly OpenTransaction[];
  /** Those that settle() has not been asked to drop, by their markers. */
  readonly ended: readonly EndedTransaction[];
}

export const NO_TRANSACTIONS: Transactions = { open: [], ended: [] };

export class TransactionState {
  /** By producer id, in the order of first offsets. */
  readonly #open: Map<number, OpenTransaction>;
  #ended: EndedTransaction[];

  constructor({ open, ended }: Transactions = NO_TRANSACTIONS) {
    this.#open = new Map(open.map((transaction) => [transaction.producerId, transaction]));
    this.#ended = [...ended];
  }

  /** Of a log that begins at `startOffset`: one that has no record there or behind is not open, as nothing of it is left. */
  get(producerId: number, startOffset: number): OpenTransaction | undefined {
    const open = this.#open.get(producerId);
    return open !== undefined && open.nextOffset > startOffset ? open : undefined;
  }

  /** The same of all, oldest first. */
  open(startOffset: number): readonly OpenTransaction[] {
    return [...this.#open.values()].filter(({ nextOffset }) => nextOffset > startOffset);
  }

  /** What is known in this instant; nothing changes it later. */
  capture(): Transactions {
    return { open: this.open(0), ended: [...this.#ended] };
  }

  /** A batch is in the log, behind all that were noted before. The log begins at `startOffset`. */
  note(header: BatchHeader, startOffset: number): void {
    const { producerId, producerEpoch, control, baseOffset } = header;
    if (producerId < 0) return;
    const open = this.#open.get(producerId);
    if (control !== null) {
      if (open === undefined) return;
      this.#open.delete(producerId);
      this.#ended.push({ producerId, firstOffset: open.firstOffset, lastOffset: baseOffset });
      return;
    }
    const { transactional, recordCount, nextOffset } = header;
    if (!transactional || recordCount === 0) return;
    if (open?.producerEpoch === producerEpoch && open.nextOffset > startOffset) {
      this.#open.set(producerId, { ...open, nextOffset });
      return;
    }
    // Of one that was deleted nothing is left, though a follower may hear of that later: this is another one, or begins anew.
    this.#open.delete(producerId);
    this.#open.set(producerId, { producerId, producerEpoch, firstOffset: baseOffset, nextOffset });
  }

  /**
   * The smallest first offset of a transaction that is open, or whose marker does not lie below `highWatermark`, in a log that
   * begins at `startOffset`; `null` for none. Kafka: the first unstable offset.
   */
  firstUnstableOffset(highWatermark: number, startOffset: number): number | null {
    let first: number | null = null;
    for (const { firstOffset, nextOffset } of this.#open.values()) {
      if (nextOffset <= startOffset) continue;
      first = firstOffset;
      break;
    }
    for (let place = this.#ended.length - 1; place >= 0; place--) {
      const ended = this.#ended[place];
      if (ended === undefined || ended.lastOffset < highWatermark) break;
      if (first === null || ended.firstOffset < first) first = ended.firstOffset;
    }
    return first;
  }

  /** Those whose marker lies below `highWatermark` need no longer be known. */
  settle(highWatermark: number): void {
    const unsettled = this.#ended.findIndex(({ lastOffset }) => lastOffset >= highWatermark);
    if (unsettled !== 0) this.#ended = unsettled === -1 ? [] : this.#ended.slice(unsettled);
  }
}
