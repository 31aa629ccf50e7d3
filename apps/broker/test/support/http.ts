/** What is asked over HTTP in the tests: whole answers, and streams of events. */
import { once } from "node:events";
import { type IncomingHttpHeaders, type IncomingMessage, request } from "node:http";
import { onTestFinished } from "vitest";
import type { Broker } from "../../src/daemon.ts";

export interface Got {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

export interface Ask {
  readonly method?: string;
  readonly headers?: { readonly [name: string]: string };
}

export function portOf({ httpAddress }: Pick<Broker, "httpAddress">): number {
  if (httpAddress === null) throw new Error("this broker has no HTTP port");
  return httpAddress.port;
}

async function opened(
  port: number,
  path: string,
  { method = "GET", headers = {} }: Ask,
): Promise<IncomingMessage> {
  const asked = request({ host: "127.0.0.1", port, path, method, headers, agent: false });
  asked.end();
  const [response] = (await once(asked, "response")) as [IncomingMessage];
  return response;
}

export async function get(broker: Pick<Broker, "httpAddress">, path: string, ask: Ask = {}): Promise<Got> {
  const response = await opened(portOf(broker), path, ask);
  response.setEncoding("utf8");
  let text = "";
  for await (const chunk of response) text += chunk;
  return { status: response.statusCode ?? 0, headers: response.headers, text };
}

export async function getJson(broker: Pick<Broker, "httpAddress">, path: string, ask: Ask = {}) {
  const { status, headers, text } = await get(broker, path, ask);
  return { status, headers, body: JSON.parse(text) };
}

/** A block of a stream of events: its fields, and its comments. */
export interface SseBlock {
  readonly id?: string;
  readonly event?: string;
  readonly data?: string;
  readonly retry?: string;
  readonly comment?: string;
}

/** Reads blocks one after another, when they are asked for and not before. */
export class EventReader {
  readonly response: IncomingMessage;
  readonly #chunks: AsyncIterator<string>;
  #rest = "";

  constructor(response: IncomingMessage) {
    this.response = response;
    response.setEncoding("utf8");
    response.on("error", () => undefined);
    this.#chunks = response[Symbol.asyncIterator]();
  }

  /** `null` at the end of the stream. */
  async next(): Promise<SseBlock | null> {
    while (!this.#rest.includes("\n\n")) {
      const chunk = await this.#chunks.next();
      if (chunk.done === true) return null;
      this.#rest += chunk.value;
    }
    const [block = ""] = this.#rest.split("\n\n", 1);
    this.#rest = this.#rest.slice(block.length + 2);
    return blockOf(block);
  }

  /** The next that is an event. */
  async event(): Promise<{
    readonly id: string;
    readonly kind: string;
    readonly data: { [name: string]: unknown };
  }> {
    for (;;) {
      const block = await this.next();
      if (block === null) throw new Error("the stream of events has ended");
      if (block.data === undefined) continue;
      return { id: block.id ?? "", kind: block.event ?? "", data: JSON.parse(block.data) };
    }
  }
}

function blockOf(text: string): SseBlock {
  const lines = text.split("\n").map((line) => {
    const colon = line.indexOf(":");
    const name = colon === 0 ? "comment" : line.slice(0, colon);
    return [name, line.slice(colon + 1).replace(/^ /, "")];
  });
  return Object.fromEntries(lines);
}

/** Closed at the end of the test. The first block, which has an id alone, is read. */
export async function readEvents(
  broker: Pick<Broker, "httpAddress">,
  query = "",
  headers: Ask["headers"] = {},
): Promise<EventReader & { readonly firstId: string }> {
  const response = await opened(portOf(broker), `/events${query}`, { headers });
  if (response.statusCode !== 200) throw new Error(`the stream was answered with ${response.statusCode}`);
  onTestFinished(() => {
    response.destroy();
  });
  const reader = new EventReader(response);
  const first = await reader.next();
  return Object.assign(reader, { firstId: first?.id ?? "" });
}
