import { expect, test } from "vitest";
import { BrokerClock } from "./broker-clock.ts";

test("time goes when the broker's clock is heard to have moved, and what is due on the way is called in its order", () => {
  const clock = new BrokerClock();
  clock.hear(1_700_000_000_000);
  const seen: string[] = [];
  clock.after(100, () => seen.push("second"));
  clock.after(50, () => seen.push("first"));
  clock.after(101, () => seen.push("later"));
  const cancel = clock.after(10, () => seen.push("cancelled"));
  cancel();
  expect([clock.nowMs(), clock.elapsedMs(), clock.mode]).toEqual([1_700_000_000_000, 0, "auto"]);
  clock.hear(1_700_000_000_100);
  expect(seen).toEqual(["first", "second"]);
  expect([clock.nowMs(), clock.elapsedMs()]).toEqual([1_700_000_000_100, 100]);
});

test("a broker that was started anew at an earlier time lets no duration go back, and no wait end early", () => {
  const clock = new BrokerClock();
  clock.hear(5000);
  const seen: string[] = [];
  clock.after(100, () => seen.push("due"));
  clock.hear(5060);
  clock.hear(0);
  expect([clock.nowMs(), clock.elapsedMs()]).toEqual([0, 60]);
  clock.hear(39);
  expect(seen).toEqual([]);
  clock.hear(40);
  expect(seen).toEqual(["due"]);
});

test("a move is one jump: who begins to wait meanwhile waits from its end on, and who is cancelled meanwhile is not called", () => {
  const clock = new BrokerClock();
  clock.hear(0);
  const seen: string[] = [];
  clock.after(10, () => {
    seen.push("sent");
    clock.after(30, () => seen.push("given up"));
    cancel();
  });
  const cancel = clock.after(20, () => seen.push("cancelled"));
  clock.hear(1000);
  expect(seen).toEqual(["sent"]);
  clock.hear(1029);
  expect(seen).toEqual(["sent"]);
  clock.hear(1030);
  expect(seen).toEqual(["sent", "given up"]);
});

test("no time at all is over at once, though the clock stands", async () => {
  const clock = new BrokerClock();
  await new Promise<void>((resolve) => void clock.after(0, resolve));
  expect(clock.elapsedMs()).toBe(0);
});
