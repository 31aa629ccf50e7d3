/**
 * Questions about a fault that are put while it is watched for.
 *
 * A question is put again to whoever answers next, and so outlives the connection that the fault itself has closed; it ends with the watch,
 * so that none waits for a broker that is not there any more.
 */
import type { ClientClock } from "./clock.ts";
import { hasCode } from "./errors.ts";
import type { CallOptions } from "./session.ts";
import { pause, untilAborted } from "./waiting.ts";

/** What no event tells, such as that somebody else has disarmed the fault, is known so late at most. */
export const ASK_AGAIN_MS = 500;

/** The answer to `ask`, which is put again where the connection goes under it; or `null` once `told` has resolved. Rejects as `told` does. */
export async function askedBeside<Answer>(
  told: Promise<unknown>,
  ask: (options: CallOptions) => Promise<Answer>,
  options: CallOptions,
): Promise<Answer | null> {
  const over = new AbortController();
  const signal = options.signal === undefined ? over.signal : AbortSignal.any([options.signal, over.signal]);
  try {
    return await Promise.race([again(ask, { ...options, signal }), told.then(() => null)]);
  } finally {
    over.abort();
  }
}

/** Resolves when it is time to ask once more: `told` has resolved, or enough time is over. Rejects as `told` does, or with the signal's reason. */
export async function untilAskedAgain(
  clock: ClientClock,
  told: Promise<unknown>,
  signal: AbortSignal | undefined,
): Promise<void> {
  const over = new AbortController();
  try {
    await untilAborted(Promise.race([told, pause(clock, ASK_AGAIN_MS, over.signal)]), signal);
  } finally {
    over.abort();
  }
}

async function again<Answer>(
  ask: (options: CallOptions) => Promise<Answer>,
  options: CallOptions,
): Promise<Answer> {
  for (;;) {
    try {
      return await ask(options);
    } catch (error) {
      if (!hasCode(error, "CONNECTION") || error.details.sent !== true) throw error;
    }
  }
}
