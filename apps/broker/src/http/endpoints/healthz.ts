/** GET /healthz: the process lives and answers. */
import type { Endpoint } from "../endpoint.ts";
import { jsonAnswer } from "../http-answer.ts";

export const healthz: Endpoint = { query: [], serve: () => jsonAnswer({ alive: true }) };
