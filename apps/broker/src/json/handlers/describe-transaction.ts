/** describe_transaction: what is acknowledged of an id. Refuses: UNKNOWN_TRANSACTIONAL_ID, LEADER_NOT_AVAILABLE, REQUEST_TIMED_OUT, STORAGE_ERROR. */

import { lookAtTransaction } from "../../transaction-requests.ts";
import type { Handler } from "../handler.ts";
import { identityFields } from "../identity-fields.ts";

export const describeTransaction: Handler<"describe_transaction"> = async (request, context, client) => {
  const { transactional_id: transactionalId } = request;
  const described = await lookAtTransaction(transactionalId, context, client, (transactions, wait) =>
    transactions.describe(transactionalId, wait),
  );
  const { lastEnd } = described;
  return {
    transactional_id: described.transactionalId,
    coordinator_id: described.coordinatorId,
    state: described.state,
    producer_id: described.producerId,
    producer_epoch: described.producerEpoch,
    timeout_ms: described.timeoutMs,
    started_ms: described.startedMs,
    partitions: described.partitions.map(({ topic, partition, isGone }) => ({
      topic,
      partition,
      ...(isGone && { gone: isGone }),
    })),
    last_end:
      lastEnd === null
        ? null
        : {
            ...identityFields(lastEnd),
            committed: lastEnd.committed,
            cause: lastEnd.cause,
            ended_ms: lastEnd.endedMs,
          },
  };
};
