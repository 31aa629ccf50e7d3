/**
 * `JSON.stringify` for answers that carry whole batches.
 *
 * A megabyte of Base64 has nothing to escape, and joining strings copies nothing, whereas `JSON.stringify` walks all of it
 * to find that out: it would be the dearest part of a fetch.
 */

/** Members that hold one entry for each partition, each with batches of its own. */
const ENTRIES = "partitions";

/** The same text as `JSON.stringify(fields)`, given that members named `…_b64` hold Base64 or null. */
export function jsonText(fields: object): string {
  const members: string[] = [];
  for (const [name, value] of Object.entries(fields)) {
    if (value !== undefined) members.push(`${JSON.stringify(name)}:${memberText(name, value)}`);
  }
  return `{${members.join(",")}}`;
}

function memberText(name: string, value: unknown): string {
  if (typeof value === "string" && name.endsWith("_b64")) return `"${value}"`;
  if (name === ENTRIES && Array.isArray(value)) return `[${value.map(entryText).join(",")}]`;
  return JSON.stringify(value);
}

function entryText(entry: unknown): string {
  return typeof entry === "object" && entry !== null ? jsonText(entry) : JSON.stringify(entry);
}
