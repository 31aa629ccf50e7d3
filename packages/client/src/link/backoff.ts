/** How long to wait before trying again. Pure: the clock and the dice are the caller's. */

export interface BackoffBounds {
  readonly initialMs: number;
  readonly maxMs: number;
}

/**
 * The wait after `failures` failures in a row: doubled each time up to a bound, then shortened by up to half, so that many
 * clients of one broker don't come back at the same moment. `random` gives 0 up to 1.
 */
export function backoffMs(failures: number, bounds: BackoffBounds, random: () => number): number {
  if (failures <= 0) return 0;
  const fullMs = Math.min(bounds.maxMs, bounds.initialMs * 2 ** Math.min(failures - 1, 30));
  return Math.round(fullMs * (1 - random() / 2));
}
