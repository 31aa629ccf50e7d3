/**
 * refresh_isr: who is in sync. Refuses: STEPPING_DISABLED, INVALID_REQUEST (a partition without its topic), UNKNOWN_TOPIC,
 * UNKNOWN_PARTITION, STORAGE_ERROR, BROKER_FAILED.
 */
import type { Handler } from "../handler.ts";
import { requireLab } from "../lab.ts";
import { stepFilter } from "../step-filter.ts";

export const refreshIsr: Handler<"refresh_isr"> = (request, context) => {
  requireLab(context);
  const changed = context.cluster.refreshIsr(stepFilter(request));
  return {
    changed: changed.map(({ topic, partition, from, to }) => ({
      topic,
      partition,
      from: [...from],
      to: [...to],
    })),
  };
};
