/** Moments and spans as people read them. JSON keeps the milliseconds. */

/** ISO 8601 in UTC, one word for awk; the number itself where no calendar reaches. */
export function timeText(timeMs: number): string {
  const date = new Date(timeMs);
  return Number.isNaN(date.getTime()) ? String(timeMs) : date.toISOString();
}

/** The same for a cell that may be empty. */
export function timeCell(timeMs: number | null): string | null {
  return timeMs === null ? null : timeText(timeMs);
}

const UNITS = [
  ["d", 24 * 60 * 60 * 1000],
  ["h", 60 * 60 * 1000],
  ["m", 60 * 1000],
] as const;

/** To the millisecond, as `clock advance` takes it: `6d23h58m37.637s`, `7d`, `500ms`. */
export function durationText(durationMs: number): string {
  if (durationMs < 1000) return `${durationMs}ms`;
  let leftMs = durationMs;
  let text = "";
  for (const [unit, unitMs] of UNITS) {
    const count = Math.floor(leftMs / unitMs);
    leftMs -= count * unitMs;
    if (count > 0) text += `${count}${unit}`;
  }
  return leftMs === 0 ? text : `${text}${leftMs / 1000}s`;
}
