/**
 * A shorter way to read the record of an offset, for the text that this broker writes: a million of them are read when groups are
 * loaded, in two fifths of the time. What is written otherwise, or has a note, is read as JSON (offset-record.ts), which also says
 * what is wrong with it.
 */
import type { OffsetEntry, StoredOffset } from "./offset-record.ts";

const GROUP = '{"kind":"offset","group_id":"';
const TOPIC = '","topic":"';
const PARTITION = '","partition":';
const OFFSET = '{"version":1,"offset":';
const COMMITTED = ',"metadata":null,"committed_ms":';
const TOPIC_ID = ',"topic_id":"';

/** So many digits are exact, and more than any offset or time has. */
const DIGITS_MAX = 15;
const ZERO = "0".charCodeAt(0);
/** In a name they are written with a backslash, which has to be undone. */
const ESCAPED = /[\\\p{Cc}]/u;

/** What the record says; `null` when that has to be found out as JSON. `shared` gives one string for all that are equal. */
export function readOffsetText(
  key: string,
  value: string | null,
  shared: (text: string) => string,
): OffsetEntry | null {
  if (!key.startsWith(GROUP) || ESCAPED.test(key)) return null;
  const groupEnd = key.indexOf('"', GROUP.length);
  if (!key.startsWith(TOPIC, groupEnd)) return null;
  const topicEnd = key.indexOf('"', groupEnd + TOPIC.length);
  if (!key.startsWith(PARTITION, topicEnd)) return null;
  const end = key.length - 1;
  const partition = numberIn(key, topicEnd + PARTITION.length, end);
  if (partition === null || key[end] !== "}") return null;
  const stored = value === null ? null : storedIn(value, shared);
  if (stored === null && value !== null) return null;
  const topic = shared(key.slice(groupEnd + TOPIC.length, topicEnd));
  return { groupId: key.slice(GROUP.length, groupEnd), topic, partition, stored };
}

function storedIn(value: string, shared: (text: string) => string): StoredOffset | null {
  if (!value.startsWith(OFFSET) || ESCAPED.test(value)) return null;
  const offsetEnd = value.indexOf(",", OFFSET.length);
  if (!value.startsWith(COMMITTED, offsetEnd)) return null;
  const committedEnd = value.indexOf(",", offsetEnd + COMMITTED.length);
  if (!value.startsWith(TOPIC_ID, committedEnd)) return null;
  const topicIdEnd = value.indexOf('"', committedEnd + TOPIC_ID.length);
  if (topicIdEnd !== value.length - 2 || !value.endsWith("}")) return null;
  const offset = numberIn(value, OFFSET.length, offsetEnd);
  const committedMs = numberIn(value, offsetEnd + COMMITTED.length, committedEnd);
  if (offset === null || committedMs === null) return null;
  const topicId = shared(value.slice(committedEnd + TOPIC_ID.length, topicIdEnd));
  return { offset, metadata: null, committedMs, topicId };
}

/** The whole number that JSON would find from `start` to `end`, or `null`. */
function numberIn(text: string, start: number, end: number): number | null {
  const digits = end - start;
  if (digits < 1 || digits > DIGITS_MAX || (digits > 1 && text.charCodeAt(start) === ZERO)) return null;
  let number = 0;
  for (let at = start; at < end; at += 1) {
    const digit = text.charCodeAt(at) - ZERO;
    if (digit < 0 || digit > 9) return null;
    number = number * 10 + digit;
  }
  return number;
}
