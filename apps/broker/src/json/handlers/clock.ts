/** clock: what the broker's clock says; reading never moves it. Refuses: nothing. */
import type { Handler } from "../handler.ts";

export const clock: Handler<"clock"> = (_request, context) => {
  return { now_ms: context.clock.nowMs() };
};
