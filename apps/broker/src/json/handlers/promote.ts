/**
 * promote: the only way to another leader. When it answers, the leadership survives a crash.
 * Refuses: UNKNOWN_TOPIC, UNKNOWN_PARTITION, INVALID_REQUEST (no copy there), NOT_IN_SYNC_REPLICA (unless unclean),
 * BROKER_NOT_AVAILABLE, STORAGE_ERROR, BROKER_FAILED.
 */
import type { Handler } from "../handler.ts";

export const promote: Handler<"promote"> = async (request, { cluster }) => {
  const { topic, partition, broker_id: brokerId, unclean } = request;
  const state = await cluster.promote({ topic, partition }, brokerId, { unclean });
  return {
    topic,
    partition,
    leader_id: brokerId,
    leader_epoch: state.leaderEpoch,
    isr: [...state.inSyncReplicas],
  };
};
