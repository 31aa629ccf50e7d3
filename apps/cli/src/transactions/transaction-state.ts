/** The states of a transactional id, as the protocol names them. Loads nothing: `--help` reads it. */
import type { ParsedResponse } from "@minikafka/protocol";

export type TransactionState = ParsedResponse<"describe_transaction">["state"];

export const TRANSACTION_STATES: readonly TransactionState[] = [
  "empty",
  "ongoing",
  "prepare_commit",
  "prepare_abort",
  "complete_commit",
  "complete_abort",
];
