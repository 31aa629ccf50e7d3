import { expect, test } from "vitest";
import { median, percentile, quartiles } from "./statistics.ts";

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

test("a percentile is a measurement that so many do not exceed", () => {
  const hundred = Array.from({ length: 100 }, (_, place) => 100 - place);
  expect([50, 99, 100].map((percent) => percentile(hundred, percent))).toEqual([50, 99, 100]);
  expect(percentile([3], 1)).toBe(3);
});

test("no measurement has no median, and no percentile", () => {
  expect(() => median([])).toThrow(RangeError);
  expect(() => percentile([], 50)).toThrow(RangeError);
});
