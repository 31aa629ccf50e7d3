/**
 * Which transactions of a log are open, and which have ended only just (KIP-98): told by the headers of its batches alone, so
 * that a follower, and whoever reads the log again, come to the same. Kafka: ProducerStateManager's ongoing and unreplicated
 * transactions.
 *
 * Owns: both lists, and up to where ended ones may be missing. A producer has one open transaction at most: it begins with the first batch of records that is part of a
 * transaction, and ends with the producer's next marker.
 * Invariants: the open ones stand in the order of their first offsets, the ended ones in that of their markers. What was deleted is no
 * part of any, whenever the rest was written: after a deletion, cut() has to say with which batch each goes on that it went through.
 * Never: a transaction taken for ended below a high watermark that went back behind its marker, as after a crash or an unclean promotion:
 * what was dropped by a higher one has to be recalled, and until then nothing is stable; an open transaction forgotten of which a record is left, however long nothing is heard of its producer; an empty batch that begins one: it is
 * what compaction has left of a transaction that ended.
 */
import type { BatchHeader } from "@minikafka/record";

export interface OpenTransaction {
  readonly producerId: number;
  readonly producerEpoch: number;
  /** Of its first batch that is left. The log may begin within that, or behind it where it could not be looked for. */
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
  /** Of those whose marker lies below it some were dropped, perhaps all. */
  readonly settledEnd: number;
}

export const NO_TRANSACTIONS: Transactions = { open: [], ended: [], settledEnd: 0 };

export class TransactionState {
  /** By producer id, in the order of first offsets. */
  readonly #open: Map<number, OpenTransaction>;
  #ended: EndedTransaction[];
  #settledEnd: number;
  /** Of all it is known with which batch they go on from there. */
  #cutTo = 0;

  constructor({ open, ended, settledEnd }: Transactions = NO_TRANSACTIONS) {
    this.#open = new Map(open.map((transaction) => [transaction.producerId, transaction]));
    this.#ended = [...ended];
    this.#settledEnd = settledEnd;
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
    return { open: this.open(0), ended: [...this.#ended], settledEnd: this.#settledEnd };
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
   * The producers of whose transaction a part was deleted, in a log that begins at `startOffset`, with where what is known of it ends:
   * its first batch that is left lies below. None once cut() has told of it.
   */
  cutBy(startOffset: number): ReadonlyMap<number, number> | null {
    if (startOffset <= this.#cutTo) return null;
    const ends = new Map<number, number>();
    for (const { producerId, firstOffset, nextOffset } of this.#open.values())
      if (firstOffset < startOffset && nextOffset > startOffset) ends.set(producerId, nextOffset);
    for (const { producerId, firstOffset, lastOffset } of this.#ended)
      if (firstOffset < startOffset && lastOffset >= startOffset) ends.set(producerId, lastOffset);
    if (ends.size > 0) return ends;
    this.#cutTo = startOffset;
    return null;
  }

  /** `firstLeft` says with which batch those of cutBy() go on, by producer; of an ended one that is not there nothing is left. */
  cut(startOffset: number, firstLeft: ReadonlyMap<number, number>): void {
    this.#cutTo = startOffset;
    const cutOpen = [...this.#open.values()].map((open) => {
      const isCut = open.firstOffset < startOffset && open.nextOffset > startOffset;
      return isCut ? { ...open, firstOffset: firstLeft.get(open.producerId) ?? open.firstOffset } : open;
    });
    this.#open.clear();
    for (const open of cutOpen.sort((one, other) => one.firstOffset - other.firstOffset))
      this.#open.set(open.producerId, open);
    this.#ended = this.#ended.flatMap((ended) => {
      if (ended.firstOffset >= startOffset || ended.lastOffset < startOffset) return [ended];
      const firstOffset = firstLeft.get(ended.producerId);
      return firstOffset === undefined ? [] : [{ ...ended, firstOffset }];
    });
  }

  /**
   * The smallest first offset of a transaction that is open, or whose marker does not lie below `highWatermark`, in a log that
   * begins at `startOffset`; `null` for none. Where some of these were dropped, nobody knows where they began. Kafka: the first
   * unstable offset.
   */
  firstUnstableOffset(highWatermark: number, startOffset: number): number | null {
    if (highWatermark < this.#settledEnd) return startOffset;
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
    const kept = this.#ended.findIndex(({ lastOffset }) => lastOffset >= highWatermark);
    const dropped = kept === -1 ? this.#ended.length : kept;
    const last = this.#ended[dropped - 1];
    if (last === undefined) return;
    this.#settledEnd = last.lastOffset + 1;
    this.#ended = this.#ended.slice(dropped);
  }

  /** Up to where transactions with a marker at `highWatermark` or behind were dropped; `null` when none was. */
  droppedBehind(highWatermark: number): number | null {
    return highWatermark < this.#settledEnd ? this.#settledEnd : null;
  }

  /** These are all that ended from `highWatermark` on and were dropped. */
  recall(highWatermark: number, ended: readonly EndedTransaction[]): void {
    this.#ended = [...ended, ...this.#ended];
    this.#settledEnd = highWatermark;
    this.#cutTo = 0;
  }
}
