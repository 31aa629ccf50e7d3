/**
 * From a request to its answer: who asks, for what, how; then the endpoint's turn.
 *
 * Never: carries anything out. Whatever is asked here changes nothing.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import { BrokerError } from "@minikafka/core";
import type { Endpoint, HttpSite } from "./endpoint.ts";
import { events } from "./endpoints/events.ts";
import { healthz } from "./endpoints/healthz.ts";
import { metrics } from "./endpoints/metrics.ts";
import { readyz } from "./endpoints/readyz.ts";
import { snapshot } from "./endpoints/snapshot.ts";
import { type HttpAnswer, HttpRefusal, type HttpStream } from "./http-answer.ts";
import { readQuery } from "./http-query.ts";
import { type OwnNames, requireAllowed, requireOneHost, targetOf } from "./who-may-ask.ts";

const ENDPOINTS: ReadonlyMap<string, Endpoint> = new Map([
  ["/metrics", metrics],
  ["/healthz", healthz],
  ["/readyz", readyz],
  ["/snapshot", snapshot],
  ["/events", events],
]);

/** What says whether the broker lives, and serves. */
const PROBES: ReadonlySet<Endpoint> = new Set([healthz, readyz]);

const ALLOW = "GET, HEAD";
/** As much as the names of all kinds of events and some topics take. */
const URL_CHARACTERS_MAX = 4_096;
/** All of it is of this instant; and what is JSON is nothing else. */
const ALWAYS = { "cache-control": "no-store", "x-content-type-options": "nosniff" };

export interface RouterParts {
  readonly site: HttpSite;
  readonly names: OwnNames;
  /** A fault of ours; returns the id under which the log has more. */
  readonly onFault: (path: string, error: unknown) => string;
}

export class Router {
  readonly #parts: RouterParts;

  constructor(parts: RouterParts) {
    this.#parts = parts;
  }

  /** `isCrowded`: only probes are answered. Never throws. */
  answer(request: IncomingMessage, response: ServerResponse, isCrowded: boolean): void {
    const answer = this.#answerTo(request, isCrowded);
    const isHead = request.method === "HEAD";
    if ("begin" in answer) {
      response.writeHead(200, { ...ALWAYS, ...answer.headers });
      if (isHead) response.end();
      else answer.begin(response);
      return;
    }
    write(response, answer, isHead);
  }

  /** CONNECT has a host and a port for a path, so that nothing else can be wrong with it. */
  refuseTunnel(response: ServerResponse): void {
    const message = `CONNECT is for nothing here; expected ${ALLOW}: this is no proxy`;
    write(response, new HttpRefusal("METHOD_NOT_ALLOWED", message, { allow: ALLOW }).answer, false);
  }

  #answerTo(request: IncomingMessage, isCrowded: boolean): HttpAnswer | HttpStream {
    const { url = "/" } = request;
    try {
      return this.#carryOut(request, url, isCrowded);
    } catch (error) {
      if (error instanceof HttpRefusal) return error.answer;
      if (error instanceof BrokerError && error.code === "SHUTTING_DOWN")
        return new HttpRefusal("NOT_READY", error.message).answer;
      const faultId = this.#parts.onFault(url, error);
      const message = `a fault of the broker; its log has more under ${faultId}`;
      return new HttpRefusal("INTERNAL_ERROR", message).answer;
    }
  }

  #carryOut(
    { method = "", headers, rawHeaders }: IncomingMessage,
    url: string,
    isCrowded: boolean,
  ): HttpAnswer | HttpStream {
    const { site, names } = this.#parts;
    const target = targetOf(url);
    requireOneHost(rawHeaders);
    requireAllowed(headers, target, names);
    if (url.length > URL_CHARACTERS_MAX) {
      const message = `the URL has ${url.length} characters; expected at most ${URL_CHARACTERS_MAX}`;
      throw new HttpRefusal("URL_TOO_LONG", message);
    }
    const [path = "", ...rest] = target.path.split("?");
    const endpoint = ENDPOINTS.get(path);
    if (endpoint === undefined) {
      const message = `nothing is at ${path}; expected one of ${[...ENDPOINTS.keys()].join(", ")}`;
      throw new HttpRefusal("UNKNOWN_PATH", message);
    }
    if (method !== "GET" && method !== "HEAD") {
      const message = `${method} is not for ${path}; expected ${ALLOW}: nothing can be changed here`;
      throw new HttpRefusal("METHOD_NOT_ALLOWED", message, { allow: ALLOW });
    }
    if (isCrowded && !PROBES.has(endpoint)) {
      const message = "so many answers wait to be read that no more are given; what is left is for probes";
      throw new HttpRefusal("TOO_MANY_CONNECTIONS", message, { "retry-after": "5" });
    }
    const query = readQuery(rest.join("?"), endpoint.query);
    const lastEventId = headers["last-event-id"];
    return endpoint.serve(
      {
        query,
        accept: headers.accept ?? "",
        lastEventId: Array.isArray(lastEventId) ? lastEventId[0] : lastEventId,
      },
      site,
    );
  }
}

function write(response: ServerResponse, { status, headers, body }: HttpAnswer, isHead: boolean): void {
  const length = { "content-length": String(Buffer.byteLength(body)) };
  response.writeHead(status, { ...ALWAYS, ...headers, ...length });
  response.end(isHead ? undefined : body);
}
