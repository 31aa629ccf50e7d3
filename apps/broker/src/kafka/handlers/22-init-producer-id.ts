/**
 * InitProducerId: the identity of an idempotent or transactional producer, durable when it answers.
 *
 * Behaviour: without a transactional id a new one, from any broker, whatever the producer says that it has (its epochs it raises itself,
 * KIP-360). With one the next epoch of its producer, from its coordinator: the
 * instance before is fenced, and its open transaction aborted; it is answered once that is complete, where Kafka has the client ask again
 * (CONCURRENT_TRANSACTIONS). A timeout beyond transaction.max.timeout.ms is INVALID_TRANSACTION_TIMEOUT.
 * Versions: 3 gives back what the producer has, for the next epoch of it (KIP-360); 4 may be told PRODUCER_FENCED, where those before are
 * told INVALID_PRODUCER_EPOCH (KIP-588).
 */
import { type BrokerCluster, BrokerError, type ProducerIdentity } from "@minikafka/core";
import type { RequestOf } from "@minikafka/protocol/kafka";
import { endTransactionOf } from "../../transaction-requests.ts";
import { requireTransactionCoordinator } from "../coordinators.ts";
import { KafkaRefusal, NONE } from "../error-numbers.ts";
import type { KafkaHandler } from "../handler.ts";

type Request = RequestOf<"InitProducerId">;

export const initProducerId: KafkaHandler<"InitProducerId"> = {
  async serve(request, context, { brokerId, client }) {
    const { transactionalId, transactionTimeoutMs: timeoutMs } = request;
    const current = currentOf(request);
    if (transactionalId === null) return { errorCode: NONE, ...newIdentity(context.cluster) };
    requireTransactionCoordinator(context.cluster, transactionalId, brokerId);
    const init = { transactionalId, timeoutMs, ...current };
    const identity = await endTransactionOf(transactionalId, context, client, (transactions, wait) =>
      transactions.init(init, wait),
    );
    return { errorCode: NONE, ...identity };
  },
  refusal: (_request, errorCode) => ({ errorCode }),
};

/** Who has no transactional id has no coordinator to look for: it asks again (Kafka: ProducerIdManager). */
function newIdentity(cluster: BrokerCluster): ProducerIdentity {
  try {
    return cluster.initProducer({});
  } catch (problem) {
    if (!(problem instanceof BrokerError)) throw problem;
    throw new KafkaRefusal("COORDINATOR_LOAD_IN_PROGRESS", problem.message);
  }
}

/** What the caller has, if anything. Throws INVALID_REQUEST. */
function currentOf({ producerId, producerEpoch }: Request) {
  if (producerId === -1 && producerEpoch === -1) return {};
  if (producerId >= 0 && producerEpoch >= 0) return { current: { producerId, producerEpoch } };
  throw new KafkaRefusal(
    "INVALID_REQUEST",
    `producer id ${producerId} and epoch ${producerEpoch}; expected both or -1 for each`,
  );
}
