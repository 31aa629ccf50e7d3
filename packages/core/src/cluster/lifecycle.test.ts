import { expect, test } from "vitest";
import { Lifecycle, type LifecycleEvent } from "./lifecycle.ts";

function after(...events: LifecycleEvent[]): Lifecycle {
  const lifecycle = new Lifecycle();
  for (const event of events) lifecycle.on(event);
  return lifecycle;
}

test("a cluster runs, closes, and is closed; or it fails", () => {
  expect(after().state).toBe("running");
  expect(after("close").state).toBe("closing");
  expect(after("close", "close").state).toBe("closing");
  expect(after("close", "close_done").state).toBe("closed");
  expect(after("close", "close_failed").state).toBe("failed");
  expect(after("crash").state).toBe("failed");
  expect(after("close", "crash").state).toBe("failed");
  expect(after("close", "close_done", "close", "crash").state).toBe("closed");
  expect(after("crash", "close", "crash").state).toBe("failed");
});

test("an event that cannot happen is a mistake of the program", () => {
  expect(() => after("close_done")).toThrow("a cluster that is running cannot take close_done");
  expect(() => after("crash", "close_failed")).toThrow("a cluster that is failed cannot take close_failed");
});

test("requests are served only while running", () => {
  after().requireRunning();
  for (const lifecycle of [after("close"), after("close", "close_done"), after("crash")]) {
    expect(() => lifecycle.requireRunning()).toThrow(expect.objectContaining({ code: "SHUTTING_DOWN" }));
  }
});
