/** The protocol's table of events beside the kernel's: which kinds there are, and which facts each has. */
import type { TraceEvent } from "@minikafka/core";
import type { EVENTS, EventFacts } from "@minikafka/protocol";
import { expectTypeOf, test } from "vitest";

type SnakeName<Name> = Name extends `${infer First}${infer Rest}`
  ? First extends Lowercase<First>
    ? `${First}${SnakeName<Rest>}`
    : `_${Lowercase<First>}${SnakeName<Rest>}`
  : Name;
/** As event-text.ts sends it. */
type SnakeCased<Value> = Value extends readonly (infer Item)[]
  ? readonly SnakeCased<Item>[]
  : Value extends object
    ? { readonly [Name in keyof Value as SnakeName<Name>]: SnakeCased<Value[Name]> }
    : Value;

type Kind = TraceEvent["kind"];
type Table = typeof EVENTS;
type Sent<K extends Kind> = SnakeCased<Omit<Extract<TraceEvent, { kind: K }>, "kind">>;
type Place = "broker_id" | "topic" | "partition";

/** Kinds that the table lacks, and facts that it lacks or has of its own: none, or this file does not compile. */
type Differences = {
  [K in Kind]: K extends keyof Table
    ? Exclude<keyof Sent<K>, keyof EventFacts<K> | Place> | Exclude<keyof EventFacts<K>, keyof Sent<K>>
    : K;
}[Kind];

/** Kinds of which a fact is of another type than the table says. */
type Mistyped = {
  [K in Kind & keyof Table]: Sent<K> extends EventFacts<K> ? never : K;
}[Kind & keyof Table];

test("the reference names every kind of event that the kernel has, with all of its facts, and no other", () => {
  expectTypeOf<Differences>().toBeNever();
  expectTypeOf<Exclude<keyof Table, Kind>>().toBeNever();
  expectTypeOf<Mistyped>().toBeNever();
});
