/**
 * What can be told of a line of JSON before anything is made of it: how deep it nests, which names an object has twice, and how much
 * stands in it. A line of four megabytes can hold a million values, each of which would cost its object and the look of a schema.
 *
 * The scan reads only the structure: strings, where nearly all bytes of a large request lie, are skipped by native search. What is no
 * JSON it reads to the end as well, and leaves it to `JSON.parse` to say so.
 */
import { shownText } from "./shown-text.ts";

/** The deepest request of the protocol has four levels. */
export const DEPTH_MAX = 32;

/** How much one line may hold, beside its bytes. */
export interface LineBounds {
  /** Values of the whole line, to the nearest: each list and object counts as one more. */
  readonly valuesMax: number;
  /** Names of one object. */
  readonly namesMax: number;
}

/** A request's. A batch of the most records, each with key, value, time and a header, has 800,000 values; no object has 30 names. */
export const REQUEST_BOUNDS: LineBounds = { valuesMax: 1_000_000, namesMax: 256 };

/** An answer's: who asked for it wants all of it. */
export const NO_BOUNDS: LineBounds = {
  valuesMax: Number.POSITIVE_INFINITY,
  namesMax: Number.POSITIVE_INFINITY,
};

const QUOTE = 0x22;
const COMMA = 0x2c;

/** Of objects that are closed, for those that come: most of what is asked is alike. */
const SPARE: Names[] = [];

/** What is wrong with depth, names or size of what `text` holds; or `null`. */
export function structureProblem(text: string, { valuesMax, namesMax }: LineBounds): string | null {
  /** By level; `null` where a list is open. */
  const open: (Names | null)[] = [];
  let values = 1;
  for (let index = 0; index < text.length; index += 1) {
    const character = text.charCodeAt(index);
    if (character === QUOTE) {
      const end = endOfString(text, index);
      const names = open.at(-1);
      const problem =
        names != null && isName(text, end) ? names.note(text.slice(index, end + 1), namesMax) : null;
      if (problem !== null) return problem;
      index = end;
    } else if (isOpening(character)) {
      if (open.length === DEPTH_MAX) return `nested deeper than ${DEPTH_MAX} levels at character ${index}`;
      open.push(character === 0x7b ? (SPARE.pop() ?? new Names()) : null);
      values += 1;
    } else if (isClosing(character)) {
      const names = open.pop();
      if (names != null) SPARE.push(names.forget());
    } else if (character === COMMA) values += 1;
    if (values > valuesMax)
      return `the line holds more than ${valuesMax} values; send them in several requests`;
  }
  return null;
}

/** What stands under `wanted` in the object that `text` is, if that is one text or number and nobody can take another for it. */
export function onlyMember(text: string, wanted: string): unknown {
  let depth = 0;
  const found: unknown[] = [];
  for (let index = 0; index < text.length; index += 1) {
    const character = text.charCodeAt(index);
    if (character === QUOTE) {
      const end = endOfString(text, index);
      if (depth === 1 && isName(text, end) && unquoted(text.slice(index, end + 1)) === wanted)
        found.push(valueAfter(text, text.indexOf(":", end) + 1));
      index = end;
    } else if (isOpening(character)) depth += 1;
    else if (isClosing(character)) depth -= 1;
  }
  return found.length === 1 ? found[0] : undefined;
}

/** The names of one object. */
class Names {
  /** Quicker to look through than a set, while they are few. */
  readonly #first: string[] = [];
  #others: Set<string> | null = null;

  /** What is wrong with one more of them, or `null`. */
  note(quoted: string, namesMax: number): string | null {
    const name = unquoted(quoted);
    // Copied to another object it would be a prototype and not a member, and so would be lost without a word.
    if (name === "__proto__") return 'the name "__proto__" is taken nowhere';
    if (this.#first.includes(name) || this.#others?.has(name) === true)
      return `the name "${shownText(name)}" appears twice in one object`;
    if (this.#first.length < FIRST_NAMES) this.#first.push(name);
    else {
      this.#others ??= new Set();
      this.#others.add(name);
    }
    if (this.#first.length + (this.#others?.size ?? 0) > namesMax)
      return `an object has more than ${namesMax} names`;
    return null;
  }

  forget(): this {
    this.#first.length = 0;
    this.#others = null;
    return this;
  }
}

const FIRST_NAMES = 8;

function isOpening(character: number): boolean {
  return character === 0x7b || character === 0x5b;
}

function isClosing(character: number): boolean {
  return character === 0x7d || character === 0x5d;
}

/** Where the string that begins at `start` (its opening quote) ends: the index of its closing quote, or the end of what is no JSON. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let backslashes = 0;
    while (text.charCodeAt(end - 1 - backslashes) === 0x5c) backslashes += 1;
    if (backslashes % 2 === 0) return end;
  }
  return text.length;
}

/** Whether the string that ends at `end` is a member's name: a colon follows. */
function isName(text: string, end: number): boolean {
  let after = end + 1;
  while (text.charCodeAt(after) <= 0x20) after += 1;
  return text.charCodeAt(after) === 0x3a;
}

/** The text or number that begins behind `start`. */
function valueAfter(text: string, start: number): unknown {
  let from = start;
  while (text.charCodeAt(from) <= 0x20) from += 1;
  if (text.charCodeAt(from) === QUOTE) return parsed(text.slice(from, endOfString(text, from) + 1));
  return parsed(/[^,}\]\s]*/y.exec(text.slice(from, from + NUMBER_CHARACTERS_MAX))?.[0] ?? "");
}

/** Longer than any number that is an id. */
const NUMBER_CHARACTERS_MAX = 64;

function unquoted(quoted: string): string {
  return quoted.includes("\\") ? String(parsed(quoted) ?? quoted) : quoted.slice(1, -1);
}

/** `undefined` for what is no JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
