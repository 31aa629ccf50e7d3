/** pending_steps: which steps would do something now, and when time brings more. Refuses: STEPPING_DISABLED, UNKNOWN_TOPIC. */
import type { Handler } from "../handler.ts";
import { requireLab } from "../lab.ts";
import { allPending } from "../pending/all-pending.ts";

export const pendingSteps: Handler<"pending_steps"> = ({ topic }, context) => {
  requireLab(context);
  return allPending(context, topic);
};
