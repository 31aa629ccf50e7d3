/**
 * What compaction must know of transactions (KIP-98): which batches belong to one that was aborted, or to one of which nobody
 * knows yet, and whether a marker still has records to speak for. One watch goes with one pass over the log, from its first
 * segment on, since a transaction may lie in several (KAFKA-8351).
 *
 * The clean point lies below the first transaction that is open. Records of one are met all the same where a truncation took
 * the marker of what an earlier pass had been over.
 */
import type { BatchHeader } from "@minikafka/record";
import type { AbortedTransaction } from "../indexes/aborted-index.ts";
import type { OpenTransaction } from "../producers/transaction-state.ts";

export interface WatchedTransactions {
  /** By first offset. */
  readonly aborted: readonly AbortedTransaction[];
  readonly open: readonly OpenTransaction[];
}

export class TransactionWatch {
  /** First and last offsets by turns, rising: those of one producer do not overlap. A log may have very many. */
  readonly #aborted = new Map<number, number[]>();
  /** First offsets. */
  readonly #open: ReadonlyMap<number, number>;
  /** Producers that had a record, be it dropped in this pass, since their last marker. */
  readonly #withRecords = new Set<number>();

  constructor({ aborted, open }: WatchedTransactions) {
    for (const { producerId, firstOffset, lastOffset } of aborted) {
      const known = this.#aborted.get(producerId);
      if (known === undefined) this.#aborted.set(producerId, [firstOffset, lastOffset]);
      else known.push(firstOffset, lastOffset);
    }
    this.#open = new Map(open.map(({ producerId, firstOffset }) => [producerId, firstOffset]));
  }

  isAborted({ transactional, producerId, baseOffset }: BatchHeader): boolean {
    const bounds = transactional ? this.#aborted.get(producerId) : undefined;
    if (bounds === undefined) return false;
    let below = -1;
    let above = bounds.length / 2;
    while (above - below > 1) {
      const middle = (below + above) >>> 1;
      if ((bounds[2 * middle] ?? 0) <= baseOffset) below = middle;
      else above = middle;
    }
    return below >= 0 && baseOffset < (bounds[2 * below + 1] ?? 0);
  }

  /** Whether nobody knows yet what becomes of it. */
  isOpen({ transactional, producerId, baseOffset }: BatchHeader): boolean {
    return transactional && baseOffset >= (this.#open.get(producerId) ?? Number.POSITIVE_INFINITY);
  }

  /** A batch of records was met. */
  noteRecords({ transactional, producerId, recordCount }: BatchHeader): void {
    if (transactional && recordCount > 0) this.#withRecords.add(producerId);
  }

  /** A marker was met. Returns whether a record of its transaction was met before it. */
  endTransaction({ producerId }: BatchHeader): boolean {
    return this.#withRecords.delete(producerId);
  }
}
