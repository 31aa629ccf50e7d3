/** What a branch writes in one transaction: the new balances of two accounts or more, in several partitions. */
import type { Transaction } from "@minikafka/client";
import { type Entry, type Geometry, OPENING_BALANCE, partitionOf } from "./bank-ledger.ts";
import type { Dice } from "./dice.ts";

/** All that was ever written to accounts, for ledgers. */
export const TOPIC = "accounts";
/** The same, compacted: what each account has. */
export const BALANCES = "balances";

export interface Transfer {
  readonly branch: string;
  readonly number: number;
  /** The one that the branch had committed last. */
  readonly after: number;
  /** By account. */
  readonly balances: ReadonlyMap<number, number>;
}

/** The first one of each branch. */
export function openingBalances({ accounts }: Geometry): Map<number, number> {
  return new Map(Array.from({ length: accounts }, (_, account) => [account, OPENING_BALANCE]));
}

/** From one account to another of another partition, and perhaps to more. */
export function drawBalances(
  below: Dice,
  geometry: Geometry,
  before: readonly number[],
): Map<number, number> {
  const from = below(geometry.accounts);
  const others = [...before.keys()].filter(
    (account) => partitionOf(account, geometry) !== partitionOf(from, geometry),
  );
  const balances = new Map<number, number>();
  const add = (account: number, amount: number) =>
    balances.set(account, (balances.get(account) ?? before[account] ?? 0) + amount);
  for (let receivers = 1 + below(3); receivers > 0; receivers -= 1) {
    const amount = 1 + below(20);
    add(from, -amount);
    add(others[below(others.length)] ?? 0, amount);
  }
  return balances;
}

/** A promise for each record, of which nobody has to wait for any. */
export function sendTransfer(tx: Transaction, transfer: Transfer, geometry: Geometry): Promise<unknown>[] {
  const { branch, number, after, balances } = transfer;
  const accounts = [...balances.keys()];
  const sends = [...balances].flatMap(([account, balance]) => {
    const entry: Entry = { branch, number, after, accounts, account, balance };
    const partition = partitionOf(account, geometry);
    const record = { partition, key: `${branch}/${account}`, value: JSON.stringify(entry) };
    return [TOPIC, BALANCES].map((topic) => tx.send({ topic, ...record }));
  });
  for (const send of sends) send.catch(() => {});
  return sends;
}
