/** Kafka's names of what a transactional id is at (TransactionState). */
import type { TransactionDescription } from "@minikafka/core";

type State = TransactionDescription["state"];

const NAMES: { readonly [Each in State]: string } = {
  empty: "Empty",
  ongoing: "Ongoing",
  prepare_commit: "PrepareCommit",
  prepare_abort: "PrepareAbort",
  complete_commit: "CompleteCommit",
  complete_abort: "CompleteAbort",
};

/** Those that Kafka has besides: a list may ask for them. */
const OTHERS = ["Dead", "PrepareEpochFence"];

export function transactionStateName(state: State): string {
  return NAMES[state];
}

export function isTransactionStateName(name: string): boolean {
  return [...Object.values(NAMES), ...OTHERS].includes(name);
}
