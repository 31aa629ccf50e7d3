/** abort_transaction: an operator's end, in every partition when it answers. Refuses: UNKNOWN_TRANSACTIONAL_ID, and as begin_transaction. */
import type { Handler } from "../handler.ts";
import { endTransactionOf } from "../transaction-request.ts";

export const abortTransaction: Handler<"abort_transaction"> = async (request, context, client) => {
  const { transactional_id: transactionalId } = request;
  const aborted = await endTransactionOf(transactionalId, context, client, (transactions, wait) =>
    transactions.abort(transactionalId, wait),
  );
  return { aborted };
};
