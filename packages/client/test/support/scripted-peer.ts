/**
 * The other end of a client's link, played by a test: it sees each request, checked against its schema, and answers when
 * and how the test says.
 */
import { type Duplex, duplexPair } from "node:stream";
import {
  type AnyRequest,
  type ErrorCode,
  failureLine,
  isRetriable,
  LineFramer,
  type OperationName,
  type RequestId,
  type ResponseFields,
  readRequest,
  successLine,
} from "@minikafka/protocol";
import type { LinkFactory } from "../../src/link/link-factory.ts";

const FRAME_BYTES_MAX = 8 * 1024 * 1024;

/** A request that a client sent. */
export class SeenRequest<Name extends OperationName = OperationName> {
  readonly fields: Extract<AnyRequest, { operation: Name }>;
  readonly id: RequestId | undefined;
  /** The number of the link it came on, from 0. */
  readonly link: number;
  readonly #end: Duplex;

  constructor(
    fields: Extract<AnyRequest, { operation: Name }>,
    id: RequestId | undefined,
    link: number,
    end: Duplex,
  ) {
    this.fields = fields;
    this.id = id;
    this.link = link;
    this.#end = end;
  }

  answer(fields: ResponseFields<Name>): void {
    this.#end.write(successLine(this.id, fields));
  }

  refuse(code: ErrorCode, details?: { readonly [name: string]: unknown }): void {
    const failure = { code, message: `no, ${code}`, retriable: isRetriable(code) };
    this.#end.write(failureLine(this.id, details === undefined ? failure : { ...failure, details }));
  }

  /** Ends the link the request came on, as a broker does that dies or closes it. */
  hangUp(): void {
    this.#end.end();
  }

  /** Any line, on the link the request came on. */
  write(line: string): void {
    this.#end.write(line);
  }
}

interface Ends {
  readonly client: Duplex;
  readonly peer: Duplex;
}

export class ScriptedPeer {
  #links: Ends[] = [];
  #seen: SeenRequest[] = [];
  #wake: (() => void)[] = [];
  #refusal: Error | null = null;
  /** How often a link was asked for. */
  attemptCount = 0;
  /** Sees requests before `next` does; true when it took care of one. */
  #handler: ((request: SeenRequest) => boolean) | null = null;

  /** For `connect({ link })`. */
  readonly link: LinkFactory = () => {
    this.attemptCount += 1;
    if (this.#refusal !== null) throw this.#refusal;
    const [client, peer] = duplexPair();
    const number = this.#links.push({ client, peer }) - 1;
    const framer = new LineFramer(FRAME_BYTES_MAX);
    peer.on("data", (chunk: Buffer) => {
      framer.push(chunk);
      for (let line = framer.next(); line !== null; line = framer.next()) this.#see(line, number, peer);
    });
    peer.on("error", () => {});
    this.#wakeAll();
    return client;
  };

  /** How many links were made. */
  get linkCount(): number {
    return this.#links.length;
  }

  /** Links that the client has not closed. */
  get openLinkCount(): number {
    return this.#links.filter(({ client }) => !client.destroyed).length;
  }

  /** What the newest link's client has not taken yet. */
  get unsentBytes(): number {
    return this.#links.at(-1)?.peer.writableLength ?? 0;
  }

  /** Requests that no `next` has taken. */
  get unread(): readonly SeenRequest[] {
    return this.#seen;
  }

  /** From now on links cannot be made; `null` makes them possible again. */
  refuseLinks(error: Error | null): void {
    this.#refusal = error;
  }

  handle(handler: ((request: SeenRequest) => boolean) | null): void {
    this.#handler = handler;
  }

  /** The next request, which must be of this operation. */
  async next<Name extends OperationName>(operation: Name): Promise<SeenRequest<Name>> {
    while (this.#seen.length === 0) await new Promise<void>((resolve) => this.#wake.push(resolve));
    const request = this.#seen.shift() as SeenRequest;
    if (request.fields.operation !== operation)
      throw new Error(`expected ${operation}, the client sent ${JSON.stringify(request.fields)}`);
    return request as unknown as SeenRequest<Name>;
  }

  /** Breaks the newest link, as a reset connection does. */
  breakLink(error = new Error("read ECONNRESET")): void {
    this.#links.at(-1)?.client.destroy(error);
  }

  /** Ends the newest link in good order, as a stopping broker does. */
  endLink(): void {
    this.#links.at(-1)?.peer.end();
  }

  /** A line that answers no request. */
  write(line: string): void {
    this.#links.at(-1)?.peer.write(line);
  }

  #see(line: Buffer, link: number, end: Duplex): void {
    const read = readRequest(line);
    if (read.kind === "refused") throw new Error(`the client sent a bad request: ${read.message}`);
    const seen = new SeenRequest(read.request, read.id, link, end);
    if (this.#handler?.(seen as SeenRequest) === true) return;
    this.#seen.push(seen as SeenRequest);
    this.#wakeAll();
  }

  #wakeAll(): void {
    const wake = this.#wake;
    this.#wake = [];
    for (const each of wake) each();
  }
}

/** Whether the request is of this operation, for the type's sake. */
export function isRequest<Name extends OperationName>(
  request: SeenRequest,
  operation: Name,
): request is SeenRequest & SeenRequest<Name> {
  return request.fields.operation === operation;
}

/** Lets everything happen that needs no clock: promises, streams, the scripted peer. */
export async function quiet(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await new Promise<void>((resolve) => setImmediate(resolve));
}
