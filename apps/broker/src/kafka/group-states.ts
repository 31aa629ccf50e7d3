/** What groups are called on Kafka's wire. */
import type { GroupListing } from "@minikafka/core";

const NAMES: { readonly [State in GroupListing["state"]]: string } = {
  empty: "Empty",
  stable: "Stable",
  reconciling: "Reconciling",
  preparing_rebalance: "PreparingRebalance",
  completing_rebalance: "CompletingRebalance",
};

/** Kafka: GroupState (KIP-518, KIP-848). */
export function groupStateName(state: GroupListing["state"]): string {
  return NAMES[state];
}

/** Of a group that there is not. */
export const DEAD = "Dead";
