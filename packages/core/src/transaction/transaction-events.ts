/** What can happen to a transactional id. Who asks, and whether they may, is judged before (transaction-callers.ts). */
import type { ProducerIdentity } from "../replica/producer-identity.ts";
import type { EndCause, TransactionPartition } from "./transaction-state.ts";

export type TransactionEvent =
  /** The epoch is raised, for a new instance or for the one that has it. */
  | {
      readonly kind: "init";
      readonly timeoutMs: number;
      /** What the caller gives back for it; `null` for a new instance, which fences the one before. */
      readonly current: ProducerIdentity | null;
    }
  | { readonly kind: "begin" }
  | { readonly kind: "add_partition"; readonly partition: TransactionPartition }
  /** It is decided how the transaction ends. */
  | {
      readonly kind: "prepare";
      readonly commit: boolean;
      readonly cause: EndCause;
      /** The producer goes on with the same epoch, which the markers then carry as well. Default: it is raised. */
      readonly keepsEpoch?: boolean | undefined;
    }
  /** Every partition has its marker. */
  | { readonly kind: "complete" }
  /** Nobody has used the id for long. */
  | { readonly kind: "forget" };

export type TransactionEventKind = TransactionEvent["kind"];

/** What the rules ask of the world. */
export interface TransitionWorld {
  /** The broker's clock. */
  readonly nowMs: number;
  /** A producer id that nobody was ever given. */
  readonly newProducerId: () => number;
}
