/** What the kernel is about to offer; goes away with its landing. */
import type { FetchResult, ProducerIdentity } from "@minikafka/core";
import type { AbortedRange } from "./shown-records.ts";

export function abortedOf(result: FetchResult): readonly AbortedRange[] {
  return "abortedTransactions" in result ? (result.abortedTransactions as readonly AbortedRange[]) : [];
}

interface OpenTransaction extends ProducerIdentity {
  readonly firstOffset: number;
}

export function openTransactionsOf(view: object): readonly OpenTransaction[] {
  return "openTransactions" in view ? (view.openTransactions as readonly OpenTransaction[]) : [];
}
