/**
 * What happens in the cluster, one event after another, over a connection of its own.
 *
 * Owns that connection. Reads no further ahead than the link's own buffers: who iterates slowly makes the broker drop
 * events, which it then counts in one of kind `events_dropped`.
 * Invariant: there is no silent gap. A connection that is lost ends the iteration with an error.
 * Never reconnects, since what happened meanwhile could not be told.
 *
 *   new --open, or the first next--> opening --answered--> open --close, return, an error--> over
 */
import type { Duplex } from "node:stream";
import {
  eventLine,
  FrameTooLarge,
  InvalidJson,
  type JsonObject,
  LineFramer,
  parseJsonObject,
  type RequestFields,
  type WatchedEvent,
} from "@minikafka/protocol";
import { onAbort } from "./abort.ts";
import type { ClientClock } from "./clock.ts";
import { MiniKafkaError } from "./errors.ts";
import { readAnswer } from "./link/answer.ts";
import { requestLine } from "./link/request-line.ts";

/** What a client lends to its streams. */
export interface EventStreamHost {
  readonly peer: string;
  readonly clock: ClientClock;
  readonly answerBytesMax: number;
  openLink(signal: AbortSignal): Promise<Duplex>;
  /** Closes `part` when the client closes. Returns how to be forgotten. */
  own(part: { close(): Promise<void> }): () => void;
}

export interface EventStreamOptions<Event> {
  readonly fields: RequestFields<"watch">;
  /** From the wire's event to the caller's. */
  readonly shape: (event: WatchedEvent) => Event;
  /** For the answer to the watch; there is none for events, which may take as long as they like. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
}

const OVER = { done: true, value: undefined } as const;

/** Events of the cluster, one after another: `for await`, or `next` by hand. Made by `stepper.events()`. */
export class EventStream<Event> implements AsyncIterableIterator<Event>, AsyncDisposable {
  readonly #host: EventStreamHost;
  readonly #options: EventStreamOptions<Event>;
  readonly #framer: LineFramer;
  readonly #disown: () => void;
  readonly #giveUp = new AbortController();
  #forgetSignal = (): void => {};
  #link: Duplex | null = null;
  #chunks: AsyncIterator<Buffer> | null = null;
  #opening: Promise<void> | null = null;
  #lastTurn: Promise<unknown> = Promise.resolve();
  #lastNumber = 0;
  #absentTopics: readonly string[] = [];
  #isClosed = false;
  #isOver = false;
  /** What ended it from outside, if anything did. */
  #cause: { readonly error: unknown } | null = null;

  /** Made by `Stepper.events`. */
  constructor(host: EventStreamHost, options: EventStreamOptions<Event>) {
    this.#host = host;
    this.#options = options;
    this.#framer = new LineFramer(host.answerBytesMax);
    this.#disown = host.own(this);
    const { signal } = options;
    if (signal === undefined) return;
    this.#forgetSignal = onAbort(signal, () => this.#fail(signal.reason));
    if (signal.aborted) this.#fail(signal.reason);
  }

  /**
   * Resolves when the broker watches: whatever happens after that is told. The first `next` does this as well. Fails with
   * CONNECTION, TIMEOUT, CLOSED, the signal's reason, or the broker's refusal.
   */
  open(): Promise<void> {
    this.#opening ??= this.#open();
    return this.#opening;
  }

  /** Once it is open: those of its topics that were not there then. Their events are told once they are. */
  get absentTopics(): readonly string[] {
    return this.#absentTopics;
  }

  /** The next event. Fails once with what ended the stream, unless that was `close`, `return` or the client's end. */
  next(): Promise<IteratorResult<Event, undefined>> {
    const turn = this.#lastTurn.then(() => this.#next());
    this.#lastTurn = turn.catch(() => undefined);
    return turn;
  }

  /** For `break`: closes. */
  async return(): Promise<IteratorResult<Event, undefined>> {
    await this.close();
    return OVER;
  }

