/** What a test waits for of a topic's records, and what was there instead. */
import type { BrokerCluster } from "@minikafka/core";
import {
  offsetsAhead,
  type RecordsQuery,
  requireQuery,
  type SeenRecord,
  seenRecords,
} from "./seen-records.ts";
import { unreadableText } from "./unreadable-records.ts";
import { requireInteger } from "./usage.ts";
import type { Wish } from "./waits.ts";

/** Records that a message names. */
const NAMED_MAX = 5;
const TEXT_CHARACTERS_MAX = 40;

/** At least `count` records. Throws USAGE. */
export function recordsWish(
  kernel: () => BrokerCluster,
  topic: string,
  count: number,
  query: RecordsQuery,
): Wish<readonly SeenRecord[]> {
  requireQuery(topic, query);
  requireInteger("count", count, 0);
  const place = query.partition === undefined ? topic : `${topic}/${query.partition}`;
  return {
    what: `${count} ${count === 1 ? "record" : "records"} in ${place}`,
    mayBeMet: () => offsetsAhead(kernel(), topic, query) >= count,
    look: () => seenRecords(kernel(), topic, query),
    missing(seen) {
      if (seen.length >= count) return null;
      const unreadable = unreadableText(kernel(), topic, query);
      return `there ${inWords(seen)}${unreadable === null ? "" : `; ${unreadable}`}`;
    },
  };
}

function inWords(seen: readonly SeenRecord[]): string {
  if (seen.length === 0) return "is none";
  const named = seen.slice(0, NAMED_MAX).map(({ topic, partition, offset, key, value }) => {
    return `${topic}/${partition}@${offset} ${key === null ? "" : `${cut(key)}=`}${value === null ? "null" : cut(value)}`;
  });
  const others = seen.length - named.length;
  const rest = others === 0 ? "" : `, and ${others} more`;
  return `${seen.length === 1 ? "is" : "are"} ${seen.length}: ${named.join(", ")}${rest}`;
}

function cut(text: string): string {
  return text.length <= TEXT_CHARACTERS_MAX ? text : `${text.slice(0, TEXT_CHARACTERS_MAX)}…`;
}
