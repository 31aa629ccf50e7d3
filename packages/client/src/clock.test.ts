import { expect, test } from "vitest";
import { ManualClock, systemClock } from "./clock.ts";

test("a manual clock moves only by hand, never by being read", () => {
  const clock = new ManualClock(5_000);
  expect([clock.nowMs(), clock.nowMs(), clock.elapsedMs()]).toEqual([5_000, 5_000, 0]);
  clock.advance(250);
  expect([clock.nowMs(), clock.elapsedMs()]).toEqual([5_250, 250]);
});

test("what is due runs in the order of its times, at its time, and what was cancelled never", () => {
  const clock = new ManualClock();
  const ran: string[] = [];
  clock.after(30, () => ran.push(`c at ${clock.nowMs()}`));
  clock.after(10, () => {
    ran.push(`a at ${clock.nowMs()}`);
    clock.after(5, () => ran.push(`b at ${clock.nowMs()}`));
  });
  const cancel = clock.after(20, () => ran.push("cancelled"));
  cancel();
  clock.advance(29);
  expect(ran).toEqual(["a at 10", "b at 15"]);
  expect(clock.waiting).toBe(1);
  clock.advance(1);
  expect(ran).toEqual(["a at 10", "b at 15", "c at 30"]);
  expect(clock.waiting).toBe(0);
});

test("a manual clock refuses to go back", () => {
  expect(() => new ManualClock().advance(-1)).toThrow(RangeError);
  expect(() => new ManualClock(-1)).toThrow(RangeError);
});

test("a cancelled wait of the system's clock leaves no timer", () => {
  const timers = () => process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;
  const before = timers();
  const cancel = systemClock.after(60_000, () => {});
  expect(timers()).toBe(before + 1);
  cancel();
  expect(timers()).toBe(before);
});
