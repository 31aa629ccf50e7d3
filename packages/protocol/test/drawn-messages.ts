/** Draws values for any message of Kafka's protocol from its description. */
import fc from "fast-check";
import { defaultOf } from "../src/kafka/codec.ts";
import type { PrimitiveKind } from "../src/kafka/field-types.ts";
import {
  type Api,
  type Field,
  type FieldType,
  type StructType,
  servedVersions,
} from "../src/kafka/schema.ts";
import { isWithin } from "../src/kafka/version-range.ts";

const ELEMENTS_MAX = 3;
const BYTES_MAX = 12;

const drawnText = fc.string({ unit: "binary", maxLength: BYTES_MAX });
const drawnBytes = fc.uint8Array({ maxLength: BYTES_MAX }).map((drawn) => Buffer.from(drawn));
const drawnUuid = fc.uint8Array({ minLength: 16, maxLength: 16 }).map((drawn) =>
  Buffer.from(drawn)
    .toString("hex")
    .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5"),
);

const PRIMITIVES: Readonly<Record<PrimitiveKind, fc.Arbitrary<unknown>>> = {
  int8: fc.integer({ min: -(2 ** 7), max: 2 ** 7 - 1 }),
  int16: fc.integer({ min: -(2 ** 15), max: 2 ** 15 - 1 }),
  int32: fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }),
  int64: fc.maxSafeInteger(),
  uint16: fc.nat(2 ** 16 - 1),
  uint32: fc.integer({ min: 0, max: 2 ** 32 - 1 }),
  boolean: fc.boolean(),
  uuid: drawnUuid,
  string: drawnText,
  bytes: drawnBytes,
  records: drawnBytes,
};

function drawnOf(type: FieldType, version: number): fc.Arbitrary<unknown> {
  if (type.kind === "struct") return drawnStruct(type, version);
  if (type.kind === "array") return fc.array(drawnOf(type.element, version), { maxLength: ELEMENTS_MAX });
  return PRIMITIVES[type.kind];
}

function drawnField(field: Field, version: number): fc.Arbitrary<unknown> {
  if (!isWithin(version, field.versions)) return fc.constant(defaultOf(field));
  const value = drawnOf(field.type, version);
  const mayBeNull = field.nullableIn !== null && isWithin(version, field.nullableIn);
  // Defaults come up often: a tagged field that holds its default is not written.
  return fc.oneof(
    { weight: 4, arbitrary: mayBeNull ? fc.option(value, { freq: 4 }) : value },
    {
      weight: 1,
      arbitrary: fc.constant(mayBeNull ? null : (defaultOf(field) ?? null)),
    },
  );
}

/** A struct as a reader finds it in this version: what the version does not have holds its default. */
export function drawnStruct(type: StructType, version: number): fc.Arbitrary<Record<string, unknown>> {
  const fields = Object.entries(type.fields);
  return fc.record(Object.fromEntries(fields.map(([name, field]) => [name, drawnField(field, version)])));
}

/** Every version that an API serves. */
export function versionsOf(api: Api): number[] {
  const { from, to } = servedVersions(api);
  return Array.from({ length: to - from + 1 }, (_, index) => from + index);
}
