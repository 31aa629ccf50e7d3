/**
 * rejoin: a follower comes back in. Refuses: UNKNOWN_TOPIC, UNKNOWN_PARTITION, INVALID_REQUEST (the leader, or no copy there),
 * LEADER_NOT_AVAILABLE, BROKER_NOT_AVAILABLE, STORAGE_ERROR, BROKER_FAILED.
 */
import { BrokerError } from "@minikafka/core";
import type { Handler } from "../handler.ts";

export const rejoin: Handler<"rejoin"> = async (request, { cluster }) => {
  const { topic, partition, broker_id: brokerId } = request;
  const round = await cluster.rejoin({ topic, partition }, brokerId);
  if (round.problem !== null) throw new BrokerError("STORAGE_ERROR", round.problem);
  return {
    topic,
    partition,
    broker_id: brokerId,
    in_sync: round.inSyncReplicas.includes(brokerId),
    truncated_to: round.truncatedTo,
    batches: round.batches,
    bytes: round.bytes,
    isr: [...round.inSyncReplicas],
  };
};