  /** Ends the watch; an iteration under way ends without an error. No socket is left when it resolves. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#giveUp.abort(this.#closedError());
    await this.#end();
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #open(): Promise<void> {
    try {
      if (this.#isOver) throw this.#closedError();
      this.#link = await this.#host.openLink(this.#giveUp.signal);
      // The iteration over its chunks tells.
      this.#link.on("error", () => undefined);
      this.#chunks = this.#link[Symbol.asyncIterator]();
      this.#link.write(requestLine(1, { operation: "watch", fields: this.#options.fields }));
      const { outcome } = readAnswer(await this.#answerLine());
      if (outcome instanceof MiniKafkaError) throw outcome;
      const { absent_topics: absent } = outcome;
      if (Array.isArray(absent)) this.#absentTopics = absent.map(String);
    } catch (error) {
      await this.#end();
      throw this.#verdict(error);
    }
  }

  async #answerLine(): Promise<Buffer> {
    const { timeoutMs } = this.#options;
    const message = `no answer to watch from ${this.#host.peer} within ${timeoutMs} ms`;
    const cancel = this.#host.clock.after(timeoutMs, () =>
      this.#fail(new MiniKafkaError("TIMEOUT", message, { details: { operation: "watch", timeoutMs } })),
    );
    try {
      return await this.#nextLine();
    } finally {
      cancel();
    }
  }

  async #next(): Promise<IteratorResult<Event, undefined>> {
    if (this.#isOver && this.#cause === null) return OVER;
    try {
      if (this.#cause !== null) throw this.#cause.error;
      await this.open();
      const event = readEvent(await this.#nextLine());
      this.#lastNumber = event.number;
      return { done: false, value: this.#options.shape(event) };
    } catch (error) {
      await this.#end();
      if (this.#isClosed) return OVER;
      const verdict = this.#verdict(error);
      this.#cause = null;
      throw verdict;
    }
  }

  async #nextLine(): Promise<Buffer> {
    for (;;) {
      const line = this.#framer.next();
      if (line === null) {
        const chunk = await this.#chunks?.next();
        if (chunk === undefined || chunk.done === true) throw new Error("it was closed by the other end");
        this.#framer.push(chunk.value);
      } else if (line.length > 0) return line;
    }
  }

  #fail(error: unknown): void {
    this.#cause ??= { error };
    this.#giveUp.abort(error);
    void this.#end();
  }

  #verdict(error: unknown): unknown {
    if (this.#cause !== null) return this.#cause.error;
    if (this.#isClosed) return this.#closedError();
    if (error instanceof MiniKafkaError) return error;
    if (error instanceof FrameTooLarge)
      return new MiniKafkaError("INVALID_ANSWER", `an event was cut off: ${error.message}`);
    const why = error instanceof Error ? error.message : String(error);
    const lastNumber = this.#lastNumber;
    const message = `the connection to ${this.#host.peer} is lost: ${why}; what happened after event ${lastNumber} is not known`;
    return new MiniKafkaError("CONNECTION", message, { details: { lastNumber, sent: true }, cause: error });
  }

  #closedError(): MiniKafkaError {
    return new MiniKafkaError("CLOSED", "the stream of events is closed");
  }

  async #end(): Promise<void> {
    this.#isOver = true;
    this.#disown();
    this.#forgetSignal();
    const link = this.#link;
    link?.destroy();
    if (link?.closed === false) await new Promise((resolve) => link.once("close", resolve));
  }
}

/** Throws what the broker says in place of an event, or INVALID_ANSWER. */
function readEvent(line: Buffer): WatchedEvent {
  const parsed = eventLine.safeParse(fieldsOf(line));
  if (parsed.success) return parsed.data.event;
  const { outcome } = readAnswer(line);
  if (outcome instanceof MiniKafkaError) throw outcome;
  throw new MiniKafkaError("INVALID_ANSWER", "what came is an answer and not an event");
}

function fieldsOf(line: Buffer): JsonObject {
  try {
    return parseJsonObject(line);
  } catch (error) {
    if (!(error instanceof InvalidJson)) throw error;
    throw new MiniKafkaError("INVALID_ANSWER", `an event: ${error.message}`);
  }
}
