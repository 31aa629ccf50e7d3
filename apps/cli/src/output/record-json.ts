/**
 * A record as one line of JSON: what `fetch --json` prints and `produce --jsonl` reads, byte for byte.
 *
 * Bytes that are valid UTF-8 appear as text under `key` and `value`. Others appear as strict Base64 under `key_b64` and
 * `value_b64` instead, so nothing is ever replaced by U+FFFD. `null` is absence (a tombstone, for a value), `""` is empty.
 * A record to which its producer gave no time has `null` there, and gets one when the line is read back.
 * `timestampType` stands there when the time is the leader's; whoever reads the line back takes the time and not its type.
 */
import { isUtf8 } from "node:buffer";
import { asBuffer, type ShownRecord } from "../record.ts";

type Text = { readonly [name: string]: string | null };

function bytesField(name: string, bytes: Uint8Array | null): Text {
  if (bytes === null) return { [name]: null };
  const buffer = asBuffer(bytes);
  return isUtf8(buffer)
    ? { [name]: buffer.toString("utf8") }
    : { [`${name}_b64`]: buffer.toString("base64") };
}

/** The line, without its newline. */
export function recordLine(record: ShownRecord): string {
  return JSON.stringify(recordFields(record));
}

/** The same before it is text. */
export function recordFields(record: ShownRecord): object {
  return {
    topic: record.topic,
    partition: record.partition,
    offset: record.offset,
    timestamp: record.timestampMs < 0 ? null : record.timestampMs,
    ...(record.timestampType === "append" ? { timestampType: "append" } : {}),
    ...bytesField("key", record.key),
    ...bytesField("value", record.value),
    headers: record.headers.map((header) => ({ key: header.key, ...bytesField("value", header.value) })),
  };
}
