/** GET /snapshot: the state of everything in one instant, beside the event that came last before it. */
import { PROGRAM, VERSION } from "../../version.ts";
import type { Endpoint } from "../endpoint.ts";
import { jsonAnswer } from "../http-answer.ts";
import { listOf } from "../http-query.ts";
import { stateOf } from "../state.ts";
import { requireWhole } from "../whole.ts";

export const snapshot: Endpoint = {
  query: ["topics"],
  serve: ({ query }, site) => {
    requireWhole(site);
    const { context, streams } = site;
    const { events } = context;
    const topics = listOf(query, "topics");
    return jsonAnswer({
      program: PROGRAM,
      version: VERSION,
      event_number: events.lastNumber,
      event_id: streams.idOf(events, events.lastNumber),
      ...stateOf(context, topics === undefined ? null : new Set(topics)),
    });
  },
};
