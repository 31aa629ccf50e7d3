/**
 * expire_producers: each replica forgets the producers that were silent for too long; a retry of theirs is not known any more.
 * Their ids stay theirs. Refuses: STEPPING_DISABLED.
 */
import type { Handler } from "../handler.ts";
import { requireLab } from "../lab.ts";

export const expireProducers: Handler<"expire_producers"> = (_request, context) => {
  requireLab(context);
  const expired = context.cluster.steps.expireProducers();
  return {
    expired: expired.map(({ topic, partition, brokerId, producerIds }) => ({
      topic,
      partition,
      broker_id: brokerId,
      producer_ids: [...producerIds],
    })),
  };
};
