/**
 * DescribeTransactions: transactional ids as their coordinator knows them, with the partitions of the open transaction (KIP-664).
 *
 * Behaviour: TRANSACTIONAL_ID_NOT_FOUND for an id that there is not; what is amiss with one stands with it.
 */
import { BrokerError, type TransactionDescription } from "@minikafka/core";
import { KAFKA_ERRORS, type KafkaErrorNumber, type ResponseOf } from "@minikafka/protocol/kafka";
import type { BrokerContext } from "../../broker-context.ts";
import { lookAtTransaction } from "../../transaction-requests.ts";
import { requireTransactionCoordinator } from "../coordinators.ts";
import { NONE, numberOf } from "../error-numbers.ts";
import type { KafkaCall, KafkaHandler } from "../handler.ts";
import { partitionsByTopic } from "../repeats.ts";
import { transactionStateName } from "../transaction-states.ts";

type Described = ResponseOf<"DescribeTransactions">["transactionStates"][number];

const NOTHING = -1;

export const describeTransactions: KafkaHandler<"DescribeTransactions"> = {
  async serve({ transactionalIds }, context, call) {
    const transactionStates = Array.from(new Set(transactionalIds), (id) => describe(id, context, call));
    return { transactionStates: await Promise.all(transactionStates) };
  },
  refusal: ({ transactionalIds }, errorCode) => ({
    transactionStates: transactionalIds.map((id) => nothingOf(id, errorCode)),
  }),
};

async function describe(
  transactionalId: string,
  context: BrokerContext,
  call: KafkaCall,
): Promise<Described> {
  try {
    requireTransactionCoordinator(context.cluster, transactionalId, call.brokerId);
    const described = await lookAtTransaction(transactionalId, context, call.client, (transactions, wait) =>
      transactions.describe(transactionalId, wait),
    );
    return shown(described);
  } catch (problem) {
    const isUnknown = problem instanceof BrokerError && problem.code === "UNKNOWN_TRANSACTIONAL_ID";
    const errorCode = isUnknown ? KAFKA_ERRORS.TRANSACTIONAL_ID_NOT_FOUND : numberOf(problem, call);
    return nothingOf(transactionalId, errorCode);
  }
}

function shown(described: TransactionDescription): Described {
  const byTopic = partitionsByTopic(
    described.partitions.map(({ topic, partition }) => ({ name: topic, partitions: [partition] })),
  );
  const { transactionalId, state, timeoutMs, startedMs, producerId, producerEpoch } = described;
  return {
    ...{ errorCode: NONE, transactionalId, producerId, producerEpoch },
    transactionState: transactionStateName(state),
    transactionTimeoutMs: timeoutMs,
    transactionStartTimeMs: startedMs ?? NOTHING,
    topics: Array.from(byTopic, ([topic, partitions]) => ({ topic, partitions: [...partitions] })),
  };
}

function nothingOf(transactionalId: string, errorCode: KafkaErrorNumber): Described {
  const times = { transactionTimeoutMs: 0, transactionStartTimeMs: NOTHING };
  const producer = { producerId: NOTHING, producerEpoch: NOTHING };
  return { errorCode, transactionalId, transactionState: "", ...times, ...producer, topics: [] };
}
