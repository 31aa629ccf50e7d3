/**
 * The records of a coordinator's topic: a key and a value, both as JSON text, so that a dump of the log is readable. The key
 * says of which kind the record is. Compaction compares keys byte by byte: whoever writes a kind gives its fields in one order.
 */
import { type BatchProducer, encodeBatch } from "@minikafka/record";
import type { ProducerIdentity } from "../replica/producer-identity.ts";

export type JsonValue = string | number | boolean | null | readonly JsonValue[] | JsonObject;
export interface JsonObject {
  readonly [name: string]: JsonValue;
}

export interface CoordinatorKey extends JsonObject {
  readonly kind: string;
}

export interface CoordinatorRecord {
  /** In the one order of its kind, `kind` first. */
  readonly key: CoordinatorKey;
  /** `null`: what the key names is gone (a tombstone). */
  readonly value: JsonObject | null;
}

/** A record that nobody of ours wrote. The message says what is there, and what was expected. */
export class MalformedRecord extends Error {
  override readonly name = "MalformedRecord";
}

/** The key as the record has it. */
export function keyText({ key }: CoordinatorRecord): string {
  return JSON.stringify(key);
}

/** One unassigned batch of them all, so that the log has all of them or none; with a `producer`, one of its transaction. */
export function frameOf(
  records: readonly CoordinatorRecord[],
  timestampMs: number,
  producer?: ProducerIdentity,
): Buffer {
  const content: BatchProducer =
    producer === undefined
      ? {}
      : { producerId: producer.producerId, producerEpoch: producer.producerEpoch, transactional: true };
  return encodeBatch({
    ...content,
    records: records.map((record) => ({
      key: Buffer.from(keyText(record)),
      value: record.value === null ? null : Buffer.from(JSON.stringify(record.value)),
      timestampMs,
      headers: [],
    })),
  });
}

/** Throws MalformedRecord. */
export function readRecord(key: string | null, value: string | null): CoordinatorRecord {
  if (key === null) throw new MalformedRecord("it has no key");
  const parsed = jsonObject("its key", key);
  if (typeof parsed.kind !== "string") throw new MalformedRecord("its key names no kind");
  return {
    key: parsed as CoordinatorKey,
    value: value === null ? null : jsonObject("its value", value),
  };
}

function jsonObject(what: string, text: string): JsonObject {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    throw new MalformedRecord(`${what} is not JSON`);
  }
  if (typeof parsed === "object" && parsed !== null && !Array.isArray(parsed)) return parsed as JsonObject;
  throw new MalformedRecord(`${what} is not a JSON object`);
}
