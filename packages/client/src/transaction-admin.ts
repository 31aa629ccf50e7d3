/** What an Admin asks of transactions (Kafka: KIP-664). */
import type { ParsedResponse } from "@minikafka/protocol";
import { type CamelCased, camelCased } from "./camel-case.ts";
import { MiniKafkaError } from "./errors.ts";
import type { CallOptions, Session } from "./session.ts";

export type ListedTransaction = CamelCased<ParsedResponse<"list_transactions">["transactions"][number]>;
export type TransactionDescription = CamelCased<ParsedResponse<"describe_transaction">>;
export type TransactionState = ListedTransaction["state"];

export interface ListTransactionsOptions extends CallOptions {
  /** Only those in one of these states. Default: all. */
  readonly states?: readonly TransactionState[] | undefined;
}

/** Fails with what the first of the partitions of __transaction_state that cannot be read is refused with. */
export async function listTransactions(
  session: Session,
  { states, ...options }: ListTransactionsOptions = {},
): Promise<readonly ListedTransaction[]> {
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
