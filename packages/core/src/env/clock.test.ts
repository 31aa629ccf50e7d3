import { expect, test } from "vitest";
import { AssertionFailure } from "../assert.ts";
import { ManualClock } from "./clock.ts";
import { SystemClock } from "./node-clock.ts";

test("a manual clock moves by hand only, never by being read", () => {
  const clock = new ManualClock(1_000);
  expect([clock.nowMs(), clock.nowMs()]).toEqual([1_000, 1_000]);
  clock.advance(5);
  clock.advance(0);
  expect(clock.nowMs()).toBe(1_005);
  clock.set(2_000);
  clock.set(2_000);
  expect(clock.nowMs()).toBe(2_000);
});

test("a manual clock refuses to go back, and times that are none", () => {
  const clock = new ManualClock(1_000);
  const wrongs = [
    () => clock.set(999),
    () => clock.advance(-1),
    () => clock.advance(0.5),
    () => clock.set(Number.NaN),
  ];
  for (const wrong of wrongs) expect(wrong).toThrow(AssertionFailure);
  expect(() => clock.advance(Number.MAX_SAFE_INTEGER)).toThrow("a clock at 1000 ms cannot move to");
  expect(clock.nowMs()).toBe(1_000);
  expect(() => new ManualClock(-1)).toThrow("a clock cannot start at -1 ms");
});

test("the system's clock gives whole milliseconds since the epoch", () => {
  const before = Date.now();
  const now = new SystemClock().nowMs();
  expect(Number.isSafeInteger(now)).toBe(true);
  expect(now).toBeGreaterThanOrEqual(before);
});

test("both clocks tell how long something is ago, and never less than before", () => {
  const manual = new ManualClock(1_000);
  const at = manual.monotonicMs();
  manual.advance(5);
  expect(manual.monotonicMs() - at).toBe(5);
  const system = new SystemClock();
  const before = system.monotonicMs();
  expect(system.monotonicMs()).toBeGreaterThanOrEqual(before);
});
