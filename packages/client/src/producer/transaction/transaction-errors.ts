/**
 * What the errors of a transaction tell its caller to do (Kafka: KIP-1050). In a transaction one of three holds for each of them,
 * but for USAGE and BUFFER_FULL, which leave everything as it is:
 *
 *   retriable   the same call again
 *   abortable   abort, then begin another transaction
 *   fatal       close the producer
 */
import { hasCode, isFateUnknown, MiniKafkaError, type TransactionEffect } from "../../errors.ts";

/** `error` of something that belongs to a transaction, which cannot be committed without it. */
export function abortableError(error: MiniKafkaError): MiniKafkaError {
  if (error.abortable || error.fatal) return error;
  return withEffect(error, "abortable", "the transaction can only be aborted");
}

/** `error` after which the SDK does not know what it may do. */
export function fatalError(error: MiniKafkaError): MiniKafkaError {
  return error.fatal ? error : withEffect(error, "fatal", "the producer cannot go on");
}

function withEffect(error: MiniKafkaError, effect: TransactionEffect, what: string): MiniKafkaError {
  const { code, details } = error;
  return new MiniKafkaError(code, `${error.message} (${what})`, { details, effect, cause: error });
}

/** A commit that was not even asked for, because of `cause`. */
export function notCommittedError(cause: MiniKafkaError): MiniKafkaError {
  const { code, details, fatal } = cause;
  const message = `the transaction was not committed: ${cause.message}`;
  return new MiniKafkaError(code, message, { details, effect: fatal ? "fatal" : "abortable", cause });
}

/** `error` of a commit that was asked for, and whose outcome it does not tell. */
export function openError(error: MiniKafkaError): MiniKafkaError {
  if (isFateUnknown(error)) return error;
  const { code, effect, retriable } = error;
  const details = { ...error.details, inDoubt: true };
  const message = `${error.message} (whether the transaction is committed is unknown)`;
  return new MiniKafkaError(code, message, { details, effect, retriable, cause: error });
}

/** What became of the records of a transaction that was aborted before they were acknowledged (Kafka: KIP-654). */
export function abortedError(): MiniKafkaError {
  return new MiniKafkaError("TRANSACTION_ABORTED", "the transaction was aborted, and the record with it", {
    details: { cause: "request" },
  });
}

/** The commit whose answer was lost had taken effect. */
export function committedError(cause: MiniKafkaError): MiniKafkaError {
  const message = "the transaction was not aborted: its commit, whose answer was lost, had taken effect";
  return new MiniKafkaError("INVALID_TRANSACTION_STATE", message, { details: { committed: true }, cause });
}

/** Whether the coordinator says that it has aborted the transaction, which was open for its producer. */
export function saysItIsAborted(error: unknown): boolean {
  return hasCode(error, "TRANSACTION_ABORTED", "PRODUCER_FENCED");
}

/** Whether the coordinator says that the transaction of this identity is over, or that it knows of none. */
export function saysItIsOver(error: unknown): boolean {
  return hasCode(
    error,
    "TRANSACTION_ABORTED",
    "INVALID_TRANSACTION_STATE",
    "UNKNOWN_TRANSACTIONAL_ID",
    "UNKNOWN_PRODUCER_ID",
  );
}
