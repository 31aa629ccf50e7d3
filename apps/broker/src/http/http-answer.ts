/** What an endpoint answers: a whole body, or a stream that it writes itself. */
import type { ServerResponse } from "node:http";
import { withoutControls } from "@minikafka/protocol";

export interface HttpAnswer {
  readonly status: number;
  readonly headers: { readonly [name: string]: string };
  readonly body: string;
}

/** The head is the answer's; what follows comes over time. */
export interface HttpStream {
  readonly headers: { readonly [name: string]: string };
  /** Called once the head has left. */
  begin(response: ServerResponse): void;
}

/** What a refusal is told by; stable, as the codes of the protocols are. */
export type HttpCode =
  | "INVALID_REQUEST"
  | "HOST_NOT_ALLOWED"
  | "ORIGIN_NOT_ALLOWED"
  | "UNKNOWN_PATH"
  | "METHOD_NOT_ALLOWED"
  | "REQUEST_TIMEOUT"
  | "URL_TOO_LONG"
  | "EXPECTATION_FAILED"
  | "TOO_MANY_REQUESTS"
  | "HEAD_TOO_LONG"
  | "TOO_MANY_STREAMS"
  | "TOO_MANY_CONNECTIONS"
  | "NOT_READY"
  | "INTERNAL_ERROR";

const STATUS: { readonly [Code in HttpCode]: number } = {
  INVALID_REQUEST: 400,
  HOST_NOT_ALLOWED: 403,
  ORIGIN_NOT_ALLOWED: 403,
  UNKNOWN_PATH: 404,
  METHOD_NOT_ALLOWED: 405,
  REQUEST_TIMEOUT: 408,
  URL_TOO_LONG: 414,
  EXPECTATION_FAILED: 417,
  TOO_MANY_REQUESTS: 429,
  HEAD_TOO_LONG: 431,
  TOO_MANY_STREAMS: 503,
  TOO_MANY_CONNECTIONS: 503,
  NOT_READY: 503,
  INTERNAL_ERROR: 500,
};

/** All of it is of this instant; and what is JSON is nothing else. */
export const ALWAYS = { "cache-control": "no-store", "x-content-type-options": "nosniff" };

const JSON_TYPE = "application/json; charset=utf-8";

export function jsonAnswer(body: object, status = 200): HttpAnswer {
  return { status, headers: { "content-type": JSON_TYPE }, body: `${JSON.stringify(body)}\n` };
}

/** A request that is answered with why it is not carried out. Thrown by whoever reads it. */
export class HttpRefusal extends Error {
  override readonly name = "HttpRefusal";
  readonly code: HttpCode;
  readonly headers: { readonly [name: string]: string };

  constructor(code: HttpCode, message: string, headers: HttpRefusal["headers"] = {}) {
    // What it repeats of a request, a terminal should not obey.
    super(withoutControls(message));
    this.code = code;
    this.headers = headers;
  }

  get answer(): HttpAnswer {
    const { status, headers, body } = jsonAnswer(
      { error: { code: this.code, message: this.message } },
      STATUS[this.code],
    );
    // Whoever is refused for want of room does not hold the room of another.
    const close = status === 503 || status === 429 ? { connection: "close" } : {};
    return { status, headers: { ...headers, ...close, ...this.headers }, body };
  }
}
