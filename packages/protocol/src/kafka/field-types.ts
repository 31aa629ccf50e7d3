/** The primitive types of fields, each with its form on the wire. Structs and arrays of them: schema.ts. */
import { Malformed, Unencodable } from "./codec-errors.ts";
import type { Reader } from "./reader.ts";
import type { Writer } from "./writer.ts";

export interface Primitive<Value> {
  readonly kind: PrimitiveKind;
  /** What a field holds where a version has no such field and the schema names no default. */
  readonly zero: Value;
  /** The types whose length may say null. */
  readonly canBeNull: boolean;
  /** The fewest bytes that a value takes. */
  bytesMin(isFlexible: boolean): number;
  read(reader: Reader, isFlexible: boolean): Value | null;
  write(writer: Writer, value: Value | null, isFlexible: boolean): void;
}

type NumberKind = "int8" | "int16" | "int32" | "int64" | "uint16" | "uint32";
export type PrimitiveKind = NumberKind | "boolean" | "uuid" | "string" | "bytes" | "records";

function number(kind: NumberKind, bytes: number): Primitive<number> {
  return {
    kind,
    zero: 0,
    canBeNull: false,
    bytesMin: () => bytes,
    read: (reader) => reader[kind](),
    write(writer, value) {
      if (!Number.isInteger(value)) throw new Unencodable(`${value} is not an ${kind}`);
      try {
        writer[kind](value ?? 0);
      } catch (error) {
        if (error instanceof RangeError) throw new Unencodable(`${value} is not an ${kind}`);
        throw error;
      }
    },
  };
}

export const int8 = number("int8", 1);
export const int16 = number("int16", 2);
export const int32 = number("int32", 4);
/** A safe integer: Kafka's 64 bits, of which we use 53. What is beyond is read as the nearest, and never written. */
export const int64 = number("int64", 8);
export const uint16 = number("uint16", 2);
export const uint32 = number("uint32", 4);

export const boolean: Primitive<boolean> = {
  kind: "boolean",
  zero: false,
  canBeNull: false,
  bytesMin: () => 1,
  read: (reader) => reader.int8() !== 0,
  write: (writer, value) => writer.int8(value === true ? 1 : 0),
};

/** The id of nothing: Kafka's Uuid.ZERO_UUID. */
export const ZERO_UUID = "00000000-0000-0000-0000-000000000000";
const UUID = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/;

function uuidText(bytes: Buffer): string {
  const digits = bytes.toString("hex");
  return [
    ...[digits.slice(0, 8), digits.slice(8, 12), digits.slice(12, 16)],
    ...[digits.slice(16, 20), digits.slice(20)],
  ].join("-");
}

/** 16 bytes, in TypeScript the usual text in lower case. */
export const uuid: Primitive<string> = {
  kind: "uuid",
  zero: ZERO_UUID,
  canBeNull: false,
  bytesMin: () => 16,
  read: (reader) => uuidText(reader.bytes(16)),
  write(writer, value) {
    if (value === null || !UUID.test(value)) throw new Unencodable(`"${value}" is not a uuid`);
    writer.bytes(Buffer.from(value.replaceAll("-", ""), "hex"));
  },
};

export const string: Primitive<string> = {
  kind: "string",
  zero: "",
  canBeNull: true,
  bytesMin: (isFlexible) => (isFlexible ? 1 : 2),
  read(reader, isFlexible) {
    const length = reader.shortLength(isFlexible);
    return length === -1 ? null : reader.text(length);
  },
  write(writer, value, isFlexible) {
    if (value === null) writer.shortLength(-1, isFlexible);
    else writer.text(value, isFlexible);
  },
};

function byteField(kind: "bytes" | "records"): Primitive<Buffer> {
  return {
    kind,
    zero: Buffer.alloc(0),
    canBeNull: true,
    bytesMin: (isFlexible) => (isFlexible ? 1 : 4),
    read(reader, isFlexible) {
      const length = reader.longLength(isFlexible);
      return length === -1 ? null : reader.bytes(length);
    },
    write(writer, value, isFlexible) {
      writer.longLength(value === null ? -1 : value.length, isFlexible);
      if (value !== null) writer.bytes(value);
    },
  };
}

/** A view into what was decoded: copy what is kept. */
export const bytes = byteField("bytes");
/** Record batches, one after another, as they lie in the message: a view. */
export const records = byteField("records");

/** `value`, unless it is a null that may not be there. */
export function notNull<T>(value: T | null, position: number): T {
  if (value === null) throw new Malformed(position, "a value, as null is not allowed here");
  return value;
}
