/**
 * The way in for those who only look: HTTP, for scrapers, probes, people with curl, and a page.
 *
 * Owns the port, everybody who is connected there, their streams, and what is counted for them.
 * Invariants: who asks too slowly, or leaves unread what the system does not hold for him, is closed; what is asked here has no turn among
 * the requests that change something, since it changes nothing, and holds them up by one look at everything at most. Once `close` has resolved nobody is connected.
 * Never: waits for a reader.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { SystemClock } from "@minikafka/core";
import type { Settings } from "../config.ts";
import { type Address, addressOf, listenAt } from "../connections/port.ts";
import type { Deadlines } from "../deadlines.ts";
import { aTurnForOthers } from "../ticker.ts";
import { AnswerTurns, WAITING_MAX } from "./answer-turns.ts";
import type { HttpSite } from "./endpoint.ts";
import { EventStreams } from "./event-streams.ts";
import { HttpRefusal } from "./http-answer.ts";
import { HttpConnections } from "./http-connections.ts";
import { Counted } from "./metrics/counted.ts";
import { Router, refusalOfTunnel } from "./router.ts";
import { endWith, saidOf, wholeText } from "./unreadable.ts";

const HEADER_BYTES_MAX = 8 * 1024;
/** For a request to have come, its head or all of it. */
const REQUEST_MS = 10_000;
/** How often that is looked at. */
const REQUEST_CHECK_MS = 2_000;
const BETWEEN_REQUESTS_MS = 5_000;
/** A reader of anything that takes nothing for so long is closed. */
const STALL_MS = 30_000;
/** Whatever the broker's clock is, those who look on live in this one. */
const REAL_TIME = new SystemClock();

export interface HttpDoorParts {
  readonly settings: Settings & { readonly http_port: number };
  readonly realTime: Deadlines;
  readonly site: Omit<HttpSite, "streams" | "counted">;
  readonly onFault: (path: string, error: unknown) => string;
  readonly onProblem: (message: string) => void;
  /** Where lines of JSON are taken, for who sends them here; `null`: nowhere. */
  readonly jsonAddress: () => Address | null;
}

export class HttpDoor {
  readonly counted: Counted;
  readonly #parts: HttpDoorParts;
  readonly #streams: EventStreams;
  readonly #server: Server;
  readonly #stopCounting: () => void;
  #address: Address | null = null;
  #closed: Promise<void> | null = null;

  constructor(parts: HttpDoorParts) {
    const { settings, realTime, site, onFault } = parts;
    this.#parts = parts;
    this.#streams = new EventStreams(realTime);
    // With a manual clock a request takes as long as people let it take.
    const nowMs = settings.clock === "manual" ? null : () => REAL_TIME.monotonicMs();
    this.counted = new Counted(site.context.cluster, nowMs);
    this.#stopCounting = site.context.events.add(this.counted);
    const connections = new HttpConnections();
    const router = new Router({
      site: { ...site, streams: this.#streams, counted: this.counted },
      names: settings,
      onFault,
    });
    const turns = new AnswerTurns({
      later: (turn) => void aTurnForOthers().then(turn),
      after: (ms, turn) => void realTime.after(ms, turn),
      nowMs: () => REAL_TIME.monotonicMs(),
    });
    const ask = (request: IncomingMessage, response: ServerResponse): void => {
      const { socket } = request;
      // Whoever is gone before it is written needs it no more.
      response.on("error", () => undefined);
      connections.ask(socket, response);
      turns.ask({
        socket,
        response,
        isLong: router.isLong(request),
        answer: () => router.answer(request, response, connections.isCrowded),
        refuse: () => router.refuse(request, response, tooMany()),
      });
    };
    this.#server = createServer(
      {
        maxHeaderSize: HEADER_BYTES_MAX,
        headersTimeout: REQUEST_MS,
        requestTimeout: REQUEST_MS,
        connectionsCheckingInterval: REQUEST_CHECK_MS,
        keepAliveTimeout: BETWEEN_REQUESTS_MS,
        // The router refuses it in words.
        requireHostHeader: false,
      },
      ask,
    );
    this.#server.on("checkExpectation", ask);
    this.#server.on("clientError", (error, socket: Socket) =>
      endWith(saidOf(error, parts.jsonAddress()), socket, connections.isAsking(socket)),
    );
    this.#server.on("connection", (socket) => connections.admit(socket));
    this.#server.on("connect", (_request, socket: Socket) =>
      endWith(wholeText(refusalOfTunnel()), socket, connections.isAsking(socket)),
    );
    this.#server.timeout = STALL_MS;
  }

  /** Where it listens; `null` before. */
  get address(): Address | null {
    return this.#address;
  }

  /** Begins to listen. Rejects with AddressUnavailable. */
  async listen(): Promise<void> {
    const { settings, onProblem } = this.#parts;
    await listenAt(this.#server, { host: settings.host, port: settings.http_port, setting: "http_port" });
    this.#server.on("error", ({ message }) => onProblem(message));
    this.#address = addressOf(this.#server);
  }

  /** Readers of events may come back. */
  endStreams(why: string): void {
    this.#streams.endAll(why);
  }

  /** Who reads events is let go; who asks whether the broker is ready is told that it stops. */
  beginToClose(): void {
    this.#streams.close("the broker stops");
  }

  /** As by the end of the process. */
  die(): void {
    void this.#shut();
  }

  /** Resolves when nobody is connected and nothing is listened on. */
  async close(): Promise<void> {
    this.#stopCounting();
    this.#streams.close("the broker stops");
    await this.#shut();
  }

  /** Also of one that does not listen. */
  #shut(): Promise<void> {
    this.#closed ??= new Promise((resolve) => this.#server.close(() => resolve()));
    this.#server.closeAllConnections();
    return this.#closed;
  }
}

function tooMany(): HttpRefusal {
  const message = `more than ${WAITING_MAX} requests of this connection wait for an answer; ask once others are answered`;
  return new HttpRefusal("TOO_MANY_REQUESTS", message);
}
