/** From the description of a struct and a version to functions that read and write it; they are made once. */
import { Unencodable, within } from "./codec-errors.ts";
import { notNull, type Primitive } from "./field-types.ts";
import type { Reader } from "./reader.ts";
import type { ArrayType, Field, FieldType, StructType } from "./schema.ts";
import { readTags, type TaggedCodec, writeTags } from "./tagged-fields.ts";
import { isWithin } from "./version-range.ts";
import type { Writer } from "./writer.ts";

/** What decides the form of everything in a message. */
export interface WireForm {
  readonly version: number;
  readonly isFlexible: boolean;
}

export interface Codec {
  /** The fewest bytes that a value takes: at least 1. */
  readonly bytesMin: number;
  read(reader: Reader): unknown;
  write(writer: Writer, value: unknown): void;
}

interface FieldCodec extends Codec {
  readonly name: string;
  /** What is written for a value that was left out; undefined where none may be. */
  readonly leftOut: unknown;
}

const NO_ELEMENTS: readonly never[] = Object.freeze([]);

const known = new WeakMap<StructType, Map<number, Codec>>();

/** The codec of a struct in a version: the same one each time. */
export function structCodec(type: StructType, form: WireForm): Codec {
  const codecs = known.get(type) ?? new Map<number, Codec>();
  known.set(type, codecs);
  const key = 2 * form.version + (form.isFlexible ? 1 : 0);
  const before = codecs.get(key);
  if (before !== undefined) return before;
  const made = makeStructCodec(type, form);
  codecs.set(key, made);
  return made;
}

/** What a field holds where it is not there. */
export function defaultOf({ type, options }: Field): unknown {
  return options.default === undefined ? zeroOf(type) : options.default;
}

function zeroOf(type: FieldType): unknown {
  if (type.kind === "array") return NO_ELEMENTS;
  if (type.kind === "struct") return defaultsOf(type);
  return type.zero;
}

function defaultsOf({ fields }: StructType): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, defaultOf(field)]));
}

function makeStructCodec(type: StructType, form: WireForm): Codec {
  const defaults = defaultsOf(type);
  const present = Object.entries(type.fields).filter(([, { versions }]) => isWithin(form.version, versions));
  const plain: FieldCodec[] = [];
  const tagged: TaggedCodec[] = [];
  for (const [name, field] of present) {
    const codec = { name, ...fieldCodec(field, form) };
    const { tag } = field.options;
    if (tag === undefined) plain.push({ ...codec, leftOut: field.options.default });
    else tagged.push({ ...codec, tag, isDefault: (value) => isSame(value, defaults[name]) });
  }
  if (tagged.length > 0 && !form.isFlexible) throw new TypeError("a tagged field in a version without tags");
  tagged.sort((one, other) => one.tag - other.tag);
  const tags = new Map(tagged.map((codec) => [codec.tag, codec]));
  const plainBytesMin = plain.reduce((sum, { bytesMin }) => sum + bytesMin, 0);
  return {
    bytesMin: Math.max(1, plainBytesMin + (form.isFlexible ? 1 : 0)),
    read(reader) {
      const value: Record<string, unknown> = { ...defaults };
      for (const codec of plain) value[codec.name] = readField(codec, reader);
      if (form.isFlexible) readTags(reader, tags, value);
      return value;
    },
    write(writer, value) {
      if (typeof value !== "object" || value === null) throw new Unencodable("not a struct");
      const fields = value as Readonly<Record<string, unknown>>;
      for (const codec of plain) writeField(codec, writer, fields[codec.name]);
      if (form.isFlexible) writeTags(writer, tagged, fields);
    },
  };
}

function readField(codec: FieldCodec, reader: Reader): unknown {
  try {
    return codec.read(reader);
  } catch (error) {
    throw within(codec.name, error);
  }
}

function writeField(codec: FieldCodec, writer: Writer, value: unknown): void {
  try {
    codec.write(writer, value === undefined ? codec.leftOut : value);
  } catch (error) {
    throw within(codec.name, error);
  }
}

/** Whether a tagged field need not be written: all that is left out of a struct or array counts as its default. */
function isSame(value: unknown, standard: unknown): boolean {
  if (value === undefined) return true;
  if (Array.isArray(standard)) return Array.isArray(value) && value.length === 0;
  if (typeof standard !== "object" || standard === null || Buffer.isBuffer(standard))
    return value === standard;
  return (
    typeof value === "object" &&
    value !== null &&
    Object.entries(value).every(([name, each]) => isSame(each, Reflect.get(standard, name)))
  );
}

function fieldCodec({ type, nullableIn }: Field, form: WireForm): Codec {
  const mayBeNull = nullableIn !== null && isWithin(form.version, nullableIn);
  if (type.kind === "struct") return structCodec(type, form);
  return type.kind === "array" ? arrayCodec(type, form, mayBeNull) : primitiveCodec(type, form, mayBeNull);
}

function refuseNull(value: unknown, mayBeNull: boolean): void {
  if (value === undefined) throw new Unencodable("missing");
  if (value === null && !mayBeNull) throw new Unencodable("null is not allowed in this version");
}

function primitiveCodec(type: Primitive<unknown>, { isFlexible }: WireForm, mayBeNull: boolean): Codec {
  return {
    bytesMin: type.bytesMin(isFlexible),
    read(reader) {
      const { position } = reader;
      const value = type.read(reader, isFlexible);
      return mayBeNull ? value : notNull(value, position);
    },
    write(writer, value) {
      refuseNull(value, mayBeNull);
      type.write(writer, value, isFlexible);
    },
  };
}

function elementCodec(type: FieldType, form: WireForm): Codec {
  if (type.kind === "struct") return structCodec(type, form);
  return type.kind === "array" ? arrayCodec(type, form, false) : primitiveCodec(type, form, false);
}

function arrayCodec({ element }: ArrayType, form: WireForm, mayBeNull: boolean): Codec {
  const codec = elementCodec(element, form);
  return {
    bytesMin: form.isFlexible ? 1 : 4,
    read(reader) {
      const { position } = reader;
      const count = reader.count(form.isFlexible, codec.bytesMin);
      if (count === -1) return mayBeNull ? null : notNull(null, position);
      const values: unknown[] = [];
      try {
        while (values.length < count) values.push(codec.read(reader));
      } catch (error) {
        throw within(values.length, error);
      }
      return values;
    },
    write(writer, value) {
      refuseNull(value, mayBeNull);
      if (value !== null && !Array.isArray(value)) throw new Unencodable("not an array");
      writer.longLength(value === null ? -1 : value.length, form.isFlexible);
      const values: readonly unknown[] = value ?? NO_ELEMENTS;
      let index = 0;
      try {
        for (; index < values.length; index += 1) codec.write(writer, values[index]);
      } catch (error) {
        throw within(index, error);
      }
    },
  };
}
