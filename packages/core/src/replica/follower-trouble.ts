/**
 * A follower that cannot copy, since its disk is full or its leader's log is damaged, is tried again, but ever more seldom, so that
 * it costs nobody much and the log tells of it once, and then now and again. Pure.
 *
 * Kafka: a fetcher waits for replica.fetch.backoff.ms, one second, each time.
 */

/** The first pause; it doubles with each failure. */
const PAUSE_MS = 500;
const PAUSE_MS_MAX = 60_000;

export interface Trouble {
  /** How many attempts have failed in a row. */
  readonly failures: number;
  readonly retryAtMs: number;
}

/** After one more failure. */
export function afterFailure(trouble: Trouble | null, nowMs: number): Trouble {
  const before = trouble?.failures ?? 0;
  return { failures: before + 1, retryAtMs: nowMs + Math.min(PAUSE_MS * 2 ** before, PAUSE_MS_MAX) };
}

/** The same, to be tried at once: something has happened that may have mended it. */
export function atOnce(trouble: Trouble | null): Trouble | null {
  return trouble === null ? null : { ...trouble, retryAtMs: 0 };
}

/** Whether it is too early for another attempt. A clock that was set back makes nobody wait longer. */
export function isWaiting(trouble: Trouble | null, nowMs: number): boolean {
  if (trouble === null) return false;
  const leftMs = trouble.retryAtMs - nowMs;
  return leftMs > 0 && leftMs <= PAUSE_MS_MAX;
}
