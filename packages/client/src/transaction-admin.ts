/** What an Admin asks of transactions (Kafka: KIP-664). */
import type { ParsedResponse } from "@minikafka/protocol";
import { type CamelCased, camelCased } from "./camel-case.ts";
import { requireCallOptions } from "./client-options.ts";
import { MiniKafkaError } from "./errors.ts";
import type { CallOptions, Session } from "./session.ts";

/** A transactional id with its state and its producer. */
export type ListedTransaction = CamelCased<ParsedResponse<"list_transactions">["transactions"][number]>;
/** A transactional id with the partitions of its open transaction, and how the last one ended. */
export type TransactionDescription = CamelCased<ParsedResponse<"describe_transaction">>;
/** A producer's transaction, by the epoch in which it is open. */
export type TransactionIdentity = Pick<ListedTransaction, "producerId" | "producerEpoch">;
/** How far the transaction of an id is, by the names of Kafka. */
export type TransactionState = ListedTransaction["state"];

/** Which transactional ids are listed. */
export interface ListTransactionsOptions extends CallOptions {
  /** Only those in one of these states. Default: all. */
  readonly states?: readonly TransactionState[] | undefined;
}

/** Which transaction is meant. */
export interface AbortTransactionOptions extends CallOptions {
  /** Whose transaction is meant, as `listTransactions` shows it. Default: the one that is open now. */
  readonly producer?: TransactionIdentity | undefined;
}

/** Fails with what the first of the partitions of __transaction_state that cannot be read is refused with. */
export async function listTransactions(
  session: Session,
  asked: ListTransactionsOptions = {},
): Promise<readonly ListedTransaction[]> {
  requireCallOptions("listTransactions", asked, ["states"]);
  const { states, ...options } = asked;
  const fields = states === undefined ? {} : { states: [...states] };
  const { transactions, unreadable } = await session.call("list_transactions", fields, options);
  const [first] = unreadable;
  if (first === undefined) return camelCased(transactions);
  const { code, message, partition } = first;
  const of = unreadable.length === 1 ? `partition ${partition}` : `${unreadable.length} partitions`;
  throw new MiniKafkaError(
    code,
    `${message}; the transactional ids of ${of} of __transaction_state cannot be listed`,
    { details: { topic: "__transaction_state", partition, others: unreadable.length - 1 } },
  );
}

export async function describeTransaction(
  session: Session,
  transactionalId: string,
  options?: CallOptions,
): Promise<TransactionDescription> {
  const fields = { transactional_id: transactionalId };
  return camelCased(await session.call("describe_transaction", fields, options));
}

/** Looks which transaction is open, unless that is given, and aborts that one: whenever the request arrives, it ends no later one. */
export async function abortTransaction(
  session: Session,
  transactionalId: string,
  asked: AbortTransactionOptions = {},
): Promise<boolean> {
  requireCallOptions("abortTransaction", asked, ["producer"]);
  const { producer, ...options } = asked;
  const meant = producer ?? openOrEnding(await describeTransaction(session, transactionalId, options));
  if (meant === null) return false;
  const { producerId: producer_id, producerEpoch: producer_epoch } = meant;
  const fields = { transactional_id: transactionalId, producer_id, producer_epoch };
  return (await session.call("abort_transaction", fields, options)).aborted;
}

/** One whose end was decided is waited for: while that is not complete, the present identity is that of the next one. */
function openOrEnding(described: TransactionDescription): TransactionIdentity | null {
  if (described.state === "ongoing") return described;
  return described.state === "prepare_abort" || described.state === "prepare_commit"
    ? described.lastEnd
    : null;
}
