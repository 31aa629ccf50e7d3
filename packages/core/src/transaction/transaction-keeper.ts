/**
 * The transactional ids of one shard in memory.
 *
 * Owns: each id as the last record says it, acknowledged or not, by which the next event is judged; and each as the last
 * acknowledged record says it, which is what is shown, and what a partition's log may rely on; and since when, of the monotonic clock,
 * it knows of each open transaction.
 * Invariant: who knows the producer ids hears of each identity as soon as it stands in the log.
 * Never: a state that is shown and may yet be lost.
 */
import type { CoordinatorRecord } from "../coordinator/coordinator-record.ts";
import type { RecordsOfKind } from "../coordinator/record-kinds.ts";
import type { Clock } from "../env/clock.ts";
import { isSame } from "../replica/producer-identity.ts";
import { parseTransactionRecord, type TransactionEntry } from "./transaction-record.ts";
import { newTransaction, type Transaction } from "./transaction-state.ts";

/** Who hears of the identities: another room that gives ids, and must not give these to anybody else. */
export interface KnownTransactions {
  /** `after` is what the id is from here on; either is dead where there is none. */
  heard(before: Transaction, after: Transaction): void;
}

export class TransactionKeeper implements RecordsOfKind<TransactionEntry> {
  readonly #known: KnownTransactions;
  readonly #current = new Map<string, Transaction>();
  readonly #committed = new Map<string, Transaction>();
  readonly #openSinceMs = new Map<string, number>();
  readonly #clock: Clock;

  constructor(known: KnownTransactions, clock: Clock) {
    this.#known = known;
    this.#clock = clock;
  }

  read(record: CoordinatorRecord): TransactionEntry {
    return parseTransactionRecord(record);
  }

  append({ transactionalId, transaction }: TransactionEntry): void {
    const before = this.current(transactionalId);
    if (transaction?.state !== "ongoing") this.#openSinceMs.delete(transactionalId);
    else if (before.state !== "ongoing" || !isSame(before, transaction))
      this.#openSinceMs.set(transactionalId, this.#clock.monotonicMs());
    if (transaction === null) this.#current.delete(transactionalId);
    else this.#current.set(transactionalId, transaction);
    this.#known.heard(before, this.current(transactionalId));
  }

  commit({ transactionalId, transaction }: TransactionEntry): void {
    if (transaction === null) this.#committed.delete(transactionalId);
    else this.#committed.set(transactionalId, transaction);
  }

  restore(entry: TransactionEntry): void {
    this.append(entry);
    this.commit(entry);
  }

  /** For how long this process, with this leadership, has known the id's open transaction; 0 when none is open. */
  openForMs(transactionalId: string): number {
    const sinceMs = this.#openSinceMs.get(transactionalId);
    return sinceMs === undefined ? 0 : Math.max(0, Math.floor(this.#clock.monotonicMs() - sinceMs));
  }

  /** How many there are. */
  get size(): number {
    return this.#current.size;
  }

  /** The id as the next event finds it; a dead one where there is none. */
  current(transactionalId: string): Transaction {
    return this.#current.get(transactionalId) ?? newTransaction(transactionalId);
  }

  /** The id as it may be shown; a dead one where there is none. */
  committed(transactionalId: string): Transaction {
    return this.#committed.get(transactionalId) ?? newTransaction(transactionalId);
  }

  /** Whether what the next event finds is what may be shown. */
  isAcknowledged(transactionalId: string): boolean {
    return this.#current.get(transactionalId) === this.#committed.get(transactionalId);
  }

  /** All as the next event finds them. */
  allCurrent(): Iterable<Transaction> {
    return this.#current.values();
  }

  /** All that may be shown. */
  allCommitted(): Iterable<Transaction> {
    return this.#committed.values();
  }
}

/** What one shard keeps for its transactional ids, by the kind that stands in the keys of the records. */
export type TransactionKinds = { readonly transaction: TransactionKeeper };
