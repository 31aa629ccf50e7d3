/** GET /events: what happens from now on, as server-sent events: the stream that the operation watch tells in lines. */
import { OPERATIONS, parse } from "@minikafka/protocol";
import type { EventFilter } from "../../connections/watching.ts";
import type { Endpoint, HttpRequest } from "../endpoint.ts";
import { HttpRefusal } from "../http-answer.ts";
import { booleanOf, listOf } from "../http-query.ts";
import { requireWhole } from "../whole.ts";

const HEADERS = {
  "content-type": "text/event-stream; charset=utf-8",
  // Nobody on the way may wait for more.
  "x-accel-buffering": "no",
};

export const events: Endpoint = {
  query: ["kinds", "topics", "requests"],
  serve: (request, site) => {
    const { streams, context } = site;
    requireWhole(site);
    const filter = filterOf(request);
    streams.requireRoom();
    return {
      headers: HEADERS,
      begin: (response) => streams.begin(response, context.events, filter, request.lastEventId),
    };
  },
};

/** As watch reads it. Throws HttpRefusal. */
function filterOf({ query }: HttpRequest): EventFilter {
  const requests = booleanOf(query, "requests");
  const kinds = listOf(query, "kinds");
  const topics = listOf(query, "topics");
  const asked = {
    operation: "watch",
    ...(kinds !== undefined && { kinds }),
    ...(topics !== undefined && { topics }),
    ...(requests !== undefined && { requests }),
  };
  const read = parse(OPERATIONS.watch.request, asked);
  if (!read.success) throw new HttpRefusal("INVALID_REQUEST", read.problem);
  const { data } = read;
  return {
    topics: data.topics === undefined ? null : new Set(data.topics),
    kinds: data.kinds === undefined ? null : new Set<string>(data.kinds),
    requests: data.requests,
  };
}
