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
import { ALWAYS, type HttpAnswer, HttpRefusal, type HttpStream } from "./http-answer.ts";
import { readQuery } from "./http-query.ts";
import { type OwnNames, requireAllowed, requireOneHost, type Target, targetOf } from "./who-may-ask.ts";

const ENDPOINTS: ReadonlyMap<string, Endpoint> = new Map([
  ["/metrics", metrics],
  ["/healthz", healthz],
  ["/readyz", readyz],
  ["/snapshot", snapshot],
  ["/events", events],
]);

/** What looks through everything there is, which takes long where that is much. */
const LONG: ReadonlySet<Endpoint> = new Set([metrics, snapshot]);

/** What says whether the broker lives, and serves. */
const PROBES: ReadonlySet<Endpoint> = new Set([healthz, readyz]);

const ALLOW = "GET, HEAD";
/** As much as the names of all kinds of events and some topics take. */
const URL_CHARACTERS_MAX = 4_096;

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
    this.#send(request, response, this.#answerTo(request, isCrowded));
  }

  /** Never throws. */
  refuse(request: IncomingMessage, response: ServerResponse, refusal: HttpRefusal): void {
    this.#send(request, response, refusal.answer);
  }

  /** Whether the answer may take long. Never throws. */
  isLong({ url = "/" }: IncomingMessage): boolean {
    const endpoint = ENDPOINTS.get(pathOf(targetOf(url)));
    return endpoint !== undefined && LONG.has(endpoint);
  }

  #send({ method }: IncomingMessage, response: ServerResponse, answer: HttpAnswer | HttpStream): void {
    const isHead = method === "HEAD";
    if ("begin" in answer) {
      response.writeHead(200, { ...ALWAYS, ...answer.headers });
      if (isHead) response.end();
      else answer.begin(response);
      return;
    }
    const { status, headers, body } = answer;
    const length = { "content-length": String(Buffer.byteLength(body)) };
    response.writeHead(status, { ...ALWAYS, ...headers, ...length });
    response.end(isHead ? undefined : body);
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
    { method = "", headers, rawHeaders, httpVersion }: IncomingMessage,
    url: string,
    isCrowded: boolean,
  ): HttpAnswer | HttpStream {
    const { site, names } = this.#parts;
    const target = targetOf(url);
    requireOneHost(rawHeaders, httpVersion);
    requireAllowed(headers, target, names);
    if (headers.expect !== undefined && headers.expect.toLowerCase() !== "100-continue") {
      const message = `Expect: ${JSON.stringify(headers.expect)} cannot be met; expected 100-continue, or nothing`;
      throw new HttpRefusal("EXPECTATION_FAILED", message);
    }
    if (url.length > URL_CHARACTERS_MAX) {
      const message = `the URL has ${url.length} characters; expected at most ${URL_CHARACTERS_MAX}`;
      throw new HttpRefusal("URL_TOO_LONG", message);
    }
    const path = pathOf(target);
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
    const query = readQuery(target.path.slice(path.length + 1), endpoint.query);
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

/** Of CONNECT, which has a host and a port for a path, so that nothing else can be wrong with it. */
export function refusalOfTunnel(): HttpRefusal {
  const message = `CONNECT is for nothing here; expected ${ALLOW}: this is no proxy`;
  return new HttpRefusal("METHOD_NOT_ALLOWED", message, { allow: ALLOW });
}

/** Without its query. */
function pathOf({ path }: Target): string {
  return path.split("?", 1)[0] ?? "";
}
