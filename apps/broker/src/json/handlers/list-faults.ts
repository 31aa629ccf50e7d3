/** list_faults: what can be armed, and what is, with its counts. Refuses: STEPPING_DISABLED. */
import type { Handler } from "../handler.ts";
import { requireLab } from "../lab.ts";

export const listFaults: Handler<"list_faults"> = (_request, context) => {
  requireLab(context);
  const { faults } = context;
  const points = faults.points().map(({ point, actions, scope }) => ({
    point,
    actions: [...actions],
    scope: [...scope],
  }));
  return { points, rules: faults.rules() };
};
