import { ManualClock } from "@minikafka/core/testing";
import { expect, test } from "vitest";
import { Deadlines } from "./deadlines.ts";

function stepped() {
  const clock = new ManualClock(1_000);
  const deadlines = Deadlines.ofSteppedTime(clock);
  const fired: string[] = [];
  return {
    deadlines,
    fired,
    after: (delayMs: number, name: string) => deadlines.after(delayMs, () => fired.push(name)),
    advance: (ms: number) => {
      clock.advance(ms);
      deadlines.fireDue();
    },
  };
}

test("what is due is called earliest first, and in order of registration at the same time", () => {
  const { after, advance, fired } = stepped();
  after(30, "late");
  after(10, "early");
  after(20, "middle, first");
  after(20, "middle, second");
  advance(9);
  expect(fired).toEqual([]);
  advance(11);
  expect(fired).toEqual(["early", "middle, first", "middle, second"]);
  advance(10);
  expect(fired).toEqual(["early", "middle, first", "middle, second", "late"]);
});

test("a manual clock makes nothing due until it is moved", () => {
  const { after, deadlines, fired, advance } = stepped();
  after(0, "at once");
  expect(fired).toEqual([]);
  expect(deadlines.size).toBe(1);
  advance(0);
  expect(fired).toEqual(["at once"]);
});

test("a cancelled deadline is never called and takes no room", () => {
  const { after, deadlines, fired, advance } = stepped();
  const first = after(10, "cancelled");
  after(10, "kept");
  first.cancel();
  first.cancel();
  expect(deadlines.size).toBe(1);
  advance(10);
  expect(fired).toEqual(["kept"]);
  expect(deadlines.size).toBe(0);
});

test("a deadline cancelled by one of the same time is not called", () => {
  const { deadlines, fired, advance, after } = stepped();
  deadlines.after(10, () => victim.cancel());
  const victim = after(10, "victim");
  advance(10);
  expect(fired).toEqual([]);
});

test("deadlines set while others come due wait for their own time", () => {
  const { deadlines, fired, advance } = stepped();
  deadlines.after(10, () => deadlines.after(10, () => fired.push("second")));
  advance(15);
  expect(fired).toEqual([]);
  advance(10);
  expect(fired).toEqual(["second"]);
});

test("in real time deadlines come due by themselves, also one that is set before an earlier one", async () => {
  const deadlines = Deadlines.ofRealTime();
  const fired: string[] = [];
  await new Promise<void>((resolve) => {
    deadlines.after(20, () => {
      fired.push("later");
      resolve();
    });
    deadlines.after(1, () => fired.push("sooner"));
    deadlines.after(5, () => fired.push("cancelled")).cancel();
  });
  expect(fired).toEqual(["sooner", "later"]);
  deadlines.close();
});

test("a closed set of deadlines calls nobody", () => {
  const { after, deadlines, fired, advance } = stepped();
  after(1, "never");
  deadlines.close();
  advance(5);
  expect(fired).toEqual([]);
  expect(deadlines.size).toBe(0);
});

test("once requests have no more time, those that wait are called, earliest first, those that come are due, and connections have theirs", () => {
  const { deadlines, fired, advance, after } = stepped();
  const request = (delayMs: number, name: string) =>
    deadlines.after(delayMs, () => fired.push(name), "answer");
  after(5, "a connection");
  request(20, "late");
  request(10, "early");
  request(20, "cancelled").cancel();
  deadlines.endWaits();
  expect(fired).toEqual(["early", "late"]);
  request(60_000, "behind");
  expect(deadlines.fireDue()).toBe(true);
  expect(fired).toEqual(["early", "late", "behind"]);
  advance(5);
  expect(fired).toEqual(["early", "late", "behind", "a connection"]);
});
