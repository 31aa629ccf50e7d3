/** How a message is described: fields marked by version, structs and arrays of them, and an API of two messages. */
import type { Primitive } from "./field-types.ts";
import {
  ALL_VERSIONS,
  isWithin,
  type VersionRange,
  type VersionText,
  versionRange,
} from "./version-range.ts";

export interface StructType<Fields extends Shape = Shape> {
  readonly kind: "struct";
  /** In the order of the wire. */
  readonly fields: Fields;
}

export interface ArrayType<Element extends FieldType = FieldType> {
  readonly kind: "array";
  readonly element: Element;
}

export type FieldType = Primitive<unknown> | ArrayType | StructType;
export type Shape = { readonly [name: string]: Field };

export interface FieldOptions {
  /** The versions that have the field. Left out: all. */
  readonly versions?: VersionText;
  /** The versions in which it may be null. Left out: none. */
  readonly nullable?: VersionText;
  /**
   * What it is where it is not there: a writer may leave it out then. Left out: a writer has to give it, and a reader finds
   * the type's zero ("", 0, false, [], no bytes) in versions without it.
   */
  readonly default?: string | number | boolean | null | readonly [];
  /**
   * Its number among the tagged fields, where it is one (KIP-482). Its versions are then flexible ones, and it may always be
   * left out.
   */
  readonly tag?: number;
}

export interface Field<Type extends FieldType = FieldType, Options extends FieldOptions = FieldOptions> {
  readonly type: Type;
  readonly options: Options;
  readonly versions: VersionRange;
  readonly nullableIn: VersionRange | null;
}

/** What a reader finds: every field, whatever the version. */
export type ValueOf<Type extends FieldType> =
  Type extends ArrayType<infer Element>
    ? readonly ValueOf<Element>[]
    : Type extends StructType<infer Fields>
      ? { readonly [Name in keyof Fields]: FieldValue<Fields[Name]> }
      : Type extends Primitive<infer Value>
        ? Value
        : never;

/** What a writer gives: a field with a default may be left out. */
export type InputOf<Type extends FieldType> =
  Type extends ArrayType<infer Element>
    ? readonly InputOf<Element>[]
    : Type extends StructType<infer Fields>
      ? { readonly [Name in keyof Fields as Given<Fields, Name>]: FieldInput<Fields[Name]> } & {
          readonly [Name in keyof Fields as LeftOut<Fields, Name>]?: FieldInput<Fields[Name]>;
        }
      : Type extends Primitive<infer Value>
        ? Value
        : never;

type OrNull<Options> = Options extends { readonly nullable: string } ? null : never;
type FieldValue<F> = F extends Field<infer Type, infer Options> ? ValueOf<Type> | OrNull<Options> : never;
type FieldInput<F> = F extends Field<infer Type, infer Options> ? InputOf<Type> | OrNull<Options> : never;
type HasDefault<F> = F extends { readonly options: { readonly default: unknown } | { readonly tag: number } }
  ? true
  : false;
type Given<Fields, Name extends keyof Fields> = HasDefault<Fields[Name]> extends true ? never : Name;
type LeftOut<Fields, Name extends keyof Fields> = HasDefault<Fields[Name]> extends true ? Name : never;

/** The default of a field is a value of its type. */
type DefaultFits<Type extends FieldType> = { readonly default?: ValueOf<Type> | null };

export function field<Type extends FieldType, const Options extends FieldOptions = FieldOptions>(
  type: Type,
  options?: Options & DefaultFits<Type>,
): Field<Type, Options> {
  const given: FieldOptions = options ?? {};
  if (
    given.nullable !== undefined &&
    (type.kind === "struct" || (type.kind !== "array" && !type.canBeNull))
  ) {
    throw new TypeError(`the type ${type.kind} cannot be null`);
  }
  return {
    type,
    options: given as Options,
    versions: given.versions === undefined ? ALL_VERSIONS : versionRange(given.versions),
    nullableIn: given.nullable === undefined ? null : versionRange(given.nullable),
  };
}

export function struct<const Fields extends Shape>(fields: Fields): StructType<Fields> {
  return { kind: "struct", fields };
}

export function arrayOf<Element extends FieldType>(element: Element): ArrayType<Element> {
  return { kind: "array", element };
}

/** The two messages of one API key. */
export interface Api<
  Name extends string = string,
  Request extends StructType = StructType,
  Response extends StructType = StructType,
> {
  readonly key: number;
  readonly name: Name;
  /** Lowest and highest version that ApiVersions names. */
  readonly versions: readonly [from: number, to: number];
  /** Versions below are named, for clients that look for them there, and refused. Left out: none. */
  readonly servedFrom?: number;
  /** From here on lengths are compact and structs end in tagged fields (KIP-482); null: in no version. */
  readonly flexibleFrom: number | null;
  /** True where the header of the response has no tagged fields in any version (ApiVersions, KIP-511). */
  readonly plainResponseHeader?: true;
  readonly request: Request;
  readonly response: Response;
}

export function api<const Name extends string, Request extends StructType, Response extends StructType>(
  description: Api<Name, Request, Response>,
): Api<Name, Request, Response> {
  return description;
}

/** The versions that can be decoded and encoded. */
export function servedVersions({ versions: [from, to], servedFrom }: Api): VersionRange {
  return { from: servedFrom ?? from, to };
}

export function isServed(api: Api, version: number): boolean {
  return Number.isInteger(version) && isWithin(version, servedVersions(api));
}

export function isFlexible({ flexibleFrom }: Api, version: number): boolean {
  return flexibleFrom !== null && version >= flexibleFrom;
}
