/** list_faults: what can be armed, where faults can be, and what is, with its counts. */
import type { Handler } from "../handler.ts";

export const listFaults: Handler<"list_faults"> = (_request, { faults }) => {
  const points = faults.points().map(({ point, actions, scope }) => ({
    point,
    actions: [...actions],
    scope: [...scope],
  }));
  return { points, rules: faults.rules() };
};
