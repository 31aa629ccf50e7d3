/** How a wrong call is refused: at once, with what was expected. */
import { MiniKafkaError } from "@minikafka/client";
import { isUnawaited, shownValue } from "@minikafka/record";

export function usage(message: string): MiniKafkaError {
  return new MiniKafkaError("USAGE", message);
}

export function closed(): MiniKafkaError {
  return new MiniKafkaError("CLOSED", "the broker is closed; start another one");
}

/** Of what waits for a fault: `how` its broker was ended. */
export function faultsForgotten(how: "restarted" | "reset"): MiniKafkaError {
  return new MiniKafkaError(
    "CLOSED",
    `the broker was ${how}, which has forgotten its faults; arm them again`,
  );
}

/** Of a broker that nobody reaches until the test starts it again. */
export function gone(why: string): MiniKafkaError {
  return new MiniKafkaError("CONNECTION", why, { details: { sent: false } });
}

/** Of a broker whose process has died at `point`: that of a fault, or the operation crash. */
export function crashed(point: string): MiniKafkaError {
  const message = `the broker has crashed (at ${point}); restart() or reset() starts it again`;
  return new MiniKafkaError("CRASHED", message, { details: { point } });
}

/** Neither a list nor a Map has its entries by name: they would all be passed over. */
export function isNamed(value: unknown): value is { readonly [name: string]: unknown } {
  return typeof value === "object" && value !== null && !(Symbol.iterator in value);
}

/** Throws USAGE where something was given to what takes nothing. */
export function requireNothing(what: string, given: readonly unknown[]): void {
  const asked = given.find((each) => each !== undefined);
  if (asked !== undefined) throw usage(`${what} takes nothing, got ${shownValue(asked)}`);
}

/** Throws USAGE for the first name that means nothing here: a misspelt one would otherwise be ignored. */
export function requireOnly(what: string, given: unknown, known: readonly string[]): void {
  if (!isNamed(given))
    throw usage(`${what} takes an object of ${known.join(", ")}, got ${shownValue(given)}`);
  const stranger = Object.keys(given).find((name) => !known.includes(name));
  if (stranger !== undefined)
    throw usage(`${what} has no ${JSON.stringify(stranger)}; expected ${known.join(", ")}`);
}

/** Throws USAGE unless `value` is an integer within the bounds. */
export function requireInteger(
  name: string,
  value: number,
  min: number,
  max = Number.MAX_SAFE_INTEGER,
): void {
  if (!Number.isSafeInteger(value) || value < min || value > max)
    throw usage(`${name} is ${shownValue(value)}; expected an integer from ${min} to ${max}`);
}

/** Throws USAGE unless `value` is text. */
export function requireText(name: string, value: unknown): void {
  if (typeof value !== "string") throw usage(`${name} is ${shownValue(value)}; expected text`);
}

/** Throws USAGE unless `value` is one of `words`, or left out. */
export function requireOneOf(name: string, value: unknown, words: readonly string[]): void {
  if (value !== undefined && !words.includes(value as string))
    throw usage(`${name} is ${shownValue(value)}; expected ${words.join(", ")}`);
}

/** Throws USAGE unless `value` is true, false, or left out. */
export function requireFlag(name: string, value: unknown): void {
  if (value !== undefined && typeof value !== "boolean")
    throw usage(`${name} is ${shownValue(value)}; expected true or false`);
}

/** Throws USAGE unless `value` is a function. */
export function requireFunction(name: string, value: unknown): void {
  if (typeof value !== "function") throw usage(`${name} is ${shownValue(value)}; expected a function`);
}

/** Throws USAGE unless `value` is a signal, or left out. Of whichever realm: test runners have one of their own for each file. */
export function requireSignal(value: AbortSignal | undefined): void {
  if (value !== undefined && typeof value?.throwIfAborted !== "function")
    throw usage(`signal is ${shownValue(value)}; expected an AbortSignal`);
}

/** Throws USAGE where `made` is a promise, or can be waited for like one, which is as good as true; what a promise fails with is nobody's. */
export function requireNoPromise(what: string, made: unknown): void {
  if (!isUnawaited(made)) return;
  throw usage(
    `${what} returned a promise, which is not waited for; let it look at what is there, and return true or false`,
  );
}
