/**
 * Who asks, and what that means: judged before the table of events (transitions.ts), since a request of an identity that is over
 * may be a repetition whose answer was lost. Pure.
 */
import { isOlder, isSame, type ProducerIdentity } from "../replica/producer-identity.ts";
import {
  endedOtherwise,
  notTheProducer,
  transactionAborted,
  unknownTransactionalId,
} from "./transaction-refusals.ts";
import { endOf, type LastEnd, type Transaction } from "./transaction-state.ts";

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
 * Whether an operator's abort has something to end: the open transaction, if it is that of `meant`, where that is given. One that
 * is over is left alone, and so is the one behind it, which the request does not mean, however late it comes. Throws
 * UNKNOWN_TRANSACTIONAL_ID, and UNKNOWN_PRODUCER_ID for an identity that nobody was given yet. Kafka refuses an epoch that is over
 * (INVALID_PRODUCER_EPOCH, KIP-664), though what was asked for holds.
 */
export function isToBeAborted(transaction: Transaction, meant: ProducerIdentity | undefined): boolean {
  if (transaction.state === "dead") throw unknownTransactionalId(transaction.transactionalId);
  if (meant !== undefined && !isSame(transaction, meant)) {
    if (isOlder(meant, transaction)) return false;
    throw notTheProducer(transaction, meant);
  }
  return transaction.state === "ongoing";
}

/** How the transaction that `meant` says ended, which is the last one where it is left out; `null` when another has ended since. */
export function lastEndOf({ lastEnd }: Transaction, meant: ProducerIdentity | undefined): LastEnd | null {
  return lastEnd === null || meant === undefined || isSame(lastEnd.producer, meant) ? lastEnd : null;
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
