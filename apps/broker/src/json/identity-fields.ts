/** Who writes: producers and transactional ids, as operations name them. */
import { BrokerError, type ProducerIdentity, type TransactionCaller } from "@minikafka/core";
import type { ParsedRequest } from "@minikafka/protocol";

/** Who speaks, and in which of its transactions. */
export function speakerOf(
  request: Pick<ParsedRequest<"begin_transaction">, "transactional_id" | "producer_id" | "producer_epoch">,
): TransactionCaller {
  const {
    transactional_id: transactionalId,
    producer_id: producerId,
    producer_epoch: producerEpoch,
  } = request;
  return { transactionalId, producerId, producerEpoch };
}

/** Whom a request names, if anybody. Throws INVALID_REQUEST for a half of it. */
export function namedIdentity({
  producer_id: producerId,
  producer_epoch: producerEpoch,
}: Pick<ParsedRequest<"init_producer">, "producer_id" | "producer_epoch">): ProducerIdentity | undefined {
  if (producerId !== undefined && producerEpoch !== undefined) return { producerId, producerEpoch };
  if (producerId === undefined && producerEpoch === undefined) return undefined;
  throw new BrokerError("INVALID_REQUEST", "producer_id and producer_epoch: expected both or neither");
}

export function identityFields({ producerId, producerEpoch }: ProducerIdentity) {
  return { producer_id: producerId, producer_epoch: producerEpoch };
}
