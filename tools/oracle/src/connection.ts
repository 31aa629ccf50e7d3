/** A connection that speaks Kafka's protocol by our codec: one request at a time, each answer awaited within bounds. */
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import {
  API_TABLE,
  type ApiName,
  type ApiNamed,
  decodeResponse,
  FrameSplitter,
  Reader,
  type RequestInputOf,
  type ResponseValueOf,
  readResponseHeader,
  requestFrame,
} from "@minikafka/protocol/kafka";

const FRAME_BYTES_MAX = 64 * 1024 * 1024;
const ANSWER_MS_MAX = 30_000;

/** What came of a request. */
export type Outcome<Response> =
  | { readonly kind: "answer"; readonly response: Response }
  /** The connection was ended instead. */
  | { readonly kind: "cut" }
  /** Nothing came for as long as we wait. */
  | { readonly kind: "silence" }
  /** Bytes that are no answer of this API and version. */
  | { readonly kind: "unreadable"; readonly message: string };

type Frame = Buffer | "cut" | "silence";

const API_BY_NAME = Object.fromEntries(Object.values(API_TABLE).map((api) => [api.name, api])) as {
  readonly [Name in ApiName]: ApiNamed<Name>;
};

export function apiNamed<Name extends ApiName>(name: Name): ApiNamed<Name> {
  return API_BY_NAME[name];
}

export class Connection {
  readonly #socket: Socket;
  readonly #frames = new FrameSplitter(FRAME_BYTES_MAX);
  readonly #answers: Buffer[] = [];
  #isCut = false;
  #correlationId = 0;
  #wake: () => void = () => undefined;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.on("data", (chunk: Buffer) => this.#receive(chunk));
    socket.on("error", () => undefined);
    for (const end of ["end", "close"]) {
      socket.on(end, () => {
        this.#isCut = true;
        this.#wake();
      });
    }
  }

  static async open(host: string, port: number): Promise<Connection> {
    const socket = connect(port, host);
    await once(socket, "connect");
    socket.setNoDelay(true);
    return new Connection(socket);
  }

  get isCut(): boolean {
    return this.#isCut;
  }

  async ask<Name extends ApiName>(
    name: Name,
    version: number,
    request: RequestInputOf<Name>,
  ): Promise<Outcome<ResponseValueOf<Name>>> {
    const api = apiNamed(name);
    this.send(name, version, request);
    const frame = await this.#next();
    if (frame === "cut" || frame === "silence") return { kind: frame };
    try {
      const reader = new Reader(frame);
      readResponseHeader(reader, api, version);
      const response = decodeResponse(api, version, frame.subarray(reader.position));
      return { kind: "answer", response: response as ResponseValueOf<Name> };
    } catch (error) {
      return { kind: "unreadable", message: (error as Error).message };
    }
  }

  /** Sends a request, and waits for nothing: Produce with acks 0 is not answered. */
  send<Name extends ApiName>(name: Name, apiVersion: number, request: RequestInputOf<Name>): void {
    this.#correlationId += 1;
    const header = { apiVersion, correlationId: this.#correlationId, clientId: "oracle" };
    for (const part of requestFrame(apiNamed(name), header, request)) this.#socket.write(part);
  }

  /** Sends bytes that may be anything; the answer is without its size. */
  exchange(bytes: Buffer): Promise<Frame> {
    this.#socket.write(bytes);
    return this.#next();
  }

  close(): void {
    this.#socket.destroy();
  }

  async #next(): Promise<Frame> {
    const timer = setTimeout(() => this.#wake(), ANSWER_MS_MAX);
    const givenUpMs = performance.now() + ANSWER_MS_MAX;
    try {
      for (;;) {
        const frame = this.#answers.shift();
        if (frame !== undefined) return frame;
        if (this.#isCut) return "cut";
        if (performance.now() >= givenUpMs) {
          // What comes later would be taken for the answer to another request.
          this.#isCut = true;
          this.#socket.destroy();
          return "silence";
        }
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
      }
    } finally {
      clearTimeout(timer);
    }
  }

  #receive(chunk: Buffer): void {
    this.#frames.push(chunk);
    for (let frame = this.#frames.next(); frame !== null; frame = this.#frames.next()) {
      this.#answers.push(frame);
    }
    this.#wake();
  }
}
