/**
 * init_producer: when it answers, the identity is durable and nobody else's.
 * Refuses: INVALID_REQUEST, INVALID_CONFIG, PRODUCER_FENCED (a newer instance has the name), UNKNOWN_PRODUCER_ID,
 * STORAGE_ERROR, BROKER_FAILED.
 */
import { BrokerError } from "@minikafka/core";
import type { Handler } from "../handler.ts";

export const initProducer: Handler<"init_producer"> = (request, { cluster }) => {
  const { name, producer_id: producerId, producer_epoch: producerEpoch } = request;
  if ((producerId === undefined) !== (producerEpoch === undefined)) {
    throw new BrokerError("INVALID_REQUEST", "producer_id and producer_epoch: expected both or neither");
  }
  const current =
    producerId === undefined || producerEpoch === undefined ? null : { producerId, producerEpoch };
  const identity = cluster.initProducer({
    ...(name !== undefined && { name }),
    ...(current !== null && { current }),
  });
  return { producer_id: identity.producerId, producer_epoch: identity.producerEpoch };
};
