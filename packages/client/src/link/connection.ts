/**
 * One link to a broker, for as long as it holds.
 *
 * Owns the link and the requests that were written to it and not answered.
 * Invariants: requests are written in the order of `send`; at most `inFlightRequestsMax` are unanswered; an answer settles
 * the request of its id and no other. Whatever breaks the protocol breaks the link, since nothing after it can be trusted.
 * Never reconnects, and never sends a request twice.
 */
import { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { FrameTooLarge, LineFramer } from "@minikafka/protocol";
import type { ClientClock } from "../clock.ts";
import { MiniKafkaError } from "../errors.ts";
import { LIMITS } from "../limits.ts";
import { type Answer, readAnswer } from "./answer.ts";
import { LineMemory } from "./line-memory.ts";
import type { PendingRequest } from "./pending-request.ts";
import { requestLine } from "./request-line.ts";

export interface ConnectionOptions {
  /** The other end, for messages. */
  readonly peer: string;
  /** Of the timeouts of requests. */
  readonly requestClock: ClientClock;
  readonly frameBytesMax: number;
  readonly answerBytesMax: number;
}

export interface ConnectionListener {
  /** Another request may be sent. */
  hasRoom(): void;
  /** The link is gone; its requests have failed. */
  closed(error: MiniKafkaError): void;
}

export class Connection {
  readonly #link: Duplex;
  readonly #options: ConnectionOptions;
  readonly #listener: ConnectionListener;
  readonly #framer: LineFramer;
  /** Of lines with a batch. A socket has copied what it says is written; another link may hand on the very bytes. */
  readonly #lines: LineMemory | null;
  readonly #unanswered = new Map<number, PendingRequest>();
  #nextId = 1;
  /** When the first request was sent since something came in; `null` where none was. */
  #unheardSinceMs: number | null = null;
  #answered = false;
  #open = true;

  constructor(link: Duplex, options: ConnectionOptions, listener: ConnectionListener) {
    this.#link = link;
    this.#options = options;
    this.#listener = listener;
    this.#framer = new LineFramer(options.answerBytesMax, LIMITS.keptAnswerBytesMax);
    this.#lines = link instanceof Socket ? new LineMemory(LIMITS.keptLineBytesMax) : null;
    link.on("data", (chunk: Buffer) => this.#receive(chunk));
    link.on("drain", () => this.#listener.hasRoom());
    link.on("error", (error) => this.fail(this.#broken(error)));
    link.on("end", () => this.fail(this.#broken(undefined)));
    link.on("close", () => this.fail(this.#broken(undefined)));
  }

  /** Whether one more request may be written now. */
  get hasRoom(): boolean {
    const { writable, writableNeedDrain } = this.#link;
    const isFull = this.#unanswered.size >= LIMITS.inFlightRequestsMax;
    return this.#open && writable && !writableNeedDrain && !isFull;
  }

  /** Whether the broker ever answered on this link: a reason to trust the next one. */
  get hasAnswered(): boolean {
    return this.#answered;
  }

  send(request: PendingRequest): void {
    const id = this.#nextId++;
    const line = this.#lineOf(id, request);
    if (line === null) return;
    request.lineBytes = line.length - 1;
    if (request.lineBytes > this.#options.frameBytesMax) {
      const message = `the request has ${request.lineBytes} bytes; at most ${this.#options.frameBytesMax} are sent`;
      request.fail(new MiniKafkaError("FRAME_TOO_LARGE", message));
      return;
    }
    request.sent = true;
    this.#unheardSinceMs ??= this.#options.requestClock.elapsedMs();
    if (!request.oneWay) this.#unanswered.set(id, request);
    if (this.#lines === null || request.content.bytes === undefined) this.#link.write(line);
    else this.#link.write(line, () => this.#lines?.giveBack(line));
    if (request.oneWay) request.succeed({});
  }

  /** `null`, and the request has failed, where its fields have no JSON: nobody else's fault. */
  #lineOf(id: number, request: PendingRequest): Buffer | null {
    try {
      return requestLine(id, request.content, this.#lines);
    } catch (error) {
      request.fail(error);
      return null;
    }
  }

  /** For how long nothing at all has come in though something was sent: the other end may be gone without a word. */
  get silentMs(): number {
    return this.#unheardSinceMs === null ? 0 : this.#options.requestClock.elapsedMs() - this.#unheardSinceMs;
  }

  /** Gives the link up at once. Requests without an answer fail with `error`, marked as sent. */
  fail(error: MiniKafkaError): void {
    if (!this.#open) return;
    this.#open = false;
    this.#link.destroy();
    this.#failUnanswered(error);
    this.#listener.closed(error);
  }

  /**
   * Ends the link once what was written has gone out (a one-way request has nobody else who waits for it). Requests without
   * an answer fail with `error` now. Resolves when the link is closed; `hurry` cuts the wait short.
   */
  async close(error: MiniKafkaError, hurry: AbortSignal): Promise<void> {
    if (this.#open) {
      this.#open = false;
      this.#failUnanswered(error);
      if (this.#link.writableLength > 0) await this.#writtenOut(hurry);
      this.#link.destroy();
    }
    if (!this.#link.closed) await new Promise<void>((resolve) => this.#link.once("close", resolve));
  }

  #writtenOut(hurry: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        hurry.removeEventListener("abort", done);
        resolve();
      };
      hurry.addEventListener("abort", done);
      this.#link.once("finish", done);
      this.#link.once("close", done);
      this.#link.end();
      if (hurry.aborted) done();
    });
  }

  #failUnanswered(error: MiniKafkaError): void {
    const requests = [...this.#unanswered.values()];
    this.#unanswered.clear();
    const tooLarge = error.code === "FRAME_TOO_LARGE" ? longest(requests) : undefined;
    for (const request of requests) request.fail(this.#verdict(request, request === tooLarge, error));
  }

  /** What a request without an answer is told. Only what surely did not take effect is told so. */
  #verdict(request: PendingRequest, isCulprit: boolean, error: MiniKafkaError): MiniKafkaError {
    if (isCulprit || isTurnedAway(error)) return error;
    const { operation } = request.content;
    const code = ["CLOSED", "INVALID_ANSWER"].includes(error.code) ? error.code : "CONNECTION";
    return new MiniKafkaError(
      code,
      `${error.message} (${operation} was under way: whether it took effect is unknown)`,
      {
        details: { operation, sent: true },
        cause: error,
      },
    );
  }

  #receive(chunk: Buffer): void {
    if (!this.#open) return;
    this.#unheardSinceMs = null;
    try {
      this.#framer.push(chunk);
      for (let line = this.#framer.next(); line !== null && this.#open; line = this.#framer.next()) {
        if (line.length > 0) this.#settle(readAnswer(line));
      }
    } catch (error) {
      if (error instanceof FrameTooLarge)
        this.fail(new MiniKafkaError("INVALID_ANSWER", `an answer was cut off: ${error.message}`));
      else if (error instanceof MiniKafkaError) this.fail(error);
      else throw error;
    }
  }

  #settle({ id, outcome }: Answer): void {
    // Without an id an answer means the connection as a whole: too many, shutting down, a line that was too long.
    if (id === undefined && outcome instanceof MiniKafkaError) {
      this.fail(outcome);
      return;
    }
    const request = typeof id === "number" ? this.#unanswered.get(id) : undefined;
    if (typeof id !== "number" || request === undefined) {
      this.fail(new MiniKafkaError("INVALID_ANSWER", `an answer has id ${id}, which no request waits for`));
      return;
    }
    this.#answered = true;
    this.#unanswered.delete(id);
    if (outcome instanceof MiniKafkaError) request.fail(outcome);
    else request.succeed(outcome);
    this.#listener.hasRoom();
  }

  #broken(cause: Error | undefined): MiniKafkaError {
    const why = cause === undefined ? "was closed by the other end" : `broke: ${cause.message}`;
    return new MiniKafkaError("CONNECTION", `the connection to ${this.#options.peer} ${why}`, {
      details: { sent: false },
      cause,
    });
  }
}

/** Whether the broker let nothing on the connection in: it has too many, or this is its port for Kafka's clients. */
function isTurnedAway({ code, details }: MiniKafkaError): boolean {
  return code === "TOO_MANY_CONNECTIONS" || (code === "INVALID_REQUEST" && "json_address" in details);
}

/** If any line was over the broker's limit, the longest was. */
function longest(requests: readonly PendingRequest[]): PendingRequest | undefined {
  let found: PendingRequest | undefined;
  for (const request of requests) {
    if (found === undefined || request.lineBytes > found.lineBytes) found = request;
  }
  return found;
}
