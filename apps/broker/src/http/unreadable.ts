/** How a connection ends for which Node makes no response: CONNECT, and bytes that are no request, are refused in words as well. */
import { STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import type { Address } from "../connections/port.ts";
import { failure } from "../json/answer-line.ts";
import { ALWAYS, type HttpCode, HttpRefusal } from "./http-answer.ts";

const CODES: { readonly [code: string]: readonly [HttpCode, string] } = {
  HPE_HEADER_OVERFLOW: ["HEAD_TOO_LONG", "the head of the request is longer than 8 KiB"],
  ERR_HTTP_REQUEST_TIMEOUT: ["REQUEST_TIMEOUT", "the request was not there within 10 s"],
};

/** What Node adds to an error of the parser's. */
interface ParserError extends NodeJS.ErrnoException {
  readonly rawPacket?: Buffer;
}

const BRACE = "{".charCodeAt(0);

/** What is said of an error of the parser's: to who sends lines of JSON in one, as a port for Kafka's clients does. */
export function saidOf(error: ParserError, jsonAddress: Address | null): string {
  if (error.rawPacket?.[0] !== BRACE) return wholeText(refusalOf(error));
  const taken = jsonAddress === null ? null : `${jsonAddress.host}:${jsonAddress.port}`;
  const where = taken === null ? "nowhere here" : `at ${taken}`;
  const message = `this port is for HTTP; lines of JSON are taken ${where}`;
  return failure(undefined, "INVALID_REQUEST", message, { json_address: taken });
}

/** In HTTP. */
export function refusalOf({ code = "", message }: NodeJS.ErrnoException): HttpRefusal {
  const [known, text] = CODES[code] ?? [
    "INVALID_REQUEST",
    `what came is no request of HTTP/1.1 (${message}); is this the port that was meant?`,
  ];
  return new HttpRefusal(known, text);
}

/** Ends a connection with what is said. `isAnswering`: an answer is under way, into which nothing may be written; what is of it leaves. */
export function endWith(said: string, socket: Socket, isAnswering: boolean): void {
  // Node looks after a connection no more once it has told of it here.
  socket.on("error", () => undefined);
  if (socket.writable && !isAnswering) socket.write(said);
  socket.destroySoon();
}

/** Head and body. */
export function wholeText({ answer: { status, headers, body } }: HttpRefusal): string {
  const all = {
    ...ALWAYS,
    ...headers,
    "content-length": String(Buffer.byteLength(body)),
    connection: "close",
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}\r\n${lines.join("")}\r\n${body}`;
}
