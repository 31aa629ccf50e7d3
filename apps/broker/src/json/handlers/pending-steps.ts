/** pending_steps: which steps would do something now, and when time brings more. Refuses: STEPPING_DISABLED, UNKNOWN_TOPIC. */
import type { Handler } from "../handler.ts";
import { requireLab } from "../lab.ts";
import { deadlineFields, pendingFields } from "../pending/pending-fields.ts";
import { waitFields } from "../pending/waits.ts";

export const pendingSteps: Handler<"pending_steps"> = ({ topic }, context) => {
  requireLab(context);
  const { foresight } = context.cluster;
  const steps = foresight.steps(topic).map(pendingFields);
  const ofSteps = foresight.deadlines(topic).map(deadlineFields);
  const waits = topic === undefined ? waitFields(context) : [];
  const deadlines = [...ofSteps, ...waits].sort((one, other) => one.due_at_ms - other.due_at_ms);
  return { now_ms: context.clock.nowMs(), steps, deadlines };
};
