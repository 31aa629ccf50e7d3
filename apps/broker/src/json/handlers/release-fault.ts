/** release_fault: what it holds goes on, in the order of arrival. Refuses: STEPPING_DISABLED; INVALID_REQUEST for what is no hold. */
import type { Handler } from "../handler.ts";
import { requireLab } from "../lab.ts";

export const releaseFault: Handler<"release_fault"> = ({ rule_id: ruleId, mark }, context) => {
  requireLab(context);
  return { released: context.faults.release(ruleId, mark) };
};
