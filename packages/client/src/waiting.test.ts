import { expect, test } from "vitest";
import { ManualClock } from "./clock.ts";
import { openLink } from "./link/link-factory.ts";
import { pause, untilAborted } from "./waiting.ts";
import { WakeUp } from "./wake-up.ts";

const REASON = new Error("no more");

function never<T>(): Promise<T> {
  return new Promise(() => {});
}

test("a wait under a signal that was aborted before ends at once, and leaves no timer", async () => {
  const clock = new ManualClock();
  const signal = AbortSignal.abort(REASON);
  await new WakeUp().wait(clock, null, signal);
  await new WakeUp().wait(clock, 1_000, signal);
  await expect(pause(clock, 1_000, signal)).rejects.toBe(REASON);
  await expect(untilAborted(never(), signal)).rejects.toBe(REASON);
  expect(clock.waiting).toBe(0);
});

test("a wait ends with its signal, and leaves no timer", async () => {
  const clock = new ManualClock();
  const controller = new AbortController();
  const { signal } = controller;
  const woken = new WakeUp().wait(clock, 1_000, signal);
  const paused = expect(pause(clock, 1_000, signal)).rejects.toBe(REASON);
  const left = expect(untilAborted(never(), signal)).rejects.toBe(REASON);
  controller.abort(REASON);
  await Promise.all([woken, paused, left]);
  expect(clock.waiting).toBe(0);
});

test("what fails after its wait was given up before is nobody's failure", async () => {
  // An unhandled rejection would fail this file.
  await expect(untilAborted(Promise.reject(new Error("unheard")), AbortSignal.abort(REASON))).rejects.toBe(
    REASON,
  );
  await new Promise((resolve) => setImmediate(resolve));
});

test("a link that was given up before is not even attempted", async () => {
  const clock = new ManualClock();
  let attempts = 0;
  const factory = () => {
    attempts += 1;
    return never<never>();
  };
  const options = { peer: "somewhere", clock, timeoutMs: 1_000, signal: AbortSignal.abort(REASON) };
  await expect(openLink(factory, options)).rejects.toBe(REASON);
  expect([attempts, clock.waiting]).toEqual([0, 0]);
});
