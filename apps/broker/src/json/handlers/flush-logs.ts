/** flush_logs: everything that was appended before is durable when it answers. Refuses: STEPPING_DISABLED, BROKER_FAILED. */
import type { Handler } from "../handler.ts";
import { requireLab } from "../lab.ts";

export const flushLogs: Handler<"flush_logs"> = async (_request, context) => {
  requireLab(context);
  await context.cluster.steps.flushLogs();
  return {};
};
