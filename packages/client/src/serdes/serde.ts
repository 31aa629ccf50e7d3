/**
 * How keys and values become bytes, and bytes keys and values (Kafka: Serializer, Deserializer). `null` and what is left out never
 * gets here: a tombstone stays one, and a record without a key has none.
 */
import type { ConsumerHeader } from "../consumer/consumer-record.ts";
import type { Payload, ProducedHeader } from "../producer/produced-record.ts";
import { requireOptions, usageError } from "../usage.ts";

/** What a serializer is told beside the data. */
export interface SerializationPlace {
  readonly topic: string;
  readonly part: "key" | "value";
  /** Those of the record that is sent. */
  readonly headers: readonly ProducedHeader[];
}

/** What a deserializer is told beside the bytes. */
export interface DeserializationPlace {
  readonly topic: string;
  readonly part: "key" | "value";
  /** Those of the record that was fetched. */
  readonly headers: readonly ConsumerHeader[];
}

/**
 * Makes bytes of `data`, or text that is sent as UTF-8. What it throws refuses the record with SERIALIZATION. It runs at the send,
 * before the partition is chosen by the bytes of the key, and waits for nothing. Kafka: Serializer.
 */
export type Serializer<T> = (data: T, place: SerializationPlace) => Payload;

/**
 * Makes data of bytes, which are a view of what was fetched. What it throws is told as a RecordDeserializationError. It runs when
 * the record is handed out, and again when it is handed out again. Kafka: Deserializer.
 */
export type Deserializer<T> = (bytes: Buffer, place: DeserializationPlace) => T;

/** Of a producer; a part that is left out takes text or bytes. Kafka: key.serializer, value.serializer. */
export interface Serializers<K, V> {
  readonly key?: Serializer<K> | undefined;
  readonly value?: Serializer<V> | undefined;
}

/** Of a consumer; a part that is left out comes as bytes. Kafka: key.deserializer, value.deserializer. */
export interface Deserializers<K, V> {
  readonly key?: Deserializer<K> | undefined;
  readonly value?: Deserializer<V> | undefined;
}

/** Throws USAGE for what are no serializers, or deserializers; `name` says which of the two they are. */
export function requireSerdes(name: string, given: object): void {
  requireOptions(name, given, ["key", "value"]);
  for (const [part, serde] of Object.entries(given))
    if (serde !== undefined && typeof serde !== "function")
      throw usageError(`${name}.${part} is ${typeof serde}; expected a function, such as stringSerializer`);
}
