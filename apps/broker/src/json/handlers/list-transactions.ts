/**
 * list_transactions: what can be read, and beside it the partitions of __transaction_state that cannot. Refuses: as
 * describe_transaction, when none can be read.
 */

import { lookAtTransactions } from "../../transaction-requests.ts";
import type { Handler } from "../handler.ts";
import { transactionFields } from "../transaction-fields.ts";

export const listTransactions: Handler<"list_transactions"> = async ({ states }, context, client) => {
  const query = states === undefined ? {} : { states };
  const { transactions: listings, unreadable } = await lookAtTransactions(
    context,
    client,
    (transactions, wait) => transactions.list(query, wait),
  );
  return {
    transactions: listings.map(transactionFields),
    unreadable: unreadable.map(({ partition, error: { code, message } }) => ({ partition, code, message })),
  };
};
