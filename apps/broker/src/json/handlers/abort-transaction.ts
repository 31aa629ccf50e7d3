/**
 * abort_transaction: an operator's end, in every partition when it answers. Refuses: INVALID_REQUEST, UNKNOWN_TRANSACTIONAL_ID,
 * UNKNOWN_PRODUCER_ID, and as begin_transaction.
 *
 * It is carried out also when its client has gone, and perhaps behind what another connection has asked since: whoever names the
 * producer has the transaction that was meant ended, and no other.
 */

import { endTransactionOf } from "../../transaction-requests.ts";
import type { Handler } from "../handler.ts";
import { namedIdentity } from "../identity-fields.ts";

export const abortTransaction: Handler<"abort_transaction"> = async (request, context, client) => {
  const { transactional_id: transactionalId } = request;
  const producer = namedIdentity(request);
  const aborted = await endTransactionOf(transactionalId, context, client, (transactions, wait) =>
    transactions.abort(transactionalId, { ...wait, producer }),
  );
  return { aborted };
};
