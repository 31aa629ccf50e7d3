/** crash: the process dies here, and nobody hears of it but by the end of the connection. Refuses: STEPPING_DISABLED. */
import type { Handler } from "../handler.ts";
import { requireLab } from "../lab.ts";

export const crash: Handler<"crash"> = (_request, context, client) => {
  requireLab(context);
  client.cut("the operation crash");
  return context.crash("the operation crash");
};
