/**
 * expire_transactions: those that are open for too long are aborted, those whose end was decided are complete, old ids forgotten; one that
 * fails is told and stops no other. Refuses: STEPPING_DISABLED, and as list_transactions.
 */
import type { Handler } from "../handler.ts";
import { requireLab } from "../lab.ts";
import { changeTransactions } from "../transaction-request.ts";

export const expireTransactions: Handler<"expire_transactions"> = async (_request, context, client) => {
  requireLab(context);
  const { aborted, completed, forgotten, failed } = await changeTransactions(
    context,
    client,
    (transactions, wait) => transactions.expire(wait),
  );
  return {
    aborted: [...aborted],
    completed: [...completed],
    forgotten: [...forgotten],
    failed: failed.map(({ transactionalId, error: { code, message } }) => ({
      transactional_id: transactionalId,
      code,
      message,
    })),
  };
};
