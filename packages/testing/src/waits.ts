/**
 * Waits for what a broker is about to do. Each looks when the kernel says that something happened, and never in between.
 *
 * Owns who waits, with a timer for each.
 * Invariant: a wait that is over, however it ended, has no timer and no listener left.
 */
import { hasCode, type MiniKafkaError, systemClock } from "@minikafka/client";
import { BrokerError } from "@minikafka/core";
import { shownValue } from "@minikafka/record";
import { requireSignal, usage } from "./usage.ts";

/** How long a wait takes at most. */
export interface WaitLimits {
  /** In real time. Default: `waitTimeoutMs` of startBroker. */
  readonly timeoutMs?: number | undefined;
  /** Ends the wait with its reason. */
  readonly signal?: AbortSignal | undefined;
}

export const WAIT_OPTIONS = ["timeoutMs", "signal"] as const;

/** The time of a wait is over, and what it waited for has not come. */
export class WaitTimedOut extends Error {
  override readonly name = "WaitTimedOut";
  /** For programs. */
  readonly code = "WAIT_TIMED_OUT";
  /** What was there in the end. */
  readonly seen: unknown;

  constructor(message: string, seen: unknown) {
    super(message);
    this.seen = seen;
  }
}

export interface Wish<Seen> {
  /** For the message, after "waited 4000 ms for". */
  readonly what: string;
  /** A cheap look: false where nothing is to be looked at closer yet. */
  readonly mayBeMet?: () => boolean;
  /** What there is now. What the broker refuses may be there a moment later, and is waited for; so is one that has crashed. */
  readonly look: () => Seen;
  /** In words; `null` when nothing is. */
  readonly missing: (seen: Seen) => string | null;
}

/** Taken now: a test may put timers of its own in the place of the system's. */
const aTurnLater = setImmediate;
/** What a timer can hold. */
const TIMEOUT_MS_MAX = 2 ** 31 - 1;
export const TIMEOUT_EXPECTED = `an integer from 0 to ${TIMEOUT_MS_MAX}`;

export function isTimeoutMs(value: unknown): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0 && value <= TIMEOUT_MS_MAX;
}

interface Wait {
  readonly check: () => unknown;
  readonly fail: (problem: unknown) => void;
}

export class Waits {
  readonly #timeoutMs: number;
  readonly #waits = new Set<Wait>();
  #isDue = false;

  /** `timeoutMs`: of who does not say it. */
  constructor(timeoutMs: number) {
    this.#timeoutMs = timeoutMs;
  }

  /** Something has happened: whoever waits looks once the kernel is done with it, and with what comes at the same time. */
  readonly heard = (): void => {
    if (this.#isDue || this.#waits.size === 0) return;
    this.#isDue = true;
    aTurnLater(() => {
      this.#isDue = false;
      for (const wait of [...this.#waits]) wait.check();
    });
  };

  /** Each with an error of its own, which says where it has waited. */
  endAll(problem: () => MiniKafkaError): void {
    for (const wait of [...this.#waits]) wait.fail(problem());
  }

  /** Resolves with what was seen when nothing was missing. Rejects with {@link WaitTimedOut}, USAGE, or the signal's reason. */
  until<Seen>(wish: Wish<Seen>, limits: WaitLimits = {}): Promise<Seen> {
    const { timeoutMs = this.#timeoutMs, signal } = limits;
    return new Promise((resolve, reject) => {
      if (!isTimeoutMs(timeoutMs))
        throw usage(`timeoutMs is ${shownValue(timeoutMs)}; expected ${TIMEOUT_EXPECTED}`);
      requireSignal(signal);
      signal?.throwIfAborted();
      let last = lookOnce(wish);
      if (last.missing === null) {
        resolve(last.seen as Seen);
        return;
      }
      const end = () => {
        this.#waits.delete(wait);
        cancel();
        signal?.removeEventListener("abort", aborted);
      };
      const fail = (problem: unknown) => {
        end();
        reject(problem);
      };
      const look = () => {
        try {
          last = lookOnce(wish);
          if (last.missing !== null) return;
          end();
          resolve(last.seen as Seen);
        } catch (problem) {
          fail(problem);
        }
      };
      const wait: Wait = { check: () => mayBeMet(wish) && look(), fail };
      const aborted = () => fail(signal?.reason);
      const cancel = systemClock.after(timeoutMs, () => {
        look();
        if (this.#waits.has(wait)) fail(timedOut(wish, timeoutMs, last));
      });
      signal?.addEventListener("abort", aborted);
      this.#waits.add(wait);
    });
  }
}

interface Look<Seen> {
  /** `null` where the broker refused. */
  readonly seen: Seen | null;
  readonly missing: string | null;
}

function mayBeMet<Seen>(wish: Wish<Seen>): boolean {
  try {
    return wish.mayBeMet?.() !== false;
  } catch {
    // The look itself is refused with the same, and its refusal is told.
    return true;
  }
}

function lookOnce<Seen>({ look, missing }: Wish<Seen>): Look<Seen> {
  try {
    const seen = look();
    return { seen, missing: missing(seen) };
  } catch (problem) {
    const isRefused = problem instanceof BrokerError;
    if (!isRefused && !hasCode(problem, "CRASHED")) throw problem;
    return { seen: null, missing: `${problem.code}: ${problem.message}` };
  }
}

function timedOut<Seen>(
  { what }: Wish<Seen>,
  timeoutMs: number,
  { missing, seen }: Look<Seen>,
): WaitTimedOut {
  return new WaitTimedOut(`waited ${timeoutMs} ms for ${what}: ${missing}`, seen);
}
