/**
 * Who asks, and what that means: judged before the table of events (transitions.ts), since a request of an identity that is over
 * may be a repetition whose answer was lost. Pure.
 */
import { isSame, type ProducerIdentity } from "../replica/producer-identity.ts";
import {
  endedOtherwise,
  notTheProducer,
  transactionAborted,
  unknownTransactionalId,
} from "./transaction-refusals.ts";
import { endOf, type Transaction } from "./transaction-state.ts";

/**
 * Throws unless `identity` is the present one: UNKNOWN_TRANSACTIONAL_ID, TRANSACTION_ABORTED when the coordinator has ended its
 * transaction, PRODUCER_FENCED, UNKNOWN_PRODUCER_ID.
 */
export function requirePresent(transaction: Transaction, identity: ProducerIdentity): void {
  if (transaction.state === "dead") throw unknownTransactionalId(transaction.transactionalId);
  if (isSame(transaction, identity)) return;
  const end = endOf(transaction, identity);
  if (end !== null && end.cause !== "request") throw transactionAborted(transaction, end);
  throw notTheProducer(transaction, identity);
}

/**
 * Whether the end that `identity` asks for was decided before, in the same direction. Throws as requirePresent(), and
 * INVALID_TRANSACTION_STATE when it was the other one.
 */
export function isRepeatedEnd(
  transaction: Transaction,
  identity: ProducerIdentity,
  commit: boolean,
): boolean {
  const end = endOf(transaction, identity);
  if (transaction.state !== "dead" && end?.cause === "request") {
    if (end.committed !== commit) throw endedOtherwise(transaction, end);
    return true;
  }
  requirePresent(transaction, identity);
  return false;
}

/**
 * What the holder of `current` gets when it asks for the next epoch (KIP-360): "raise", or "present" when it was raised for it
 * before, by the same request, by the end of its transaction, or by an end that was not its own (KIP-588). Throws
 * PRODUCER_FENCED, UNKNOWN_PRODUCER_ID. Whoever has a transactional id that was forgotten gets a new identity, as in Kafka.
 */
export function nextOfHolder(transaction: Transaction, current: ProducerIdentity): "raise" | "present" {
  const { state, previous } = transaction;
  if (state === "dead" || isSame(transaction, current)) return "raise";
  // With an open transaction, who has the present identity goes on with it: the one before it is not asked with any more.
  if (previous !== null && isSame(previous, current) && state !== "ongoing") return "present";
  throw notTheProducer(transaction, current);
}
