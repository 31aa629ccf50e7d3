/** A value checked against its schema: what it is, or a sentence that names each wrong field, what it takes and what was given. */
import type { z } from "zod";
import { issueText } from "./expectation.ts";
import { shownText } from "./shown-text.ts";

export type Parsed<Value> =
  | { readonly success: true; readonly data: Value }
  /** `partition: expected a whole number from 0 to 9007199254740991, received "0"`. */
  | { readonly success: false; readonly problem: string };

/** Never throws for what may stand in `input`. */
export function parse<Schema extends z.ZodType>(schema: Schema, input: unknown): Parsed<z.output<Schema>> {
  const isMany = holdsMany(input);
  // What is right, as nearly all is, is read without words for what is wrong: with them reading takes several times as long.
  const parsed = isMany ? schema.safeParse(input, TO_THE_FIRST) : schema.safeParse(input);
  if (parsed.success) return parsed;
  const { error } = isMany ? parsed : schema.safeParse(input, WITH_WORDS);
  return { success: false, problem: problemOf(error?.issues ?? [], input) };
}

const WITH_WORDS = { error: issueText };

/**
 * No list or object is read any further behind the first entry that is wrong: each of a hundred thousand would cost its words. The
 * validator's own `validate` reads so; its types have no name for it.
 */
const TO_THE_FIRST: typeof WITH_WORDS & { readonly abortEarly: true } = { ...WITH_WORDS, abortEarly: true };

/** So many values may all be wrong, and be told of; of more only the first that is. */
const VALUES_TOLD_MAX = 1_000;

function holdsMany(input: unknown): boolean {
  return valuesLeft(input, VALUES_TOLD_MAX) < 0;
}

/** How many more than those in `value` there may be; no more than those are looked at. */
function valuesLeft(value: unknown, max: number): number {
  if (typeof value !== "object" || value === null || Buffer.isBuffer(value)) return max;
  let left = max;
  if (Array.isArray(value)) {
    left -= value.length;
    for (let place = 0; place < value.length && left >= 0; place += 1) left = valuesLeft(value[place], left);
    return left;
  }
  for (const name in value) {
    left = valuesLeft((value as { readonly [name: string]: unknown })[name], left - 1);
    if (left < 0) break;
  }
  return left;
}

const ISSUES_SHOWN_MAX = 3;
/** Room for the longest list of names that one field takes. */
const PROBLEM_CHARACTERS_MAX = 2_000;

function problemOf(all: readonly z.core.$ZodIssue[], input: unknown): string {
  const issues = all.filter((issue, place) => !isSaidAgain(issue, all[place + 1]));
  const shown = issues.slice(0, ISSUES_SHOWN_MAX).map((issue) => sentence(issue, input));
  const more = issues.length - shown.length;
  return shown.join("; ").slice(0, PROBLEM_CHARACTERS_MAX) + (more > 0 ? `; and ${more} more` : "");
}

/** Each bound of a value that is past several is an issue of its own, and what the value should have been is the same. */
function isSaidAgain({ message, path }: z.core.$ZodIssue, next: z.core.$ZodIssue | undefined): boolean {
  if (next?.message !== message || next.path.length !== path.length) return false;
  return next.path.every((name, place) => name === path[place]);
}

function sentence(issue: z.core.$ZodIssue, input: unknown): string {
  if (issue.code === "unrecognized_keys") {
    const [first = "", ...others] = issue.keys;
    const more = others.length === 0 ? "" : ` (and ${others.length} more that there are not)`;
    return `${placeOf([...issue.path, first])}${issue.message}${more}`;
  }
  const said = `${placeOf(issue.path)}${issue.message}`;
  // Of a name that is refused the value is of no interest.
  if (issue.code === "invalid_key") return said;
  const given = valueAt(input, issue.path);
  return given === undefined && issue.path.length > 0
    ? `${said}, but it is missing`
    : `${said}, received ${givenText(given)}`;
}

function placeOf(path: readonly PropertyKey[]): string {
  if (path.length === 0) return "";
  return `${path.map((name) => shownText(String(name))).join(".")}: `;
}

function valueAt(input: unknown, path: readonly PropertyKey[]): unknown {
  let value = input;
  for (const name of path) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return undefined;
    value = (value as { readonly [name: PropertyKey]: unknown })[name];
  }
  return value;
}

/** What was given, in few characters, whatever it is. */
export function givenText(value: unknown): string {
  if (typeof value === "string") {
    const shown = shownText(value);
    return shown.endsWith("…") ? `"${shown}" of ${charactersIn(value)} characters` : `"${shown}"`;
  }
  if (typeof value === "number" && Math.abs(value) > Number.MAX_SAFE_INTEGER)
    // It was rounded when the line was read: the digits would be others than those that were written.
    return value > 0 ? `more than ${Number.MAX_SAFE_INTEGER}` : `less than ${-Number.MAX_SAFE_INTEGER}`;
  if (Array.isArray(value))
    return value.length === 1 ? "a list of 1 entry" : `a list of ${value.length} entries`;
  if (Buffer.isBuffer(value)) return "Base64";
  return typeof value === "object" && value !== null ? "an object" : String(value);
}

/** As a bound of a text's length counts them. */
function charactersIn(text: string): number {
  let count = 0;
  for (const _character of text) count += 1;
  return count;
}
