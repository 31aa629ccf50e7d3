/**
 * roll_segment: a new segment, unless the one that is written is empty.
 * Refuses: STEPPING_DISABLED, UNKNOWN_TOPIC, UNKNOWN_PARTITION, STORAGE_ERROR, BROKER_FAILED.
 */
import type { Handler } from "../handler.ts";
import { requireLab } from "../lab.ts";

export const rollSegment: Handler<"roll_segment"> = ({ topic, partition }, context) => {
  requireLab(context);
  const { rolled, baseOffset } = context.cluster.steps.rollSegment({ topic, partition });
  return { rolled, base_offset: baseOffset };
};
