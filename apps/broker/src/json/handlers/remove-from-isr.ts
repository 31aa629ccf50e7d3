/**
 * remove_from_isr: a follower is out until it rejoins, or the process ends. Refuses: UNKNOWN_TOPIC, UNKNOWN_PARTITION,
 * INVALID_REQUEST (the leader, or no copy there), NOT_IN_SYNC_REPLICA, LEADER_NOT_AVAILABLE, STORAGE_ERROR, BROKER_FAILED.
 */
import type { Handler } from "../handler.ts";

export const removeFromIsr: Handler<"remove_from_isr"> = (request, { cluster }) => {
  const { topic, partition, broker_id: brokerId } = request;
  const { inSyncReplicas } = cluster.removeFromIsr({ topic, partition }, brokerId);
  return { topic, partition, isr: [...inSyncReplicas] };
};
