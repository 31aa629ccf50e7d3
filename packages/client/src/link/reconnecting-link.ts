/**
 * A link that comes back.
 *
 * Owns the connection, or the attempt at one, and the requests that were not written yet.
 * Invariants: requests are written in the order of `request`; at most one connection or attempt exists; it connects only
 * while a request waits, so that an idle client holds no timer and keeps no process alive.
 * Never sends a request twice: those in flight when the connection breaks fail, their effect unknown; those that were not
 * written wait for the next connection as long as their timeout allows.
 *
 *   idle → connecting → connected → (broken) → idle, or backoff → connecting while requests wait; closed from anywhere
 */
import type { JsonObject } from "@minikafka/protocol";
import { onAbort } from "../abort.ts";
import type { Cancel, ClientClock } from "../clock.ts";
import { traced } from "../diagnostics.ts";
import { MiniKafkaError } from "../errors.ts";
import { LIMITS } from "../limits.ts";
import { hurriedBy } from "../waiting.ts";
import { type BackoffBounds, backoffMs } from "./backoff.ts";
import { Connection, type ConnectionOptions } from "./connection.ts";
import { type LinkFactory, openLink } from "./link-factory.ts";
import { PendingRequest, type RequestOptions } from "./pending-request.ts";
import type { RequestContent } from "./request-line.ts";

export interface LinkOptions extends ConnectionOptions {
  readonly factory: LinkFactory;
  /** Of connections, and attempts at them. */
  readonly clock: ClientClock;
  /** Who is silent for so long is given up, with all that was asked. */
  readonly silentMsMax: number;
  readonly random: () => number;
  readonly connectTimeoutMs: number;
  readonly backoff: BackoffBounds;
}

type LinkState =
  | { readonly name: "idle" }
  | { readonly name: "connecting"; readonly abort: AbortController }
  | { readonly name: "connected"; readonly connection: Connection }
  | { readonly name: "backoff"; readonly cancel: Cancel }
  | { readonly name: "closed" };

export class ReconnectingLink {
  readonly #options: LinkOptions;
  #state: LinkState = { name: "idle" };
  #waiting: PendingRequest[] = [];
  /** Failures since a broker last answered. */
  #failures = 0;
  #lastError: MiniKafkaError | null = null;
  #mayConnect = true;
  /** Reported when somebody waits for the state to change: an explicit open. */
  #attempted: (() => void)[] = [];

  constructor(options: LinkOptions) {
    this.#options = options;
  }

  get isConnected(): boolean {
    return this.#state.name === "connected";
  }

