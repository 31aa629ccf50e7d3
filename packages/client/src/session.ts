/**
 * What Producer, Consumer, Admin and Stepper need of a client: typed calls, the clock, and somebody who closes them. The
 * Client is one; that they know only this keeps them free of links and addresses.
 */
import type { OperationName, ParsedResponse, RequestFields, WatchedEvent } from "@minikafka/protocol";
import type { ClientClock } from "./clock.ts";
import type { EventStream } from "./event-stream.ts";
import type { BytesField } from "./link/request-line.ts";

/** Options of a call that is one request, or several. */
export interface CallOptions {
  /**
   * How long the call may take, a wait for a connection included: 0 to 2147483647, what a timer can hold. Default: requestTimeoutMs and the
   * wait that the request itself asks for.
   */
  readonly timeoutMs?: number | undefined;
  /**
   * Ends the wait; the call then fails with the signal's reason. A request that has gone out takes effect all the same, as far as the
   * broker grants it; one that still waited for a connection is never sent, and with a signal that has aborted before none is. What
   * takes several requests (`describeTopic`, `groupLag`, `abortTransaction`) sends no more of them.
   */
  readonly signal?: AbortSignal | undefined;
}

/** The fast lane: a batch goes beside the JSON fields. */
export interface BatchCallOptions extends CallOptions {
  readonly bytes?: BytesField | undefined;
  /** Shortens the default of `timeoutMs`, never lengthens it. */
  readonly timeoutMsMax?: number | undefined;
}

/** Something with a life of its own that ends with its client. */
export interface Closable {
  close(options?: CloseOptions): Promise<void>;
}

/** How long a close may take. */
export interface CloseOptions {
  /** How long what is under way may take (default 5000 ms, at most 2147483647); the rest fails with CLOSED. */
  readonly timeoutMs?: number | undefined;
  /**
   * Its abort ends that time at once. A close always comes to its end, with everything released: it fails with what was lost by
   * the hurry, never with the signal's reason.
   */
  readonly signal?: AbortSignal | undefined;
}

/** What producers, consumers and the others need of a client. */
export interface Session {
  readonly clock: ClientClock;
  /** 0 up to 1, for jitter and for where keyless records begin. */
  readonly random: () => number;
  readonly frameBytesMax: number;
  readonly requestTimeoutMs: number;
  call<Name extends OperationName>(
    name: Name,
    fields: RequestFields<Name>,
    options?: BatchCallOptions,
  ): Promise<ParsedResponse<Name>>;
  /** For requests that get no answer: resolves when the link has taken it. */
  callOneWay<Name extends OperationName>(
    name: Name,
    fields: RequestFields<Name>,
    options?: BatchCallOptions,
  ): Promise<void>;
  /** A watch over a connection of its own, each event as `shape` makes it of the wire's. */
  watch<Event>(
    fields: RequestFields<"watch">,
    shape: (event: WatchedEvent) => Event,
    signal?: AbortSignal,
  ): EventStream<Event>;
  /** Closes `part` when the session closes. Returns how to be forgotten. */
  own(part: Closable): () => void;
}
