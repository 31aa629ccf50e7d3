/** From a record as it was fetched to what its consumer's deserializers make of it. */

import { isUnawaited } from "@minikafka/record";
import { MiniKafkaError } from "../errors.ts";
import type { Deserializer, Deserializers } from "../serdes/serde.ts";
import type { ConsumerRecord } from "./consumer-record.ts";

/** A record of whatever its consumer's deserializers make. */
export type HandedOutRecord = ConsumerRecord<unknown, unknown>;

/** Throws a {@link RecordDeserializationError}. */
export type DeserializeRecord = (record: ConsumerRecord) => HandedOutRecord;

/**
 * A record whose key or value its deserializer refused, with code RECORD_DESERIALIZATION; `cause` is what that threw. What came before
 * it was handed out, and the position is at it, so that it comes again: `consumer.seek(error.record, error.record.offset + 1)`
 * skips it. Kafka: RecordDeserializationException (KIP-334, KIP-1036).
 */
export class RecordDeserializationError extends MiniKafkaError {
  /** As it was fetched, to be put aside (into a topic for such records, say). */
  readonly record: ConsumerRecord;
  readonly part: "key" | "value";

  /** Made by a consumer. */
  constructor(record: ConsumerRecord, part: "key" | "value", cause: unknown) {
    const { topic, partition, offset, timestampMs } = record;
    const why = cause instanceof Error ? cause.message : String(cause);
    const message = `the ${part} of the record at offset ${offset} of ${topic}/${partition} cannot be deserialized: ${why}; seek past it to go on`;
    const details = { topic, partition, offset, part, timestampMs };
    super("RECORD_DESERIALIZATION", message, { details, cause });
    this.record = record;
    this.part = part;
  }
}

/** `null` when there is nothing to do. */
export function deserializing(deserializers: Deserializers<unknown, unknown>): DeserializeRecord | null {
  const { key, value } = deserializers;
  if (key === undefined && value === undefined) return null;
  return (record) => ({
    ...record,
    key: part(record, "key", key),
    value: part(record, "value", value),
  });
}

function part(
  record: ConsumerRecord,
  name: "key" | "value",
  deserializer: Deserializer<unknown> | undefined,
): unknown {
  const bytes = record[name];
  if (bytes === null || deserializer === undefined) return bytes;
  try {
    const made = deserializer(bytes, { topic: record.topic, part: name, headers: record.headers });
    if (isUnawaited(made)) throw new TypeError("it is a promise; a deserializer waits for nothing");
    return made;
  } catch (cause) {
    throw new RecordDeserializationError(record, name, cause);
  }
}
