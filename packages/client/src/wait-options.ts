/**
 * What an abort means, the same for every call: the caller waits no longer, and the call fails with the signal's reason. What was
 * begun goes on, since nobody can call it back; what was not begun, a signal having aborted before, never is.
 */
import { fieldNames, requireOptions } from "./usage.ts";
import { untilAborted } from "./waiting.ts";

/** Options of a call whose caller may stop waiting. */
export interface WaitOptions {
  /**
   * Ends the wait, which then fails with the signal's reason, and undoes nothing: what the call has begun goes on. One that has
   * aborted before the call lets nothing begin.
   */
  readonly signal?: AbortSignal | undefined;
}

const WAIT_OPTIONS = fieldNames<WaitOptions>({ signal: true });

/** Throws USAGE. */
export function requireWaitOptions(what: string, options: unknown): void {
  requireOptions(what, options, WAIT_OPTIONS);
}

/** Begins `work`, unless the signal has aborted before, and waits for it until the signal does. Fails with USAGE for other options. */
export async function waitingFor<T>(what: string, options: WaitOptions, work: () => Promise<T>): Promise<T> {
  requireWaitOptions(what, options);
  options.signal?.throwIfAborted();
  return untilAborted(work(), options.signal);
}
