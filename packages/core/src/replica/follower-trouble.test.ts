import { expect, test } from "vitest";
import { afterFailure, atOnce, isWaiting, type Trouble } from "./follower-trouble.ts";

test("the pause doubles with each failure, from half a second up to a minute", () => {
  let trouble: Trouble | null = null;
  const pauses: number[] = [];
  for (let failure = 1; failure <= 10; failure++) {
    trouble = afterFailure(trouble, 1_000);
    expect(trouble.failures).toBe(failure);
    pauses.push(trouble.retryAtMs - 1_000);
  }
  expect(pauses).toEqual([500, 1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000, 60_000]);
  expect(afterFailure({ failures: 100_000, retryAtMs: 0 }, 0).retryAtMs).toBe(60_000);
});

test("it is waited until the pause is over, and not at all where something may have mended it", () => {
  const trouble = afterFailure(null, 1_000);
  expect([1_000, 1_499, 1_500, 9_000].map((nowMs) => isWaiting(trouble, nowMs))).toEqual([
    true,
    true,
    false,
    false,
  ]);
  expect(isWaiting(null, 0)).toBe(false);
  expect(isWaiting(atOnce(trouble), 1_000)).toBe(false);
  expect([atOnce(trouble)?.failures, atOnce(null)]).toEqual([1, null]);
});

test("a clock that was set back by an hour makes nobody wait for an hour", () => {
  const trouble = afterFailure(null, 10_000_000);
  expect(isWaiting(trouble, 10_000_000 - 3_600_000)).toBe(false);
});
