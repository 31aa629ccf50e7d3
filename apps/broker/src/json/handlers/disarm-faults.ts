/** disarm_faults: one, which need not be armed any more, or all. What they hold goes on. Refuses: STEPPING_DISABLED. */
import type { Handler } from "../handler.ts";
import { requireLab } from "../lab.ts";

export const disarmFaults: Handler<"disarm_faults"> = ({ rule_id: ruleId, mark }, context) => {
  requireLab(context);
  return { disarmed: context.faults.disarm(ruleId, mark) };
};
