/**
 * Which transactions of a log are open, and which have ended only just (KIP-98): told by the headers of its batches alone, so
 * that a follower, and whoever reads the log again, come to the same. Kafka: ProducerStateManager's ongoing and unreplicated
 * transactions.
 *
 * Owns: both lists. A producer has one open transaction at most: it begins with the first batch of records that is part of a
 * transaction, and ends with the producer's next marker.
 * Invariants: the open ones stand in the order of their first offsets, the ended ones in that of their markers.
 * Never: an open transaction forgotten, however long nothing is heard of its producer; an empty batch that begins one: it is
 * what compaction has left of a transaction that ended.
 */
import type { BatchHeader } from "@minikafka/record";

export interface OpenTransaction {
  readonly producerId: number;
  readonly producerEpoch: number;
  /** Of its first batch in this log. Deleted records may lie there: the log may begin behind it. */
  readonly firstOffset: number;
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

  get(producerId: number): OpenTransaction | undefined {
    return this.#open.get(producerId);
  }

  open(): readonly OpenTransaction[] {
    return [...this.#open.values()];
  }

  /** What is known in this instant; nothing changes it later. */
  capture(): Transactions {
    return { open: this.open(), ended: [...this.#ended] };
  }

  /** A batch is in the log, behind all that were noted before. */
  note({ producerId, producerEpoch, transactional, control, recordCount, baseOffset }: BatchHeader): void {
    if (producerId < 0) return;
    const open = this.#open.get(producerId);
    if (control !== null) {
      if (open === undefined) return;
      this.#open.delete(producerId);
      this.#ended.push({ producerId, firstOffset: open.firstOffset, lastOffset: baseOffset });
    } else if (transactional && open === undefined && recordCount > 0) {
      this.#open.set(producerId, { producerId, producerEpoch, firstOffset: baseOffset });
    }
  }

  /**
   * The smallest first offset of a transaction that is open, or whose marker does not lie below `highWatermark`; `null` for
   * none. Kafka: the first unstable offset.
   */
  firstUnstableOffset(highWatermark: number): number | null {
    const [oldest] = this.#open.values();
    let first = oldest?.firstOffset ?? null;
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