  /** Connects now, with at most so many attempts. Fails with what the last one failed with, or with the reason of `signal`. */
  async open(attemptsMax: number, signal?: AbortSignal): Promise<void> {
    const forget = signal === undefined ? () => {} : onAbort(signal, () => this.#giveUpAttempt());
    try {
      for (let attempt = 1; !this.isConnected; attempt += 1) {
        signal?.throwIfAborted();
        this.#assertOpen();
        if (attempt > attemptsMax) throw this.#lastError ?? this.#closedError(false);
        const ended = new Promise<void>((resolve) => this.#attempted.push(resolve));
        if (attempt === 1) this.#connectNow();
        else this.#connectAfterBackoff();
        await ended;
      }
    } finally {
      forget();
    }
  }

  /** The answer's fields. Fails with the broker's error, CONNECTION, TIMEOUT, CLOSED, or the reason of the signal. */
  request(content: RequestContent, options: RequestOptions): Promise<JsonObject> {
    const request = new PendingRequest(content, options.oneWay === true);
    const { signal } = options;
    if (signal?.aborted === true) {
      request.fail(signal.reason);
      return request.promise;
    }
    if (this.#state.name === "closed" || !(this.#mayConnect || this.isConnected)) {
      request.fail(this.#closedError(false));
      return request.promise;
    }
    request.whenSettled(
      this.#options.requestClock.after(options.timeoutMs, () => this.#timedOut(request, options)),
    );
    if (signal !== undefined) request.whenSettled(onAbort(signal, () => request.fail(signal.reason)));
    request.whenSettled(() => {
      if (!request.sent) this.#waiting = this.#waiting.filter((other) => other !== request);
    });
    this.#waiting.push(request);
    this.#pump();
    return request.promise;
  }

  /** From now on a connection that breaks stays broken: what is under way may end, nothing waits for a broker that is gone. */
  stopReconnecting(): void {
    this.#mayConnect = false;
    if (!this.isConnected) this.#failWaiting();
  }

  /**
   * Ends everything. Requests without an answer fail with CLOSED. When it resolves, no socket and no timer is left. `hurried` cuts
   * the wait short for what was written and has not gone out.
   */
  async close(hurried?: AbortSignal): Promise<void> {
    const state = this.#state;
    this.#state = { name: "closed" };
    this.#mayConnect = false;
    this.#failWaiting();
    if (state.name === "connecting") state.abort.abort(this.#closedError(false));
    if (state.name === "backoff") state.cancel();
    if (state.name === "connected") await this.#closeConnection(state.connection, hurried);
    this.#reportAttempt();
  }

  async #closeConnection(connection: Connection, hurried: AbortSignal | undefined): Promise<void> {
    const hurry = new AbortController();
    const cancel = this.#options.clock.after(LIMITS.closeTimeoutMs, () => hurry.abort());
    await hurriedBy(hurried, () => hurry.abort(), connection.close(this.#closedError(true), hurry.signal));
    cancel();
  }

  #pump(): void {
    if (this.#state.name !== "connected") {
      this.#connectAfterBackoff();
      return;
    }
    const { connection } = this.#state;
    while (connection.hasRoom) {
      const request = this.#waiting.shift();
      if (request === undefined) return;
      connection.send(request);
    }
  }

  /** Who asks for it may know that somebody is there again. */
  #connectNow(): void {
    if (this.#state.name === "backoff") {
      this.#state.cancel();
      this.#state = { name: "idle" };
    }
    if (this.#state.name === "idle" && this.#mayConnect) void this.#attempt();
  }

  #connectAfterBackoff(): void {
    if (this.#state.name !== "idle" || !this.#mayConnect) return;
    const delayMs = backoffMs(this.#failures, this.#options.backoff, this.#options.random);
    if (delayMs === 0) {
      void this.#attempt();
      return;
    }
    const cancel = this.#options.clock.after(delayMs, () => {
      this.#state = { name: "idle" };
      if (this.#isWanted) void this.#attempt();
    });
    this.#state = { name: "backoff", cancel };
  }

  /** Never rejects: what it fails with is kept for those who wait. */
  async #attempt(): Promise<void> {
    const abort = new AbortController();
    this.#state = { name: "connecting", abort };
    const { factory, clock, peer, connectTimeoutMs } = this.#options;
    try {
      const { signal } = abort;
      const link = await traced(
        "minikafka:connect",
        () => ({ peer }),
        () => openLink(factory, { peer, clock, timeoutMs: connectTimeoutMs, signal }),
      );
      if (abort.signal.aborted) {
        link.destroy();
        return;
      }
      const connection: Connection = new Connection(link, this.#options, {
        hasRoom: () => this.#pump(),
        closed: (error) => this.#broke(connection, error),
      });
      this.#state = { name: "connected", connection };
      this.#lastError = null;
    } catch (error) {
      if (abort.signal.aborted) return;
      this.#failures += 1;
      this.#lastError = error instanceof MiniKafkaError ? error : unexpected(error);
      this.#state = { name: "idle" };
    }
    this.#reportAttempt();
    if (this.#waiting.length > 0) this.#pump();
  }

  #broke(connection: Connection, error: MiniKafkaError): void {
    this.#failures = connection.hasAnswered ? 1 : this.#failures + 1;
    this.#lastError = error;
    this.#state = { name: "idle" };
    if (!this.#mayConnect) this.#failWaiting();
    else if (this.#waiting.length > 0) this.#pump();
  }

  /** An explicit open was aborted: no request waits for the attempt, or it goes on for those that do. */
  #giveUpAttempt(): void {
    if (this.#waiting.length === 0) {
      if (this.#state.name === "connecting") this.#state.abort.abort(this.#closedError(false));
      if (this.#state.name === "backoff") this.#state.cancel();
      if (this.#state.name !== "connected" && this.#state.name !== "closed") this.#state = { name: "idle" };
    }
    this.#reportAttempt();
  }

  #reportAttempt(): void {
    const reports = this.#attempted;
    this.#attempted = [];
    for (const report of reports) report();
  }

  get #isWanted(): boolean {
    return this.#waiting.length > 0 || this.#attempted.length > 0;
  }

  #failWaiting(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const request of waiting) request.fail(this.#closedError(false));
  }

  #timedOut(request: PendingRequest, { timeoutMs }: RequestOptions): void {
    const { operation } = request.content;
    const { sent } = request;
    const { peer } = this.#options;
    const details = { operation, sent, timeoutMs };
    if (!sent && this.#lastError !== null) {
      const message = `${this.#lastError.message} (${operation} waited ${timeoutMs} ms and was not sent)`;
      request.fail(new MiniKafkaError("CONNECTION", message, { details, cause: this.#lastError }));
      return;
    }
    const effect = sent ? "whether it took effect is unknown" : "it was not sent";
    const error = new MiniKafkaError(
      "TIMEOUT",
      `no answer to ${operation} from ${peer} within ${timeoutMs} ms; ${effect}`,
      {
        details,
      },
    );
    request.fail(error);
    if (!sent || this.#state.name !== "connected") return;
    const { connection } = this.#state;
    // What one call waits for is no measure for the others.
    if (connection.silentMs >= this.#options.silentMsMax)
      connection.fail(silent(peer, connection.silentMs, error));
  }

  #assertOpen(): void {
    if (this.#state.name === "closed" || !this.#mayConnect) throw this.#closedError(false);
  }

  #closedError(sent: boolean): MiniKafkaError {
    return new MiniKafkaError("CLOSED", "the client is closed", { details: { sent } });
  }
}

/** Of a connection that is given up: what is told to all others that waited on it, or wait for the next one. */
function silent(peer: string, silentMs: number, cause: MiniKafkaError): MiniKafkaError {
  const message = `the connection to ${peer} was given up, since nothing came in for ${Math.round(silentMs)} ms`;
  return new MiniKafkaError("TIMEOUT", message, { details: { sent: false }, cause });
}

function unexpected(error: unknown): MiniKafkaError {
  return new MiniKafkaError("CONNECTION", `cannot connect: ${String(error)}`, {
    details: { sent: false },
    cause: error,
  });
}
