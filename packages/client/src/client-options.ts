/** Options of a client and of its calls: one that is not known, or that stands beside the address, would be ignored in silence. */
import { shownValue } from "@minikafka/record";
import { camelName } from "./camel-case.ts";
import type { ClientClock } from "./clock.ts";
import type { ConnectTarget } from "./connect-target.ts";
import type { BatchCallOptions, CallOptions, CloseOptions } from "./session.ts";
import { checkedTimeMs, fieldNames, isOptions, requireOptions, requireSignal, usageError } from "./usage.ts";

/** How a client works, whatever it is connected to. */
export interface ClientOptions {
  /**
   * Default: the system's. With a `ManualClock` linger, backoff and timeouts are stepped at the client. With "broker" they go by the
   * broker's stepped clock, from `connect` on; connections, and attempts at them, go by the system's all the same.
   */
  readonly clock?: ClientClock | "broker" | undefined;
  /** 0 up to 1, for jitter and for where keyless records begin. Default: Math.random, with a manual clock always 0. */
  readonly random?: (() => number) | undefined;
  /** How long one attempt to connect may take (default 10000 ms). */
  readonly connectTimeoutMs?: number | undefined;
  /** How long an answer may take beyond the wait that its request asks for (default 30000). Kafka: request.timeout.ms. */
  readonly requestTimeoutMs?: number | undefined;
  /** A longer request is FRAME_TOO_LARGE before it is sent (default 4 MiB, the broker's own default). */
  readonly frameBytesMax?: number | undefined;
  /** A longer answer breaks the link with INVALID_ANSWER (default 32 MiB). */
  readonly answerBytesMax?: number | undefined;
}

/** The same, and how long `connect` tries. */
export interface ConnectOptions extends ClientOptions {
  /** Attempts before `connect` fails (default 1). Later losses of the link are mended without bound, while requests wait. */
  readonly attemptsMax?: number | undefined;
  /** Ends the attempts; `connect` then fails with the signal's reason, and nothing is left of it. */
  readonly signal?: AbortSignal | undefined;
}

const CLIENT_OPTIONS = fieldNames<ConnectOptions>({
  clock: true,
  random: true,
  connectTimeoutMs: true,
  requestTimeoutMs: true,
  frameBytesMax: true,
  answerBytesMax: true,
  attemptsMax: true,
  signal: true,
});

/** Throws USAGE. */
export function requireClientOptions(target: ConnectTarget, options: ConnectOptions): void {
  const misplaced = CLIENT_OPTIONS.find((name) => Object.hasOwn(Object(target), name));
  if (misplaced !== undefined)
    throw usageError(`${misplaced} is no part of the address; expected it in the second argument`);
  requireOptions("the client", options, CLIENT_OPTIONS);
}

/** What every call takes, and every close, beside options of its own. */
const CALL_OPTIONS = fieldNames<CallOptions & CloseOptions>({ timeoutMs: true, signal: true });

const REQUEST_OPTIONS = fieldNames<BatchCallOptions>({
  timeoutMs: true,
  signal: true,
  bytes: true,
  timeoutMsMax: true,
});

/** Throws USAGE for what is neither one of all calls' options nor `own`, and for a time that is none. */
export function requireCallOptions(
  what: string,
  options: CallOptions | CloseOptions,
  own: readonly string[] = [],
): void {
  requireOptions(what, options, [...own, ...CALL_OPTIONS]);
  requireLimits(options);
}

/**
 * What is left of a call's options when it has taken its own. Throws USAGE for any other than these; the refusal has the call's name here, and
 * names what all calls take.
 */
export function requireRequestOptions(operation: string, options: BatchCallOptions): void {
  const isKnown = isOptions(options) && Object.keys(options).every((name) => REQUEST_OPTIONS.includes(name));
  if (!isKnown) requireOptions(`${camelName(operation)}, at the end,`, options, CALL_OPTIONS);
  requireLimits(options);
  const { timeoutMsMax = 0 } = options;
  if (!(timeoutMsMax >= 0))
    throw usageError(`timeoutMsMax is ${shownValue(timeoutMsMax)}; expected a number of at least 0`);
}

function requireLimits({ timeoutMs, signal }: CallOptions): void {
  if (timeoutMs !== undefined) checkedTimeMs("timeoutMs", timeoutMs);
  requireSignal(signal);
}
