/** Kafka's own serializers and deserializers, under its names: the bytes are those of its Java client. */
import type { Deserializer, Serializer } from "./serde.ts";

/** Text as UTF-8. Kafka: StringSerializer. */
export const stringSerializer: Serializer<string> = (text) => {
  if (typeof text !== "string") throw new TypeError(`expected text, got ${typeof text}`);
  return text;
};

/** UTF-8 as text; bytes that are no UTF-8 become U+FFFD, as in Kafka. Kafka: StringDeserializer. */
export const stringDeserializer: Deserializer<string> = (bytes) => bytes.toString();

/** Bytes as they are. Kafka: ByteArraySerializer. */
export const bytesSerializer: Serializer<Uint8Array> = (bytes) => {
  if (!(bytes instanceof Uint8Array)) throw new TypeError(`expected bytes, got ${typeof bytes}`);
  return bytes;
};

/** Bytes as they are, a view of what was fetched. Kafka: ByteArrayDeserializer. */
export const bytesDeserializer: Deserializer<Buffer> = (bytes) => bytes;

/** An integer of 32 bits as four bytes, the highest first. Kafka: IntegerSerializer. */
export const integerSerializer: Serializer<number> = (integer) => {
  const bytes = Buffer.allocUnsafe(4);
  // It throws for what is out of bounds, but cuts fractions off.
  if (!Number.isInteger(integer)) throw new TypeError(`expected an integer, got ${String(integer)}`);
  bytes.writeInt32BE(integer);
  return bytes;
};

/** Kafka: IntegerDeserializer. */
export const integerDeserializer: Deserializer<number> = (bytes) => ofSize(bytes, 4).readInt32BE();

/** An integer of 64 bits as eight bytes, the highest first. Kafka: LongSerializer. */
export const longSerializer: Serializer<bigint> = (integer) => {
  if (typeof integer !== "bigint") throw new TypeError(`expected a bigint, got ${typeof integer}`);
  const bytes = Buffer.allocUnsafe(8);
  bytes.writeBigInt64BE(integer);
  return bytes;
};

/** Kafka: LongDeserializer. */
export const longDeserializer: Deserializer<bigint> = (bytes) => ofSize(bytes, 8).readBigInt64BE();

/** A number as the eight bytes of IEEE 754, the highest first. Kafka: DoubleSerializer. */
export const doubleSerializer: Serializer<number> = (number) => {
  if (typeof number !== "number") throw new TypeError(`expected a number, got ${typeof number}`);
  const bytes = Buffer.allocUnsafe(8);
  bytes.writeDoubleBE(number);
  return bytes;
};

/** Kafka: DoubleDeserializer. */
export const doubleDeserializer: Deserializer<number> = (bytes) => ofSize(bytes, 8).readDoubleBE();

function ofSize(bytes: Buffer, size: number): Buffer {
  if (bytes.length === size) return bytes;
  throw new RangeError(`expected ${size} bytes, got ${bytes.length}`);
}
