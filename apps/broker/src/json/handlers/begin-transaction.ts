/**
 * begin_transaction: the transaction is open when it answers, also after a crash. Refuses: UNKNOWN_TRANSACTIONAL_ID, PRODUCER_FENCED,
 * TRANSACTION_ABORTED (details: cause), INVALID_TRANSACTION_STATE (one is open), CONCURRENT_TRANSACTIONS, and as every change of a
 * transaction does: LEADER_NOT_AVAILABLE, NOT_ENOUGH_REPLICAS, REQUEST_TIMED_OUT (its fate is then open), STORAGE_ERROR, BROKER_FAILED.
 */

import { changeTransaction } from "../../transaction-requests.ts";
import type { Handler } from "../handler.ts";
import { speakerOf } from "../identity-fields.ts";

export const beginTransaction: Handler<"begin_transaction"> = async (request, context, client) => {
  await changeTransaction(request.transactional_id, context, client, (transactions, wait) =>
    transactions.begin(speakerOf(request), wait),
  );
  return {};
};
