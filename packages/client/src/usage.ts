/** Checks of what a caller hands over: a wrong call fails with USAGE at the call, not with a puzzle later. */
import { shownValue } from "@minikafka/record";
import { MiniKafkaError } from "./errors.ts";
import { LIMITS } from "./limits.ts";

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
  throw usageError(`${name} is ${shownValue(value)}; expected an integer ${range}`);
}

/** The same of a time that a timer is to hold, in milliseconds: a longer one, or what is no time, would be over at once. */
export function checkedTimeMs(name: string, value: number, minMs = 0): number {
  return checkedInteger(name, value, minMs, LIMITS.timeoutMsMax);
}

/** The names of all fields of `Shape`: one that the type has and the list lacks, or the other way round, does not compile. */
export function fieldNames<Shape>(all: { readonly [Name in keyof Shape]-?: true }): readonly string[] {
  return Object.keys(all);
}

/** Throws a USAGE error that names the first option with no meaning here: a misspelt one would otherwise be ignored. */
export function requireKnown(what: string, given: object, known: readonly string[]): void {
  const stranger = Object.keys(given).find((name) => !known.includes(name));
  if (stranger === undefined) return;
  throw usageError(`${what} has no ${shownValue(stranger)}; expected ${known.join(", ")}`);
}

/** The same for an argument that may be no object at all, such as a name where its options are expected. */
export function requireOptions(what: string, given: unknown, known: readonly string[]): void {
  if (!isOptions(given))
    throw usageError(`${what} takes an object of ${known.join(", ")}, got ${shownValue(given)}`);
  requireKnown(what, given, known);
  if (known.includes("signal") && "signal" in given) requireSignal(given.signal);
}

/** Throws a USAGE error unless `value` is a signal, or left out. Of whichever realm: test runners have one of their own for each file. */
export function requireSignal(value: unknown): void {
  if (value === undefined || isSignal(value)) return;
  throw usageError(`signal is ${shownValue(value)}; expected an AbortSignal`);
}

const OF_SIGNALS = ["throwIfAborted", "addEventListener", "removeEventListener"] as const;

function isSignal(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  return OF_SIGNALS.every((name) => typeof (value as { [name: string]: unknown })[name] === "function");
}

/** Neither a list nor a Map has its entries by name: they would all be passed over. */
export function isOptions(given: unknown): given is object {
  return typeof given === "object" && given !== null && !(Symbol.iterator in given);
}

/** Throws a USAGE error unless `value` is text, or left out. */
export function requireText(name: string, value: unknown): void {
  if (value !== undefined && typeof value !== "string")
    throw usageError(`${name} is ${shownValue(value)}; expected a string`);
}

/** Throws a USAGE error unless `value` is an array: of a single one the letters would be taken, or nothing. */
export function requireArray(name: string, value: unknown): void {
  if (!Array.isArray(value)) throw usageError(`${name} is ${shownValue(value)}; expected an array`);
}

/** Throws a USAGE error unless `value` is a list of texts, or left out: the letters of a single one would be taken for names. */
export function requireTexts(name: string, value: unknown): void {
  if (value === undefined) return;
  if (!Array.isArray(value) || value.some((each) => typeof each !== "string"))
    throw usageError(`${name} is ${shownValue(value)}; expected an array of strings`);
}

/** Throws a USAGE error unless `value` is true, false, or left out. */
export function requireFlag(name: string, value: unknown): void {
  if (value !== undefined && typeof value !== "boolean")
    throw usageError(`${name} is ${shownValue(value)}; expected true or false`);
}
