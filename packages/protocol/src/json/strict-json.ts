/**
 * JSON as this protocol takes it: valid UTF-8, one object, no name twice or `__proto__`, not deeper than {@link DEPTH_MAX}.
 *
 * `JSON.parse` alone takes the last of two equal names in silence and nests without bound. The scan below reads only the
 * structure: strings, where nearly all bytes of a large request lie, are skipped by native search.
 */
import { isAscii, isUtf8 } from "node:buffer";

/** The deepest request of the protocol has four levels. */
export const DEPTH_MAX = 32;

/** A line that is not what the protocol takes; the message is meant for the client. */
export class InvalidJson extends Error {
  override readonly name = "InvalidJson";
  /** What stands under `id` in the refused object, if that can be told; it may be anything. */
  readonly id: unknown;

  constructor(message: string, id?: unknown) {
    super(message);
    this.id = id;
  }
}

/** A parsed line: an object whose names are its own, whatever they are called. */
export type JsonObject = { readonly [name: string]: unknown };

function textOf(line: Buffer): string {
  if (isAscii(line)) return line.toString("latin1");
  if (!isUtf8(line)) throw new InvalidJson("the line is not valid UTF-8");
  return line.toString("utf8");
}

/** The object on a line. Throws {@link InvalidJson}. */
export function parseJsonObject(line: Buffer): JsonObject {
  const text = textOf(line);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new InvalidJson(`the line is not JSON: ${shortened((error as SyntaxError).message)}`);
  }
  if (value === null || typeof value !== "object" || Array.isArray(value)) {
    throw new InvalidJson("the line is not a JSON object");
  }
  const object = value as JsonObject;
  const problem = structureProblem(text);
  if (problem !== null) throw new InvalidJson(problem, isNamedOnce(text, "id") ? object.id : undefined);
  return object;
}

/** V8 quotes the text that it could not parse; a client should not get a megabyte back. */
function shortened(message: string): string {
  return message.length <= 160 ? message : `${message.slice(0, 160)}…`;
}

/** Where the string that begins at `start` (its opening quote) ends: the index of its closing quote. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); ; end = text.indexOf('"', end + 1)) {
    let backslashes = 0;
    while (text.charCodeAt(end - 1 - backslashes) === 0x5c) backslashes += 1;
    if (backslashes % 2 === 0) return end;
  }
}

/** Whether the object that `text` is has exactly one member of that name, so that nobody can take it for another. */
function isNamedOnce(text: string, wanted: string): boolean {
  let depth = 0;
  let found = 0;
  for (let index = 0; index < text.length; index += 1) {
    const character = text.charCodeAt(index);
    if (character === 0x22) {
      const end = endOfString(text, index);
      if (depth === 1 && isName(text, end) && unquoted(text.slice(index, end + 1)) === wanted) found += 1;
      index = end;
    } else if (character === 0x7b || character === 0x5b) depth += 1;
    else if (character === 0x7d || character === 0x5d) depth -= 1;
  }
  return found === 1;
}

/** What is wrong with depth and names, over text that `JSON.parse` has found well formed; or `null`. */
function structureProblem(text: string): string | null {
  const names: (Set<string> | null)[] = [];
  for (let index = 0; index < text.length; index += 1) {
    const character = text.charCodeAt(index);
    if (character === 0x22) {
      const end = endOfString(text, index);
      const open = names.at(-1);
      const problem = open != null && isName(text, end) ? noteName(open, text.slice(index, end + 1)) : null;
      if (problem !== null) return problem;
      index = end;
    } else if (character === 0x7b || character === 0x5b) {
      if (names.length === DEPTH_MAX) return `nested deeper than ${DEPTH_MAX} levels at character ${index}`;
      names.push(character === 0x7b ? new Set() : null);
    } else if (character === 0x7d || character === 0x5d) {
      names.pop();
    }
  }
  return null;
}

/** Whether the string that ends at `end` is a member's name: a colon follows. */
function isName(text: string, end: number): boolean {
  let after = end + 1;
  while (text.charCodeAt(after) <= 0x20) after += 1;
  return text.charCodeAt(after) === 0x3a;
}

function unquoted(quoted: string): string {
  return quoted.includes("\\") ? (JSON.parse(quoted) as string) : quoted.slice(1, -1);
}

/** What is wrong with one more name in an object, or `null`. */
function noteName(seen: Set<string>, quoted: string): string | null {
  const name = unquoted(quoted);
  // Copied to another object it would be a prototype and not a member, and so would be lost without a word.
  if (name === "__proto__") return 'the name "__proto__" is taken nowhere';
  if (seen.has(name)) return `the name ${JSON.stringify(shortened(name))} appears twice in one object`;
  seen.add(name);
  return null;
}
