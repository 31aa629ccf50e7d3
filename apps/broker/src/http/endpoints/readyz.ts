/** GET /readyz: 200 where requests are carried out; else 503, and all reasons. */
import type { Endpoint } from "../endpoint.ts";
import { jsonAnswer } from "../http-answer.ts";

export const readyz: Endpoint = {
  query: [],
  serve: (_request, { unready }) => {
    const reasons = unready();
    return jsonAnswer({ ready: reasons.length === 0, reasons }, reasons.length === 0 ? 200 : 503);
  },
};
