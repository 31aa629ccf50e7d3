/** How a wrong call is refused: at once, with what was expected. */
import { MiniKafkaError } from "@minikafka/client";

export function usage(message: string): MiniKafkaError {
  return new MiniKafkaError("USAGE", message);
}

export function closed(): MiniKafkaError {
  return new MiniKafkaError("CLOSED", "the broker is closed; start another one");
}

/** Throws USAGE for the first name that means nothing here: a misspelt one would otherwise be ignored. */
export function requireOnly(what: string, given: object, known: readonly string[]): void {
  if (typeof given !== "object" || given === null)
    throw usage(`${what} takes an object of ${known.join(", ")}, got ${JSON.stringify(given)}`);
  const stranger = Object.keys(given).find((name) => !known.includes(name));
  if (stranger !== undefined)
    throw usage(`${what} has no ${JSON.stringify(stranger)}; expected ${known.join(", ")}`);
}

/** Throws USAGE unless `value` is an integer within the bounds. */
export function requireInteger(name: string, value: number, min: number, max: number): void {
  if (!Number.isSafeInteger(value) || value < min || value > max)
    throw usage(`${name} is ${String(value)}; expected an integer from ${min} to ${max}`);
}
