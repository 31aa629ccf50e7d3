import { expect, test } from "vitest";
import { median } from "./statistics.ts";

test("one wild measurement does not move the median far", () => {
  expect(median([3, 1, 1_000])).toBe(3);
  expect(median([4, 1, 2, 1_000])).toBe(3);
  expect(median([7])).toBe(7);
});

test("no measurement has no median", () => {
  expect(() => median([])).toThrow(RangeError);
});
