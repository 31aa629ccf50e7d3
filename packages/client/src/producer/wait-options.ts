export interface WaitOptions {
  /** Ends the wait, not what is waited for. */
  readonly signal?: AbortSignal | undefined;
}
