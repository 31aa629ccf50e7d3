/** Checks of what a caller hands over: a wrong call fails with USAGE at the call, not with a puzzle later. */
import { MiniKafkaError } from "./errors.ts";

export function usageError(message: string): MiniKafkaError {
  return new MiniKafkaError("USAGE", message);
}

/** `value` when it is an integer within the bounds, else a USAGE error that names it. */
export function checkedInteger(
  name: string,
  value: number,
  min: number,
  max = Number.MAX_SAFE_INTEGER,
): number {
  if (Number.isSafeInteger(value) && value >= min && value <= max) return value;
  const range = max === Number.MAX_SAFE_INTEGER ? `of at least ${min}` : `from ${min} to ${max}`;
  throw usageError(`${name} is ${String(value)}; expected an integer ${range}`);
}

/** Throws a USAGE error that names the first option with no meaning here: a misspelt one would otherwise be ignored. */
export function requireKnown(what: string, given: object, known: readonly string[]): void {
  const stranger = Object.keys(given).find((name) => !known.includes(name));
  if (stranger === undefined) return;
  throw usageError(`${what} has no ${JSON.stringify(stranger)}; expected ${known.join(", ")}`);
}
