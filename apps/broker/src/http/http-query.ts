/** The query of a request, read strictly: a name that is not known is refused, not passed over. */
import { HttpRefusal } from "./http-answer.ts";

/** What stands behind the question mark, by name; a value that comes twice is both. Throws HttpRefusal. */
export function readQuery(text: string, known: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  for (const [name, value] of new URLSearchParams(text)) {
    if (!known.includes(name)) throw strange(name, known);
    found.set(name, [...(found.get(name) ?? []), value]);
  }
  return found;
}

/** The one value of a name, or none. Throws HttpRefusal. */
export function oneOf(query: ReadonlyMap<string, readonly string[]>, name: string): string | undefined {
  const values = query.get(name) ?? [];
  if (values.length > 1)
    throw new HttpRefusal("INVALID_REQUEST", `${name}: expected once, it is there twice`);
  return values[0];
}

/** A name that is true or false, or not there. Throws HttpRefusal. */
export function booleanOf(query: ReadonlyMap<string, readonly string[]>, name: string): boolean | undefined {
  const value = oneOf(query, name);
  if (value === undefined) return undefined;
  if (value === "true" || value === "false") return value === "true";
  throw new HttpRefusal("INVALID_REQUEST", `${name}: expected true or false, it is ${JSON.stringify(value)}`);
}

/** All values of a name, each perhaps several behind commas. `undefined` where the name is not there. Throws HttpRefusal. */
export function listOf(
  query: ReadonlyMap<string, readonly string[]>,
  name: string,
): readonly string[] | undefined {
  const values = query.get(name)?.flatMap((value) => value.split(","));
  // Nothing has an empty name: more likely a variable was empty in whatever made the URL.
  if (values?.includes("") === true)
    throw new HttpRefusal("INVALID_REQUEST", `${name}: expected values with commas between, one is empty`);
  return values;
}

function strange(name: string, known: readonly string[]): HttpRefusal {
  const expected = known.length === 0 ? "expected no query" : `expected ${known.join(", ")}`;
  return new HttpRefusal("INVALID_REQUEST", `${JSON.stringify(name)} is not known here; ${expected}`);
}
