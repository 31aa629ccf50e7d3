/** How a connection ends for which Node makes no response: CONNECT, and bytes that are no request, are refused in words as well. */
import { STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import { ALWAYS, type HttpCode, HttpRefusal } from "./http-answer.ts";

const CODES: { readonly [code: string]: readonly [HttpCode, string] } = {
  HPE_HEADER_OVERFLOW: ["HEAD_TOO_LONG", "the head of the request is longer than 8 KiB"],
  ERR_HTTP_REQUEST_TIMEOUT: ["REQUEST_TIMEOUT", "the request was not there within 10 s"],
};

/** What is said of an error of the parser's. */
export function refusalOf({ code = "", message }: NodeJS.ErrnoException): HttpRefusal {
  const [known, text] = CODES[code] ?? [
    "INVALID_REQUEST",
    `what came is no request of HTTP/1.1 (${message}); is this the port that was meant?`,
  ];
  return new HttpRefusal(known, text);
}

/** Ends a connection with a refusal. `isAnswering`: an answer is under way, into which nothing may be written; what is of it leaves. */
export function endWith(refusal: HttpRefusal, socket: Socket, isAnswering: boolean): void {
  // Node looks after a connection no more once it has told of it here.
  socket.on("error", () => undefined);
  if (socket.writable && !isAnswering) socket.write(wholeText(refusal));
  socket.destroySoon();
}

/** Head and body. */
function wholeText({ answer: { status, headers, body } }: HttpRefusal): string {
  const all = {
    ...ALWAYS,
    ...headers,
    "content-length": String(Buffer.byteLength(body)),
    connection: "close",
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}\r\n${lines.join("")}\r\n${body}`;
}
