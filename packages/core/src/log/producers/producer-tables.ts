/**
 * Everything that a log knows of its producers at one offset: their sequences, and their transactions.
 *
 * Invariant: a log that has had no transaction is known to have had none. Only such a log has nothing to write down once its
 * producers are forgotten: where it has had some, a truncation has to find those again that were open at its end.
 */
import type { BatchHeader } from "@minikafka/record";
import type { ProducerSnapshot } from "./producer-snapshot.ts";
import { type ProducerEntry, ProducerState } from "./producer-state.ts";
import { NO_TRANSACTIONS, TransactionState } from "./transaction-state.ts";

export class ProducerTables {
  readonly producers: ProducerState;
  readonly transactions: TransactionState;
  #hasHadTransactions: boolean;

  /** What a snapshot keeps; without one, what is known of a log without a batch. */
  constructor(snapshot: ProducerSnapshot | null = null) {
    this.producers = new ProducerState(snapshot?.producers);
    this.transactions = new TransactionState(snapshot?.transactions ?? NO_TRANSACTIONS);
    this.#hasHadTransactions = snapshot !== null && snapshot.transactions !== null;
  }

  /** Whether there is nothing to tell, now or of an earlier end of the log. */
  get isBlank(): boolean {
    return this.producers.size === 0 && !this.#hasHadTransactions;
  }

  /** A batch is in the log, behind all that were noted before. Returns the producer that had to be forgotten, or `null`. */
  note(
    header: BatchHeader,
    { nowMs, startOffset }: { readonly nowMs: number; readonly startOffset: number },
  ): ProducerEntry | null {
    if (header.producerId < 0) return null;
    this.#hasHadTransactions ||= header.transactional;
    this.transactions.note(header, startOffset);
    return this.producers.note(header, nowMs);
  }

  /** Of this instant, in which the log ends at `offset`; `null` when there is nothing to tell. */
  capture(offset: number): ProducerSnapshot | null {
    if (this.isBlank) return null;
    const transactions = this.#hasHadTransactions ? this.transactions.capture() : null;
    return { offset, producers: this.producers.entries(), transactions };
  }
}
