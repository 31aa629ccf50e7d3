import { expect, test } from "vitest";
import { checkOffsetSpec, timestampOf } from "./offset-lookup.ts";
import type { OffsetSpec } from "./partition-cursor.ts";

test.each([
  ["beginning", -2],
  ["earliest", -2],
  ["end", -1],
  ["latest", -1],
  [{ timestampMs: 7 }, 7],
] as const)("%j is asked for as the time %i", (place, timestampMs) => {
  expect(() => checkOffsetSpec(place)).not.toThrow();
  expect(timestampOf(place)).toBe(timestampMs);
});

test.each(["middle", "toString", null, -1])("%j says no offset, and is refused with what does", (spec) => {
  expect(() => checkOffsetSpec(spec as OffsetSpec)).toThrow(/expected/);
});
