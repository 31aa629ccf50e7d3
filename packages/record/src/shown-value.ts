/** A value that a caller has handed over, as a message shows it. */

/** As JSON, which has neither NaN nor bigints and no end for what holds itself: those are shown all the same. Never throws. */
export function shownValue(value: unknown): string {
  if (typeof value === "function") return "a function";
  if (typeof value !== "object" && typeof value !== "string") return String(value);
  try {
    return JSON.stringify(value, (_name, inner: unknown) => (hasJson(inner) ? inner : String(inner)));
  } catch {
    return Array.isArray(value) ? "an array" : "an object";
  }
}

function hasJson(value: unknown): boolean {
  return typeof value !== "bigint" && (typeof value !== "number" || Number.isFinite(value));
}
