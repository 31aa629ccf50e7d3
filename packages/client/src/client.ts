/**
 * A client of one broker: typed calls over a link that comes back, and the producers and consumers that share it.
 *
 * Owns the link and whatever was made from it. When `close` resolves, none of it has a socket or a timer left.
 */
import type {
  JsonObject,
  OperationName,
  ParsedResponse,
  RequestFields,
  WatchedEvent,
} from "@minikafka/protocol";
import { showAddress } from "./address.ts";
import { Admin } from "./admin.ts";
import { BrokerClock, clockOfConnections } from "./broker-clock.ts";
import {
  type ClientOptions,
  type ConnectOptions,
  requireCallOptions,
  requireClientOptions,
  requireRequestOptions,
} from "./client-options.ts";
import { type ClientClock, systemClock } from "./clock.ts";
import { ClockFollower } from "./clock-follower.ts";
import { type ConnectTarget, checkedTarget } from "./connect-target.ts";
import { Consumer } from "./consumer/consumer.ts";
import type { ConsumerOptions } from "./consumer/consumer-options.ts";
import { traced } from "./diagnostics.ts";
import { MiniKafkaError } from "./errors.ts";
import { EventStream } from "./event-stream.ts";
import { Faults } from "./faults.ts";
import { LIMITS } from "./limits.ts";
import { type LinkFactory, openLink, tcpLink, tcpLinkOfPassingChunks } from "./link/link-factory.ts";
import type { RequestOptions } from "./link/pending-request.ts";
import { type LinkOptions, ReconnectingLink } from "./link/reconnecting-link.ts";
import type { RequestContent } from "./link/request-line.ts";
import { askedWaitMs, asText, parseAnswer } from "./operation-answer.ts";
import type { Payload } from "./producer/produced-record.ts";
import { Producer } from "./producer/producer.ts";
import type { ProducerOptions } from "./producer/producer-options.ts";
import type { BatchCallOptions, CallOptions, Closable, CloseOptions, Session } from "./session.ts";
import { Snapshots } from "./snapshots.ts";
import { Stepper } from "./stepper.ts";
import { checkedInteger, checkedTimeMs, requireOptions, usageError } from "./usage.ts";
import { hurriedBy } from "./waiting.ts";

/** Connects to a broker. Fails with CONNECTION when nobody answers there, and with USAGE for what cannot be meant. */
export async function connect(target?: ConnectTarget, options?: ConnectOptions): Promise<Client>;
/** Connects to the broker at "host:port". */
export async function connect(broker: string, options?: ConnectOptions): Promise<Client>;
// Not a part of ConnectTarget: text has a `link` of its own, which would spoil the types of the others.
export async function connect(
  target: ConnectTarget | string = {},
  options: ConnectOptions = {},
): Promise<Client> {
  const client = new Client(typeof target === "string" ? { broker: target } : target, options);
  try {
    const { attemptsMax, signal } = options;
    await client.open({ attemptsMax, signal });
  } catch (error) {
    await client.close();
    throw error;
  }
  return client;
}

/** One broker, over one link that comes back. Made by `connect`; all that was made from it is closed with it. */
export class Client implements Session, AsyncDisposable {
  readonly clock: ClientClock;
  readonly random: () => number;
  readonly frameBytesMax: number;
  readonly requestTimeoutMs: number;
  readonly #linkOptions: LinkOptions;
  readonly #link: ReconnectingLink;
  readonly #parts = new Set<Closable>();
  #follower: ClockFollower | null = null;
  /** Aborted when the time for the close is over. */
  readonly #hurry = new AbortController();
  #closing: Promise<void> | null = null;

