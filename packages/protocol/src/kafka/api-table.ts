/**
 * The one table of Kafka's APIs that are spoken here. ApiVersions is printed from it, the listener dispatches by it, and its
 * handlers are typed by it.
 */
import { metadata } from "./apis/03-metadata.ts";
import { apiVersions } from "./apis/18-api-versions.ts";
import type { InputOf, ValueOf } from "./schema.ts";

/** By key, in order. */
export const API_TABLE = {
  3: metadata,
  18: apiVersions,
} as const;

export type AnyApi = (typeof API_TABLE)[keyof typeof API_TABLE];
export type ApiName = AnyApi["name"];
export type ApiNamed<Name extends ApiName> = Extract<AnyApi, { readonly name: Name }>;

/** A request as a handler gets it: every field is there, whatever the version. */
export type RequestOf<Name extends ApiName> = ValueOf<ApiNamed<Name>["request"]>;
/** A response as a handler gives it: a field with a default may be left out. */
export type ResponseOf<Name extends ApiName> = InputOf<ApiNamed<Name>["response"]>;
/** A request as a client gives it. */
export type RequestInputOf<Name extends ApiName> = InputOf<ApiNamed<Name>["request"]>;
/** A response as a client gets it. */
export type ResponseValueOf<Name extends ApiName> = ValueOf<ApiNamed<Name>["response"]>;

const byKey: ReadonlyMap<number, AnyApi> = new Map(Object.values(API_TABLE).map((api) => [api.key, api]));

/** The API of a key, or `undefined` for one that is not spoken. */
export function apiOf(key: number): AnyApi | undefined {
  return byKey.get(key);
}
