/**
 * arm_fault: acts from now on, where and as often as it says.
 * Refuses: STEPPING_DISABLED; INVALID_REQUEST for a point that there is not, and for what the point does not take.
 */
import type { Handler } from "../handler.ts";
import { requireLab } from "../lab.ts";

export const armFault: Handler<"arm_fault"> = (request, context) => {
  requireLab(context);
  const { operation: _operation, id: _id, mark, ...order } = request;
  return { rule_id: context.faults.arm(order, mark) };
};
