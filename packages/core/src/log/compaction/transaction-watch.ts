/**
 * What compaction must know of transactions (KIP-98): which batches belong to an aborted one, and whether a marker still
 * has records to speak for. One watch goes with one pass over the log, from its first segment on, since a transaction may
 * lie in several (KAFKA-8351).
 *
 * Nothing is known of a transaction whose records lie behind the clean point: it ends at the last stable offset at most.
 */
import type { BatchHeader } from "@minikafka/record";
import type { AbortedTransaction } from "../indexes/aborted-index.ts";

export class TransactionWatch {
  readonly #aborted = new Map<number, AbortedTransaction[]>();
  /** Producers that had a record, be it dropped in this pass, since their last marker. */
  readonly #withRecords = new Set<number>();

  constructor(aborted: readonly AbortedTransaction[]) {
    for (const transaction of aborted) {
      const known = this.#aborted.get(transaction.producerId);
      if (known === undefined) this.#aborted.set(transaction.producerId, [transaction]);
      else known.push(transaction);
    }
  }

  isAborted({ transactional, producerId, baseOffset }: BatchHeader): boolean {
    if (!transactional) return false;
    const transactions = this.#aborted.get(producerId) ?? [];
    return transactions.some(
      ({ firstOffset, lastOffset }) => baseOffset >= firstOffset && baseOffset < lastOffset,
    );
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
