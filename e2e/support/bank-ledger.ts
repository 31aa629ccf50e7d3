/**
 * What a reader knows of a bank: branches with accounts, and transfers that write the new balance of each account they touch,
 * one record for each, in the partitions of the accounts.
 *
 * Partitions are read one beside the other, and a transaction's markers come into them one after the other, so that a reader has
 * the one half of a transfer before the other. What is exact nevertheless: a branch makes one transfer after the other, and each
 * record names all accounts of its transfer and the transfer that the branch had committed before it. So the committed transfers
 * of a branch are a chain, and a ledger applies them along it, each when it has all of its records. Then
 *
 *   - after each transfer the balances of a branch sum up to what it was opened with;
 *   - no two transfers follow the same one, which is what a record of an aborted one would do;
 *   - whoever has a record of a later transfer from a partition has all records of earlier ones there: a half that is missing
 *     where it must have been is seen at once, not at the end;
 *   - no record comes twice.
 *
 * What breaks one of these throws.
 */
import type { ConsumerRecord } from "@minikafka/client";

export const OPENING_BALANCE = 100;
/** Before the first transfer, which opens the accounts. */
export const NOTHING = -1;

export interface Entry {
  readonly branch: string;
  readonly number: number;
  /** The transfer that the branch had committed last. */
  readonly after: number;
  /** All accounts that the transfer writes. */
  readonly accounts: readonly number[];
  readonly account: number;
  readonly balance: number;
}

interface Transfer {
  readonly after: number;
  readonly accounts: readonly number[];
  readonly balances: Map<number, number>;
}

export interface Geometry {
  readonly accounts: number;
  readonly partitions: number;
}

export function partitionOf(account: number, { partitions }: Geometry): number {
  return account % partitions;
}

/** One branch, as the records that were read tell it. */
export class Book {
  readonly #geometry: Geometry;
  readonly #balances = new Map<number, number>();
  readonly #waiting = new Map<number, Transfer>();
  readonly #followers = new Map<number, number>();
  readonly #applied = new Set<number>();
  #last = NOTHING;

  constructor(geometry: Geometry) {
    this.#geometry = geometry;
  }

  /** The last transfer that is whole, with all before it. */
  get last(): number {
    return this.#last;
  }

  get balances(): number[] {
    return Array.from({ length: this.#geometry.accounts }, (_, account) => this.#balances.get(account) ?? 0);
  }

  /** Transfers of which something is missing, or before which something is. */
  get waiting(): number[] {
    return [...this.#waiting.keys()];
  }

  has(number: number): boolean {
    return this.#applied.has(number);
  }

  see({ number, after, accounts, account, balance }: Entry): void {
    const follower = this.#followers.get(after) ?? number;
    if (follower !== number) throw new Error(`transfers ${follower} and ${number} both follow ${after}`);
    this.#followers.set(after, number);
    const transfer = this.#waiting.get(number) ?? { after, accounts, balances: new Map() };
    if (this.#applied.has(number) || transfer.balances.has(account))
      throw new Error(`the record of transfer ${number} for account ${account} came twice`);
    this.#requireEarlier(after, partitionOf(account, this.#geometry), number);
    transfer.balances.set(account, balance);
    this.#waiting.set(number, transfer);
    this.#apply();
  }

  /** All earlier records of the partition are there. */
  #requireEarlier(before: number, partition: number, number: number): void {
    for (let at = before; ; ) {
      const transfer = this.#waiting.get(at);
      if (transfer === undefined) return;
      const missing = transfer.accounts.find(
        (account) => partitionOf(account, this.#geometry) === partition && !transfer.balances.has(account),
      );
      if (missing !== undefined)
        throw new Error(
          `transfer ${number} is there, of ${at} before it the half of account ${missing} is not`,
        );
      at = transfer.after;
    }
  }

  #apply(): void {
    for (;;) {
      const number = this.#followers.get(this.#last);
      const transfer = number === undefined ? undefined : this.#waiting.get(number);
      if (number === undefined || transfer === undefined) return;
      if (transfer.balances.size < transfer.accounts.length) return;
      for (const [account, balance] of transfer.balances) this.#balances.set(account, balance);
      this.#waiting.delete(number);
      this.#applied.add(number);
      this.#last = number;
      const sum = this.balances.reduce((one, other) => one + other, 0);
      const whole = this.#geometry.accounts * OPENING_BALANCE;
      if (sum !== whole) throw new Error(`after transfer ${number} the sum is ${sum}; expected ${whole}`);
    }
  }
}

export class Ledger {
  readonly #geometry: Geometry;
  readonly #books = new Map<string, Book>();
  /** Where to read on, by partition. */
  readonly positions: number[];
  records = 0;

  constructor(geometry: Geometry) {
    this.#geometry = geometry;
    this.positions = Array.from({ length: geometry.partitions }, () => 0);
  }

  book(branch: string): Book {
    const book = this.#books.get(branch) ?? new Book(this.#geometry);
    this.#books.set(branch, book);
    return book;
  }

  see({ partition, offset, value }: ConsumerRecord): void {
    const position = this.positions[partition] ?? 0;
    if (offset < position) throw new Error(`offset ${offset} of ${partition} came after ${position - 1}`);
    this.positions[partition] = offset + 1;
    this.records += 1;
    const entry = JSON.parse(`${value}`) as Entry;
    try {
      this.book(entry.branch).see(entry);
    } catch (problem) {
      throw new Error(`${entry.branch} at ${partition}/${offset}: ${(problem as Error).message}`);
    }
  }
}
