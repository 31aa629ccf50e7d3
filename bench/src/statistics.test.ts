import { expect, test } from "vitest";
import { median, quartiles } from "./statistics.ts";

test("one wild measurement does not move the median far", () => {
  expect(median([3, 1, 1_000])).toBe(3);
  expect(median([4, 1, 2, 1_000])).toBe(3);
  expect(median([7])).toBe(7);
});

test("half of the measurements lie between the quartiles", () => {
  expect(quartiles([5, 1, 4, 2, 3])).toEqual([2, 4]);
  expect(quartiles([4, 1, 2, 3])).toEqual([1.5, 3.5]);
  expect(quartiles([7])).toEqual([7, 7]);
});

test("no measurement has no median", () => {
  expect(() => median([])).toThrow(RangeError);
});
