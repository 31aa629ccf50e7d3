import { expect, onTestFinished, test, vi } from "vitest";
import { Ticker } from "./ticker.ts";

function withFakeTime(): void {
  vi.useFakeTimers();
  onTestFinished(() => {
    vi.useRealTimers();
  });
}

test("steps are taken one after the other: none begins while the last is under way", async () => {
  withFakeTime();
  const ends: (() => void)[] = [];
  const ticker = new Ticker(
    { flushLogs: () => new Promise((resolve) => ends.push(resolve)) },
    100,
    () => undefined,
  );
  await vi.advanceTimersByTimeAsync(350);
  expect(ends).toHaveLength(1);
  ends[0]?.();
  await vi.advanceTimersByTimeAsync(100);
  expect(ends).toHaveLength(2);
  const stopped = ticker.stop();
  ends[1]?.();
  await stopped;
  await vi.advanceTimersByTimeAsync(1_000);
  expect(ends).toHaveLength(2);
});

test("a step that fails is told, and the next one is taken all the same", async () => {
  withFakeTime();
  const problems: unknown[] = [];
  const ticker = new Ticker({ flushLogs: () => Promise.reject(new Error("no disk")) }, 100, (problem) =>
    problems.push(problem),
  );
  await vi.advanceTimersByTimeAsync(200);
  expect(problems).toHaveLength(2);
  await ticker.stop();
});
