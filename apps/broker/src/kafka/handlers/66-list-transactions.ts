/**
 * ListTransactions: the transactional ids that the asked broker coordinates; a client asks all brokers (KIP-664).
 *
 * Behaviour: chosen by state and by producer id, each list for what it is not empty; names of no state are told beside the answer.
 * Versions: 1 chooses those whose transaction has been open for longer than a time (KIP-994), by the broker's clock.
 * Not modelled: version 2, a pattern of ids.
 */
import { ANY_DURATION } from "@minikafka/protocol/kafka";
import { lookAtTransactions } from "../../transaction-requests.ts";
import { NONE } from "../error-numbers.ts";
import type { KafkaHandler } from "../handler.ts";
import { isTransactionStateName, transactionStateName } from "../transaction-states.ts";

export const listTransactions: KafkaHandler<"ListTransactions"> = {
  async serve({ stateFilters, producerIdFilters, durationFilter }, context, { brokerId, client }) {
    const { transactions } = await lookAtTransactions(context, client, (all, wait) => all.list({}, wait));
    const startedMsMax = context.clock.nowMs() - durationFilter;
    const [states, producers] = [new Set(stateFilters), new Set(producerIdFilters)];
    const isOld = (startedMs: number | null) =>
      durationFilter <= ANY_DURATION || (startedMs !== null && startedMs < startedMsMax);
    return {
      errorCode: NONE,
      unknownStateFilters: [...states].filter((name) => !isTransactionStateName(name)),
      transactionStates: transactions
        .filter(({ coordinatorId, startedMs }) => coordinatorId === brokerId && isOld(startedMs))
        .filter(({ producerId }) => producers.size === 0 || producers.has(producerId))
        .map(({ transactionalId, producerId, state }) => ({
          transactionalId,
          producerId,
          transactionState: transactionStateName(state),
        }))
        .filter(({ transactionState }) => states.size === 0 || states.has(transactionState)),
    };
  },
  refusal: (_request, errorCode) => ({ errorCode, unknownStateFilters: [], transactionStates: [] }),
};
