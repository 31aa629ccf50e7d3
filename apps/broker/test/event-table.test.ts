/** The protocol's table of events beside the kernel's: which kinds there are, and which facts each has. */
import type { TraceEvent } from "@minikafka/core";
import type { EVENTS } from "@minikafka/protocol";
import { expectTypeOf, test } from "vitest";

type SnakeName<Name> = Name extends `${infer First}${infer Rest}`
  ? First extends Lowercase<First>
    ? `${First}${SnakeName<Rest>}`
    : `_${Lowercase<First>}${SnakeName<Rest>}`
  : Name;
type Words<Text extends string> = Text extends `${infer First} ${infer Rest}` ? First | Words<Rest> : Text;

type Kind = TraceEvent["kind"];
type Table = typeof EVENTS;
type Facts<K extends Kind> = SnakeName<Exclude<keyof Extract<TraceEvent, { kind: K }>, "kind">>;
type Named<K extends Kind & keyof Table> = Words<Table[K][1]>;
type Place = "broker_id" | "topic" | "partition";

/** Kinds that the table lacks, and facts that it lacks or has of its own: none, or this file does not compile. */
type Differences = {
  [K in Kind]: K extends keyof Table ? Exclude<Facts<K>, Named<K> | Place> | Exclude<Named<K>, Facts<K>> : K;
}[Kind];

test("the reference names every kind of event that the kernel has, with all of its facts, and no other", () => {
  expectTypeOf<Differences>().toBeNever();
  expectTypeOf<Exclude<keyof Table, Kind>>().toBeNever();
});
