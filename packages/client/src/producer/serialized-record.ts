/** From what a typed producer is given to a record of text and bytes. */

import { isUnawaited } from "@minikafka/record";
import { MiniKafkaError } from "../errors.ts";
import type { SerializationPlace, Serializer, Serializers } from "../serdes/serde.ts";
import { usageError } from "../usage.ts";
import type { Payload, ProducedHeader, ProducedRecord } from "./produced-record.ts";

/** A record of whatever its producer's serializers take. */
export type GivenRecord = ProducedRecord<unknown, unknown>;

/** Throws SERIALIZATION with what a serializer threw. */
export type SerializeRecord = (given: GivenRecord) => ProducedRecord;

/** `null` when there is nothing to do. */
export function serializing(serializers: Serializers<unknown, unknown>): SerializeRecord | null {
  const { key, value } = serializers;
  if (key === undefined && value === undefined) return null;
  // All other fields stay, also those that no record has: they are to be refused.
  return (given) => ({
    ...given,
    key: part(given, "key", given.key, key),
    value: part(given, "value", given.value, value),
  });
}

const NO_HEADERS: readonly ProducedHeader[] = [];

function part(
  { topic, headers = NO_HEADERS }: GivenRecord,
  name: "key" | "value",
  data: unknown,
  serializer: Serializer<unknown> | undefined,
): Payload | null | undefined {
  // Without a serializer it is to be text or bytes, and is refused later if it is not.
  if (data === undefined || data === null || serializer === undefined)
    return data as Payload | null | undefined;
  const made = serialized(serializer, data, { topic, part: name, headers });
  // `null` would be said by a serializer that means a tombstone; this is one that forgot its return.
  if (made === undefined)
    throw usageError(`${name} is undefined as its serializer returned it; expected text, bytes or null`);
  if (isUnawaited(made))
    throw usageError(`${name} is a promise as its serializer returned it; a serializer waits for nothing`);
  return made;
}

function serialized(
  serializer: Serializer<unknown>,
  data: unknown,
  place: SerializationPlace,
): Payload | undefined {
  const { topic, part: name } = place;
  try {
    return serializer(data, place);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    const message = `the ${name} of a record for ${topic} cannot be serialized: ${why}`;
    throw new MiniKafkaError("SERIALIZATION", message, { details: { topic, part: name }, cause });
  }
}
