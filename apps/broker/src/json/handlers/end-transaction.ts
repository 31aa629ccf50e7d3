/**
 * end_transaction: committed or aborted in every partition when it answers; asked again with the same, it answers the same. Refuses:
 * INVALID_TRANSACTION_STATE (none is open, or it has ended the other way), and as begin_transaction; what fails behind the decision
 * has it in its details.
 */

import { endTransactionOf } from "../../transaction-requests.ts";
import type { Handler } from "../handler.ts";
import { identityFields, speakerOf } from "../identity-fields.ts";

export const endTransaction: Handler<"end_transaction"> = async (request, context, client) => {
  const ending = { ...speakerOf(request), commit: request.commit };
  const next = await endTransactionOf(request.transactional_id, context, client, (transactions, wait) =>
    transactions.end(ending, wait),
  );
  return identityFields(next);
};
