/**
 * expire_transactions: those that are open for too long are aborted, those whose end was decided are complete, old ids forgotten,
 * and what no coordinator knows of is ended; one that fails is told and stops no other. Refuses: STEPPING_DISABLED, and as list_transactions.
 */

import { changeTransactions } from "../../transaction-requests.ts";
import type { Handler } from "../handler.ts";
import { requireLab } from "../lab.ts";

export const expireTransactions: Handler<"expire_transactions"> = async (_request, context, client) => {
  requireLab(context);
  const { aborted, completed, forgotten, failed, repaired, loaded } = await changeTransactions(
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
    repaired: repaired.map(({ topic, partition, producerId, producerEpoch, committed }) => ({
      topic,
      partition,
      producer_id: producerId,
      producer_epoch: producerEpoch,
      committed,
    })),
    loaded: loaded.map(({ topic, partition }) => ({ topic, partition })),
  };
};
