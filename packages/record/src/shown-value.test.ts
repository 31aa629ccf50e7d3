import { expect, test } from "vitest";
import { shownValue } from "./shown-value.ts";

const own: { self?: unknown } = {};
own.self = own;

test.each([
  ["text", '"text"'],
  [{ dir: "" }, '{"dir":""}'],
  [null, "null"],
  [undefined, "undefined"],
  [Number.NaN, "NaN"],
  [Number.POSITIVE_INFINITY, "Infinity"],
  [5n, "5"],
  [{ dir: Number.NaN, size: 5n }, '{"dir":"NaN","size":"5"}'],
  [Symbol("s"), "Symbol(s)"],
  [() => true, "a function"],
  [own, "an object"],
  [[own], "an array"],
])("%o is shown as it is, not as what JSON makes of it", (value, shown) => {
  expect(shownValue(value)).toBe(shown);
});
