/** clock: what the broker's clock says; reading never moves it. Refuses: STEPPING_DISABLED. */
import type { Handler } from "../handler.ts";
import { requireLab } from "../lab.ts";

export const clock: Handler<"clock"> = (_request, context) => {
  requireLab(context);
  return { now_ms: context.clock.nowMs() };
};
