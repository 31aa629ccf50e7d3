/**
 * What a client was promised of its transactions, from requests and answers alone, and whether readers of committed records see that.
 * A transaction is a producer id and an epoch.
 */
import type { Answer } from "./broker.ts";

interface Written {
  readonly transaction: string;
  readonly partition: number;
  readonly values: readonly string[];
}

export class TransactionBook {
  readonly #written: Written[] = [];
  readonly #committed = new Map<string, boolean>();

  /** How many of the transactions ended with an answer, and how many records were acknowledged. */
  get size(): { readonly ended: number; readonly records: number } {
    return { ended: this.#committed.size, records: this.#written.flatMap(({ values }) => values).length };
  }

  /** Records that were acknowledged. */
  wrote(transaction: string, partition: number, values: readonly string[]): void {
    this.#written.push({ transaction, partition, values });
  }

  /** Throws when it has ended the other way before. */
  ended(transaction: string, committed: boolean): void {
    const before = this.#committed.get(transaction) ?? committed;
    if (before !== committed) throw new Error(`${transaction} was both committed and aborted`);
    this.#committed.set(transaction, committed);
  }

  /**
   * Throws when `seen`, all that a reader of committed records sees of each partition, holds a record twice or one of an aborted
   * transaction, lacks one of a committed transaction, or has a part of any.
   */
  check(seen: readonly (readonly string[])[]): void {
    for (const values of seen)
      if (new Set(values).size < values.length) throw new Error(`twice: ${values.join(" ")}`);
    const shown = new Map<string, Set<boolean>>();
    for (const { transaction, partition, values } of this.#written) {
      for (const value of values) {
        const isThere = seen[partition]?.includes(value) === true;
        const fate = this.#committed.get(transaction);
        if (fate !== undefined && fate !== isThere)
          throw new Error(`${value} of ${transaction}, committed ${fate}, is ${isThere ? "" : "not "}shown`);
        shown.set(transaction, (shown.get(transaction) ?? new Set()).add(isThere));
      }
    }
    for (const [transaction, both] of shown)
      if (both.size > 1) throw new Error(`a part of ${transaction} is shown, and a part is not`);
  }
}

/** `3/7`: of the identity that a request names. */
export function transactionOf(request: object): string {
  const { producer_id, producer_epoch } = request as { producer_id: number; producer_epoch: number };
  return `${producer_id}/${producer_epoch}`;
}

/** What an answer to init_producer or end_transaction says to go on with. */
export function identityIn(answer: Answer): { producer_id: number; producer_epoch: number } {
  return { producer_id: Number(answer.producer_id), producer_epoch: Number(answer.producer_epoch) };
}
