/**
 * A committed offset as a record of the internal topic. FORMAT.md is about its text.
 */
import {
  type CoordinatorRecord,
  type JsonValue,
  MalformedRecord,
} from "../coordinator/coordinator-record.ts";

/** As it stands in a record's key. */
export const OFFSET_KIND = "offset";
const VERSION = 1;

/** Whose offset, and of what. */
export interface OffsetPlace {
  readonly groupId: string;
  readonly topic: string;
  readonly partition: number;
}

/** What was committed. */
export interface StoredOffset {
  /** Of the next record to be read; a negative one, which Kafka's clients commit to begin anew, leads to none. */
  readonly offset: number;
  /** A note of the committer's. */
  readonly metadata: string | null;
  /** When, on the broker's clock. */
  readonly committedMs: number;
  /** Of the topic that there was then: another one of its name does not inherit the offset (KIP-516). */
  readonly topicId: string;
}

export interface OffsetEntry extends OffsetPlace {
  /** `null`: it is forgotten. */
  readonly stored: StoredOffset | null;
}

/** The fields of a key stand in this order, always: compaction compares bytes. */
export function offsetRecord({ groupId, topic, partition, stored }: OffsetEntry): CoordinatorRecord {
  const key = { kind: OFFSET_KIND, group_id: groupId, topic, partition };
  if (stored === null) return { key, value: null };
  const { offset, metadata, committedMs, topicId } = stored;
  return { key, value: { version: VERSION, offset, metadata, committed_ms: committedMs, topic_id: topicId } };
}

/** Throws MalformedRecord, which names the field. `shared` gives one string for all that are equal. */
export function readOffsetRecord(
  { key, value }: CoordinatorRecord,
  shared: (text: string) => string,
): OffsetEntry {
  const place = {
    groupId: text("group_id", key.group_id),
    topic: shared(text("topic", key.topic)),
    partition: count("partition", key.partition),
  };
  if (value === null) return { ...place, stored: null };
  if (value.version !== VERSION)
    throw new MalformedRecord(`its version is ${JSON.stringify(value.version)}; expected ${VERSION}`);
  const stored = {
    offset: whole("offset", value.offset),
    metadata: value.metadata === null ? null : text("metadata", value.metadata),
    committedMs: count("committed_ms", value.committed_ms),
    topicId: shared(text("topic_id", value.topic_id)),
  };
  return { ...place, stored };
}

function text(field: string, value: JsonValue | undefined): string {
  if (typeof value === "string") return value;
  throw new MalformedRecord(`${field} is ${JSON.stringify(value)}; expected text`);
}

function whole(field: string, value: JsonValue | undefined): number {
  if (typeof value === "number" && Number.isSafeInteger(value)) return value;
  throw new MalformedRecord(`${field} is ${JSON.stringify(value)}; expected a whole number`);
}

function count(field: string, value: JsonValue | undefined): number {
  if (typeof value === "number" && Number.isSafeInteger(value) && value >= 0) return value;
  throw new MalformedRecord(`${field} is ${JSON.stringify(value)}; expected a whole number from 0`);
}
