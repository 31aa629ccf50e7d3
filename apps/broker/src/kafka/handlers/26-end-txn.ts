/**
 * EndTxn: the transaction commits or aborts.
 *
 * Behaviour: answered when every partition has its marker, and all see it; where one cannot be written for now, when the end is decided, as
 * in Kafka: it comes to that partition with the next step, and until then the next transaction is CONCURRENT_TRANSACTIONS. The same end again
 * is answered the same, the other one INVALID_TXN_STATE, as is an end of nothing. The producer keeps its epoch.
 * Not modelled: version 5, with which it gets another one (KIP-890); our own clients do.
 */
import { BrokerError } from "@minikafka/core";
import { endTransactionOf } from "../../transaction-requests.ts";
import { requireTransactionCoordinator } from "../coordinators.ts";
import { NONE } from "../error-numbers.ts";
import type { KafkaHandler } from "../handler.ts";

export const endTxn: KafkaHandler<"EndTxn"> = {
  async serve({ transactionalId, producerId, producerEpoch, committed: commit }, context, call) {
    requireTransactionCoordinator(context.cluster, transactionalId, call.brokerId);
    const ending = { transactionalId, producerId, producerEpoch, commit, keepsEpoch: true };
    try {
      await endTransactionOf(transactionalId, context, call.client, (transactions, wait) =>
        transactions.end(ending, wait),
      );
    } catch (problem) {
      if (!isDecided(problem, commit)) throw problem;
    }
    return { errorCode: NONE };
  },
  refusal: (_request, errorCode) => ({ errorCode }),
};

/** What failed behind the decision, which nothing takes back. */
function isDecided(problem: unknown, commit: boolean): boolean {
  return problem instanceof BrokerError && problem.details.decided === (commit ? "commit" : "abort");
}
