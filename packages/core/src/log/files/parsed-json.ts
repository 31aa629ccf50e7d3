/** JSON that was parsed and is not believed yet: each reader returns the value in its type, or throws what it saw. */

/** The fields of an object. */
export function fieldsOf(value: unknown, what: string): ReadonlyMap<string, unknown> {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw mismatch(value, what, "an object");
  return new Map(Object.entries(value));
}

export function listOf(value: unknown, what: string): readonly unknown[] {
  if (!Array.isArray(value)) throw mismatch(value, what, "a list");
  return value;
}

export function textOf(value: unknown, what: string): string {
  if (typeof value !== "string") throw mismatch(value, what, "text");
  return value;
}

/** A whole number from `min` to `max`. */
export function integerOf(value: unknown, what: string, { min, max }: { min: number; max: number }): number {
  if (typeof value === "number" && Number.isSafeInteger(value) && value >= min && value <= max) return value;
  throw mismatch(value, what, `a whole number, ${min} to ${max}`);
}

/** An offset, an id: a whole number from 0. */
export function offsetOf(value: unknown, what: string): number {
  return integerOf(value, what, { min: 0, max: Number.MAX_SAFE_INTEGER });
}

/** What to throw for `value`. Only its kind is shown: its content may be anything. */
export function mismatch(value: unknown, what: string, expected: string): Error {
  const seen = typeof value === "number" ? String(value) : Array.isArray(value) ? "a list" : typeof value;
  return new Error(`${what} is ${value === null ? "null" : seen}, expected ${expected}`);
}
