import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { presentTimers, timers } from "./system-timers.ts";
import { Ticker } from "./ticker.ts";

beforeEach(() => {
  vi.useFakeTimers();
  Object.assign(timers, presentTimers());
});
afterEach(() => {
  vi.useRealTimers();
  Object.assign(timers, presentTimers());
});

/** A step of which each taking lasts until it is let go. */
function heldStep(name: string, everyMs: number) {
  const held: { resolve: () => void; reject: (error: Error) => void }[] = [];
  const take = () =>
    new Promise<void>((resolve, reject) => {
      held.push({ resolve, reject });
    });
  return { step: { name, everyMs, take }, held };
}

test("each step is taken in its own interval, and not begun while it is still under way", async () => {
  const [flush, retention] = [heldStep("flush_logs", 10), heldStep("apply_retention", 25)];
  const ticker = new Ticker([flush.step, retention.step], () => undefined);
  await vi.advanceTimersByTimeAsync(50);
  expect([flush.held.length, retention.held.length]).toEqual([1, 1]);
  flush.held[0]?.resolve();
  await vi.advanceTimersByTimeAsync(10);
  expect([flush.held.length, retention.held.length]).toEqual([2, 1]);
  flush.held[1]?.resolve();
  retention.held[0]?.resolve();
  await ticker.stop();
});

test("a step that fails is told by its name, is taken again, and stops no other", async () => {
  const problems: [string, unknown][] = [];
  let flushes = 0;
  const failure = new Error("no room");
  const ticker = new Ticker(
    [
      { name: "apply_retention", everyMs: 10, take: () => Promise.reject(failure) },
      {
        name: "flush_logs",
        everyMs: 10,
        take: async () => {
          flushes += 1;
        },
      },
    ],
    (step, error) => problems.push([step, error]),
  );
  await vi.advanceTimersByTimeAsync(20);
  expect(problems).toEqual([
    ["apply_retention", failure],
    ["apply_retention", failure],
  ]);
  expect(flushes).toBe(2);
  await ticker.stop();
});

test("a step that throws at once, before it promises anything, is told as well", async () => {
  const problems: string[] = [];
  const take = () => {
    throw new Error("at once");
  };
  const ticker = new Ticker([{ name: "compact", everyMs: 10, take }], (step) => problems.push(step));
  await vi.advanceTimersByTimeAsync(20);
  expect(problems).toEqual(["compact", "compact"]);
  await ticker.stop();
});

test("a stopped ticker takes no further step, and has stopped when the last one is over", async () => {
  const { step, held } = heldStep("flush_logs", 10);
  const ticker = new Ticker([step], () => undefined);
  await vi.advanceTimersByTimeAsync(10);
  let isStopped = false;
  const stopped = ticker.stop().then(() => {
    isStopped = true;
  });
  await vi.advanceTimersByTimeAsync(100);
  expect([held.length, isStopped]).toEqual([1, false]);
  held[0]?.resolve();
  await stopped;
  expect(vi.getTimerCount()).toBe(0);
});
