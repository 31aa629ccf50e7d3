/** Waits that end early: on a clock, by a signal. None leaves a timer or a listener behind. */
import { onAbort } from "./abort.ts";
import type { ClientClock } from "./clock.ts";
import { isRetriable, MiniKafkaError } from "./errors.ts";
import { LIMITS } from "./limits.ts";
import { backoffMs } from "./link/backoff.ts";
import type { CallOptions } from "./session.ts";

/** Resolves after `delayMs`; fails with the signal's reason when it aborts first. */
export function pause(clock: ClientClock, delayMs: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted === true) {
      reject(signal.reason);
      return;
    }
    let forget = () => {};
    const cancel = clock.after(delayMs, () => {
      forget();
      resolve();
    });
    if (signal === undefined) return;
    forget = onAbort(signal, () => {
      cancel();
      forget();
      reject(signal.reason);
    });
  });
}

/** `promise`, or the signal's reason when it aborts first. What `promise` stands for goes on. */
export async function untilAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return promise;
  if (signal.aborted) {
    // Nobody hears of it any more.
    promise.catch(() => {});
    throw signal.reason;
  }
  let forget = () => {};
  const aborted = new Promise<never>((_, reject) => {
    forget = onAbort(signal, () => reject(signal.reason));
  });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    forget();
  }
}

/** Waits for a close, and calls `hurry` when `signal` aborts, which ends the time for it. Never leaves it half done. */
export async function hurriedBy(
  signal: AbortSignal | undefined,
  hurry: () => void,
  closing: Promise<void>,
): Promise<void> {
  if (signal === undefined) return closing;
  const forget = onAbort(signal, hurry);
  if (signal.aborted) hurry();
  try {
    await closing;
  } finally {
    forget();
  }
}

export const RETRY_BACKOFF = { initialMs: LIMITS.retryBackoffMs, maxMs: LIMITS.retryBackoffMsMax } as const;

export interface RetryOptions {
  readonly clock: ClientClock;
  readonly random: () => number;
  /** On the clock's `elapsedMs`: no attempt begins later. */
  readonly deadlineMs: number;
  /** Ends the trying again, not the attempt under way: it fails with what the last attempt failed with. */
  readonly enough: AbortSignal;
}

/** Repeats `attempt` while it fails with a retriable error. Only for what may be done twice without harm. */
export async function retrying<T>(options: RetryOptions, attempt: () => Promise<T>): Promise<T> {
  for (let failures = 1; ; failures += 1) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof MiniKafkaError) || !isRetriable(error)) throw error;
      const delayMs = backoffMs(failures, RETRY_BACKOFF, options.random);
      if (options.clock.elapsedMs() + delayMs > options.deadlineMs) throw error;
      await pause(options.clock, delayMs, options.enough).catch(() => {
        throw error;
      });
    }
  }
}

/** The end of a wait that a caller has set. */
export interface Limit {
  readonly signal: AbortSignal | undefined;
  /** Leaves no timer and no listener behind. */
  end(): void;
}

/** Aborts with the signal's reason, or as the time is over with what `late` makes. */
export function limitOf(
  clock: ClientClock,
  { timeoutMs, signal }: CallOptions,
  late: (timeoutMs: number) => unknown,
): Limit {
  if (timeoutMs === undefined) return { signal, end: () => undefined };
  const over = new AbortController();
  const cancel = clock.after(timeoutMs, () => over.abort(late(timeoutMs)));
  const forget = signal && onAbort(signal, () => over.abort(signal.reason));
  if (signal?.aborted === true) over.abort(signal.reason);
  return {
    signal: over.signal,
    end: () => {
      cancel();
      forget?.();
    },
  };
}
