/**
 * apply_retention: what is too old or too much is gone when it answers, and does not come back. A partition whose log
 * fails is no reason to leave the others alone; it is told after all were tried.
 * Refuses: STEPPING_DISABLED, UNKNOWN_TOPIC, STORAGE_ERROR, BROKER_FAILED.
 */
import type { Handler } from "../handler.ts";
import { requireLab } from "../lab.ts";

export const applyRetention: Handler<"apply_retention"> = async ({ topic }, context) => {
  requireLab(context);
  const deleted = await context.cluster.steps.applyRetention(topic);
  return {
    deleted: deleted.map(({ place, segment }) => ({
      topic: place.topic,
      partition: place.partition,
      broker_id: place.brokerId,
      base_offset: segment.baseOffset,
      next_offset: segment.nextOffset,
      size_bytes: segment.sizeBytes,
      reason: segment.reason,
    })),
  };
};
