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
