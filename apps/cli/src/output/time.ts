/** Moments as people read them. JSON keeps the milliseconds. */

/** ISO 8601 in UTC, one word for awk; the number itself where no calendar reaches. */
export function timeText(timeMs: number): string {
  const date = new Date(timeMs);
  return Number.isNaN(date.getTime()) ? String(timeMs) : date.toISOString();
}

/** The same for a cell that may be empty. */
export function timeCell(timeMs: number | null): string | null {
  return timeMs === null ? null : timeText(timeMs);
}
