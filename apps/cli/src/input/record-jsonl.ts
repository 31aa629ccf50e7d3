/** One line of `produce --jsonl`: the inverse of output/record-json.ts. */
import { decodeBase64 } from "@minikafka/protocol";
import type { ShownHeader } from "../record.ts";

/** What a line says about the record to produce. */
export interface ProducedLine {
  readonly key: Buffer | null;
  readonly value: Buffer | null;
  readonly headers: readonly ShownHeader[];
  readonly partition: number | null;
  readonly timestampMs: number | null;
}

/** The line is not a record; the message names the field and what was expected. */
export class NotARecord extends Error {
  override readonly name = "NotARecord";
}

type Fields = { readonly [name: string]: unknown };

/** `topic` and `offset` are what a fetch printed; a record that is produced gets its own. */
const FIELDS = new Set([
  "topic",
  "partition",
  "offset",
  "timestamp",
  "timestampType",
  "key",
  "key_b64",
  "value",
  "value_b64",
  "headers",
]);
const HEADER_FIELDS = new Set(["key", "value", "value_b64"]);

/** Half of a character outside the basic plane, alone: it has no UTF-8, so it would silently become U+FFFD. */
const LONE_SURROGATE = /\p{Surrogate}/u;

/** Reads one line. Throws {@link NotARecord}. */
export function readRecordLine(line: Buffer): ProducedLine {
  const text = line.toString("utf8");
  const fields = objectOf(parse(text), "the line");
  refuseOthers(fields, FIELDS, "");
  const value = bytesOf(fields, "value", "");
  if (value === undefined) {
    throw new NotARecord(
      "value: missing; write null for a tombstone, or value_b64 for bytes that are not text",
    );
  }
  return {
    key: bytesOf(fields, "key", "") ?? null,
    value,
    headers: headersOf(fields),
    partition: integerOf(fields, "partition", text),
    timestampMs: integerOf(fields, "timestamp", text),
  };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new NotARecord('not JSON; expected an object such as {"key":"alice","value":"created"}');
  }
}

function objectOf(value: unknown, what: string): Fields {
  if (value === null || typeof value !== "object" || Array.isArray(value)) {
    throw new NotARecord(`${what}: expected an object, received ${kindOf(value)}`);
  }
  return value as Fields;
}

function kindOf(value: unknown): string {
  return value === null ? "null" : Array.isArray(value) ? "a list" : typeof value;
}

function refuseOthers(fields: Fields, known: ReadonlySet<string>, path: string): void {
  const other = Object.keys(fields).find((name) => !known.has(name));
  if (other !== undefined) {
    throw new NotARecord(`${path}${other}: no such field; known are ${[...known].join(", ")}`);
  }
}

/** The bytes under `name` or `name_b64`; `undefined` when neither is there. */
function bytesOf(fields: Fields, name: string, path: string): Buffer | null | undefined {
  const text = fields[name];
  const base64 = fields[`${name}_b64`];
  if (text !== undefined && base64 !== undefined) {
    throw new NotARecord(`${path}${name}: given twice, as text and as ${name}_b64`);
  }
  if (text === null || base64 === null) return null;
  if (text !== undefined) return textBytes(text, `${path}${name}`);
  if (base64 === undefined) return undefined;
  const bytes = typeof base64 === "string" ? decodeBase64(base64) : null;
  if (bytes === null) throw new NotARecord(`${path}${name}_b64: expected strict Base64 text or null`);
  return bytes;
}

function textBytes(text: unknown, path: string): Buffer {
  if (typeof text !== "string") {
    throw new NotARecord(
      `${path}: expected text or null, received ${kindOf(text)}; other JSON goes in as text`,
    );
  }
  if (LONE_SURROGATE.test(text)) {
    throw new NotARecord(`${path}: holds half a character (a lone surrogate), which has no bytes`);
  }
  return Buffer.from(text, "utf8");
}

function integerOf(fields: Fields, name: string, text: string): number | null {
  const value = fields[name];
  if (value === undefined || value === null) return null;
  if (typeof value !== "number" || !Number.isSafeInteger(value) || value < 0) {
    const received = typeof value === "number" ? numberText(name, text) : JSON.stringify(value);
    const max = Number.MAX_SAFE_INTEGER;
    throw new NotARecord(`${name}: expected a whole number from 0 to ${max}, received ${received}`);
  }
  return value;
}

/** As it is written: what was read of a larger number is another one. Within a string no quotation mark stands before the colon. */
function numberText(name: string, text: string): string {
  const written = [...text.matchAll(new RegExp(`"${name}"\\s*:\\s*([-+.\\deE]+)`, "g"))].at(-1)?.[1];
  return written ?? "another number";
}

function headersOf(fields: Fields): ShownHeader[] {
  const list = fields.headers ?? [];
  if (!Array.isArray(list)) throw new NotARecord(`headers: expected a list, received ${kindOf(list)}`);
  return list.map((entry: unknown, index): ShownHeader => {
    const path = `headers.${index}.`;
    const header = objectOf(entry, `headers.${index}`);
    refuseOthers(header, HEADER_FIELDS, path);
    if (typeof header.key !== "string" || LONE_SURROGATE.test(header.key)) {
      throw new NotARecord(`${path}key: expected text`);
    }
    return { key: header.key, value: bytesOf(header, "value", path) ?? null };
  });
}
