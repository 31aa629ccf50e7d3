import { fieldNames, requireOptions } from "../usage.ts";

export interface WaitOptions {
  /** Ends the wait, not what is waited for. */
  readonly signal?: AbortSignal | undefined;
}

const WAIT_OPTIONS = fieldNames<WaitOptions>({ signal: true });

/** Throws USAGE. */
export function requireWaitOptions(what: string, options: unknown): void {
  requireOptions(what, options, WAIT_OPTIONS);
}
