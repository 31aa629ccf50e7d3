import { expect, test } from "vitest";
import { backoffMs } from "./backoff.ts";

const bounds = { initialMs: 50, maxMs: 1_000 };

test("the wait doubles with each failure up to its bound, and the first attempt waits for nothing", () => {
  const waits = [0, 1, 2, 3, 4, 5, 6, 60].map((failures) => backoffMs(failures, bounds, () => 0));
  expect(waits).toEqual([0, 50, 100, 200, 400, 800, 1_000, 1_000]);
});

test("jitter takes away up to half, so that clients do not come back at the same moment", () => {
  expect(backoffMs(6, bounds, () => 0.999_999)).toBe(500);
  expect(backoffMs(6, bounds, () => 0.5)).toBe(750);
});