  /** Connects at its first call; `connect` does so at once. Throws USAGE for an address or option that can't be meant. */
  constructor(target: ConnectTarget = {}, options: ClientOptions = {}) {
    requireClientOptions(target, options);
    const { factory, requestFactory, peer } = linkTo(target);
    this.clock = options.clock === "broker" ? new BrokerClock() : (options.clock ?? systemClock);
    this.random = options.random ?? (this.clock.mode === "manual" ? () => 0 : Math.random);
    const { requestTimeoutMs, connectTimeoutMs, frameBytesMax, answerBytesMax } = options;
    this.requestTimeoutMs = checkedTimeMs("requestTimeoutMs", requestTimeoutMs ?? LIMITS.requestTimeoutMs, 1);
    this.frameBytesMax = checkedInteger(
      "frameBytesMax",
      frameBytesMax ?? LIMITS.frameBytesMax,
      FRAME_BYTES_MIN,
    );
    this.#linkOptions = {
      factory,
      peer,
      clock: clockOfConnections(this.clock),
      requestClock: this.clock,
      silentMsMax: this.requestTimeoutMs,
      random: this.random,
      connectTimeoutMs: checkedTimeMs("connectTimeoutMs", connectTimeoutMs ?? LIMITS.connectTimeoutMs, 1),
      backoff: { initialMs: LIMITS.reconnectBackoffMs, maxMs: LIMITS.reconnectBackoffMsMax },
      frameBytesMax: this.frameBytesMax,
      answerBytesMax: checkedInteger(
        "answerBytesMax",
        answerBytesMax ?? LIMITS.answerBytesMax,
        FRAME_BYTES_MIN,
      ),
    };
    this.#link = new ReconnectingLink({ ...this.#linkOptions, factory: requestFactory });
  }

  /** Whether the link stands now. Without it a request connects again. */
  get isConnected(): boolean {
    return this.#link.isConnected;
  }

  /** Connects now, whatever wait for the next attempt is under way; attempts after the first wait. Fails with CONNECTION after `attemptsMax` attempts (default 1), or with the signal's reason. */
  async open(options: Pick<ConnectOptions, "attemptsMax" | "signal"> = {}): Promise<void> {
    requireOptions("open", options, ["attemptsMax", "signal"]);
    options.signal?.throwIfAborted();
    await this.#link.open(checkedInteger("attemptsMax", options.attemptsMax ?? 1, 1), options.signal);
    if (!(this.clock instanceof BrokerClock)) return;
    this.#follower ??= new ClockFollower(this, this.clock);
    await this.#follower.start();
  }

  /**
   * One request of the protocol. Fails with the broker's error; with CONNECTION or TIMEOUT, whose details say whether it was
   * `sent` (its effect then being unknown); with CLOSED; or with INVALID_ANSWER.
   */
  async call<Name extends OperationName>(
    name: Name,
    fields: RequestFields<Name>,
    options: BatchCallOptions = {},
  ): Promise<ParsedResponse<Name>> {
    const answer = await this.#request(name, fields, options, false);
    return parseAnswer(name, answer);
  }

  /** A request that gets no answer: resolves when the link has taken it, and nothing more is ever known. */
  async callOneWay<Name extends OperationName>(
    name: Name,
    fields: RequestFields<Name>,
    options: BatchCallOptions = {},
  ): Promise<void> {
    await this.#request(name, fields, options, true);
  }

  /** Any request, as it is, also one that this SDK does not know. Resolves with all of the answer's fields. */
  async raw(operation: string, fields: JsonObject = {}, options: CallOptions = {}): Promise<JsonObject> {
    refuseWatch(operation);
    requireCallOptions(operation, options);
    const { timeoutMs = this.requestTimeoutMs, signal } = options;
    const answer = await this.#send({ operation, fields }, { timeoutMs, signal });
    return asText(answer);
  }

  /** Events of the cluster over a connection of their own, each as `shape` makes it; `stepper().events()` is what to call. */
  watch<Event>(
    fields: RequestFields<"watch">,
    shape: (event: WatchedEvent) => Event,
    signal?: AbortSignal,
  ): EventStream<Event> {
    if (this.#closing !== null) throw new MiniKafkaError("CLOSED", "the client is closed");
    const { factory, peer, connectTimeoutMs, clock, answerBytesMax } = this.#linkOptions;
    const open = (enough: AbortSignal) =>
      openLink(factory, { peer, clock, timeoutMs: connectTimeoutMs, signal: enough });
    return new EventStream(
      { peer, clock, answerBytesMax, openLink: open, own: (part) => this.own(part) },
      { fields, shape, timeoutMs: this.requestTimeoutMs, signal },
    );
  }

  /** Throws USAGE for options that don't fit together. Closed with the client. */
  producer<K = Payload, V = Payload>(options?: ProducerOptions<K, V>): Producer<K, V> {
    return new Producer(this, options);
  }

  /** Throws USAGE for options that don't fit together. Closed with the client. */
  consumer<K = Buffer, V = Buffer>(options?: ConsumerOptions<K, V>): Consumer<K, V> {
    return new Consumer(this, options);
  }

  /** Topics, groups, offsets, transactions, brokers. */
  admin(): Admin {
    return new Admin(this);
  }

  /** The broker's clock and its background work, step by step; and the events of the cluster. */
  stepper(): Stepper {
    return new Stepper(this);
  }

  /** Faults that are armed on purpose. */
  faults(): Faults {
    return new Faults(this);
  }

  /** States of the cluster to be gone back to. */
  snapshots(): Snapshots {
    return new Snapshots(this);
  }

  /** Closes `part` when the client closes. Returns how to be forgotten. */
  own(part: Closable): () => void {
    this.#parts.add(part);
    return () => this.#parts.delete(part);
  }

  /**
   * Closes producers (which send what they hold, if the link stands), consumers and the link. Fails with the first failure of
   * a record that was still to be delivered; also then everything is released. An abort of `signal` ends the time for it.
   */
  async close(options: CloseOptions = {}): Promise<void> {
    requireCallOptions("close", options);
    this.#closing ??= this.#close(options.timeoutMs);
    await hurriedBy(options.signal, () => this.#hurry.abort(), this.#closing);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #close(timeoutMs: number | undefined): Promise<void> {
    this.#link.stopReconnecting();
    const options = { timeoutMs, signal: this.#hurry.signal };
    const closed = await Promise.allSettled([...this.#parts].map((part) => part.close(options)));
    await this.#link.close(this.#hurry.signal);
    const failed = closed.find((result) => result.status === "rejected");
    if (failed !== undefined) throw failed.reason;
  }

  #request(
    name: OperationName,
    fields: object,
    options: BatchCallOptions,
    oneWay: boolean,
  ): Promise<JsonObject> {
    refuseWatch(name);
    requireRequestOptions(name, options);
    const { bytes, signal, timeoutMsMax = LIMITS.timeoutMsMax } = options;
    const asked = options.timeoutMs ?? this.requestTimeoutMs + askedWaitMs(name, fields);
    // What is left of a larger wait is a fraction; nobody reads six decimals of a millisecond.
    const timeoutMs = Math.ceil(Math.min(asked, timeoutMsMax, LIMITS.timeoutMsMax));
    return this.#send({ operation: name, fields, bytes }, { timeoutMs, signal, oneWay });
  }

  #send(content: RequestContent, options: RequestOptions): Promise<JsonObject> {
    const { operation, fields } = content;
    const { timeoutMs, oneWay = false } = options;
    const { peer } = this.#linkOptions;
    return traced(
      "minikafka:request",
      () => ({ peer, operation, fields, oneWay, timeoutMs }),
      () => this.#link.request(content, options),
    );
  }
}

/** Events among the answers would break the link. */
function refuseWatch(operation: string): void {
  if (operation === "watch") throw usageError("watch needs a connection of its own; use stepper().events()");
}

/** Any request without a batch fits. */
const FRAME_BYTES_MIN = 8 * 1024;

interface Links {
  readonly factory: LinkFactory;
  /** For requests and their answers; an iteration over chunks needs the other. */
  readonly requestFactory: LinkFactory;
  readonly peer: string;
}

function linkTo(target: ConnectTarget): Links {
  const place = checkedTarget(target);
  if (typeof place === "function")
    return { factory: place, requestFactory: place, peer: "the broker in this process" };
  return { factory: tcpLink(place), requestFactory: tcpLinkOfPassingChunks(place), peer: showAddress(place) };
}
