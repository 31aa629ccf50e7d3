/**
 * A field whose type is any tells the compiler nothing about what its reader does. Types that are computed from the protocol's
 * schemas show it nowhere in the declarations, so that it is the compiler who fails this test: `npm run types`.
 */
import type { OperationName, ParsedResponse } from "@minikafka/protocol";
import { expectTypeOf, test } from "vitest";
import type { ClusterEvent, Diagnostics } from "../src/index.ts";

/** Counts how deep it looks. */
type Deep = readonly [0, 0, 0, 0, 0, 0];
type Less<Depth extends readonly unknown[]> = Depth extends readonly [unknown, ...infer Rest] ? Rest : [];

/** Whether `T` is any, or holds it. */
type HasAny<T, Depth extends readonly unknown[] = Deep> = 0 extends 1 & T
  ? true
  : Depth extends readonly []
    ? false
    : T extends string | number | boolean | bigint | null | undefined | Buffer | Error
      ? false
      : T extends readonly (infer Item)[]
        ? HasAny<Item, Less<Depth>>
        : T extends object
          ? true extends { [Key in keyof T]-?: HasAny<T[Key], Less<Depth>> }[keyof T]
            ? true
            : false
          : false;

type Answers = { [Name in OperationName]: true extends HasAny<ParsedResponse<Name>> ? true : false };
type None = { [Name in OperationName]: false };

test("no answer, event or diagnosis has a field that is any", () => {
  expectTypeOf<Answers>().toEqualTypeOf<None>();
  expectTypeOf<true extends HasAny<ClusterEvent> ? true : false>().toEqualTypeOf<false>();
  expectTypeOf<true extends HasAny<Diagnostics> ? true : false>().toEqualTypeOf<false>();
  // That it would be found.
  expectTypeOf<HasAny<{ readonly found: ReturnType<typeof JSON.parse> }>>().toEqualTypeOf<true>();
});
