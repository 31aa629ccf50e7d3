/** What a transaction refuses, in words. */
import { BrokerError } from "../errors.ts";
import { LIMITS } from "../limits.ts";
import { quoted } from "../quoted.ts";
import { isOlder, type ProducerIdentity } from "../replica/producer-identity.ts";
import type { LastEnd, Transaction } from "./transaction-state.ts";

export function unknownTransactionalId(transactionalId: string): BrokerError {
  const message = `there is no transactional id ${quoted(transactionalId)}; expected one that a producer has started with`;
  return new BrokerError("UNKNOWN_TRANSACTIONAL_ID", message, { transactional_id: transactionalId });
}

/** It is in a state in which `act` is not to be. */
export function invalidState({ transactionalId, state }: Transaction, act: string): BrokerError {
  const expected = act === "begin" ? "none that is open" : "ongoing";
  const message = `the transaction of ${quoted(transactionalId)} is ${state}, to ${act}; expected ${expected}`;
  return new BrokerError("INVALID_TRANSACTION_STATE", message, { state });
}

/** The end was decided the other way. */
export function endedOtherwise({ transactionalId }: Transaction, { committed }: LastEnd): BrokerError {
  const [was, asked] = committed ? ["committed", "abort"] : ["aborted", "commit"];
  const message = `the transaction of ${quoted(transactionalId)} was ${was} before; expected no ${asked}`;
  return new BrokerError("INVALID_TRANSACTION_STATE", message, { committed });
}

export function stillCompleting({ transactionalId, state }: Transaction): BrokerError {
  const message = `the transaction of ${quoted(transactionalId)} is ${state}, and not every partition has its marker; expected none that is being completed`;
  return new BrokerError("CONCURRENT_TRANSACTIONS", message, { state });
}

/** The coordinator, not the producer, has ended it. */
export function transactionAborted({ transactionalId }: Transaction, { cause }: LastEnd): BrokerError {
  const why = cause === "timeout" ? "as it was open for too long" : "by hand";
  const message = `the transaction of ${quoted(transactionalId)} was aborted ${why}; expected its producer to begin a new one`;
  return new BrokerError("TRANSACTION_ABORTED", message, { cause });
}

/** PRODUCER_FENCED for an identity that is over, UNKNOWN_PRODUCER_ID for one that nobody was given. */
export function notTheProducer(transaction: Transaction, seen: ProducerIdentity): BrokerError {
  const { transactionalId, producerId, producerEpoch } = transaction;
  const isOver = isOlder(seen, transaction);
  const what = `producer id ${seen.producerId} of epoch ${seen.producerEpoch}`;
  const message = isOver
    ? `${what} is not the newest instance of ${quoted(transactionalId)}; that has id ${producerId} and epoch ${producerEpoch}`
    : `${what} was not given to ${quoted(transactionalId)}; expected id ${producerId} and epoch ${producerEpoch}`;
  return new BrokerError(isOver ? "PRODUCER_FENCED" : "UNKNOWN_PRODUCER_ID", message, {
    producer_id: seen.producerId,
    producer_epoch: seen.producerEpoch,
    current_id: producerId,
    current_epoch: producerEpoch,
  });
}

export function tooManyPartitions({ transactionalId, partitions }: Transaction): BrokerError {
  const message = `the transaction of ${quoted(transactionalId)} has ${partitions.size} partitions; expected at most ${LIMITS.partitionsPerTransactionMax}`;
  return new BrokerError("INVALID_REQUEST", message, { partitions: partitions.size });
}

export function tooManyTransactionalIds(transactionalId: string, count: number): BrokerError {
  const message = `there are ${count} transactional ids beside ${quoted(transactionalId)}; expected fewer than ${LIMITS.transactionalIdsPerPartitionMax}`;
  return new BrokerError("INVALID_REQUEST", message);
}

/** Kafka: transaction.max.timeout.ms. */
export function invalidTimeout(timeoutMs: number, maxMs: number): BrokerError {
  const message = `the transaction timeout is ${timeoutMs} ms; expected a whole number, 1 to ${maxMs}`;
  return new BrokerError("INVALID_TRANSACTION_TIMEOUT", message, { timeout_ms: timeoutMs, max_ms: maxMs });
}
