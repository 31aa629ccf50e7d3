import { expect, test } from "vitest";
import { ManualClock } from "./clock.ts";
import type { FaultOrder } from "./fault-order.ts";
import { actionsAt, FAULT_POINTS, waitsAt } from "./fault-point.ts";
import { FaultPoints } from "./fault-points.ts";
import { TraceCollector } from "./trace.ts";

const WRITE = "log.append.before_write";
const SYNC = "log.flush.before_sync";
const FULL = "disk.write.before";

/** Which of them have ended by now. */
async function endedOf(passes: readonly Promise<void>[]): Promise<number[]> {
  const ended: number[] = [];
  passes.forEach((pass, index) => void pass.then(() => ended.push(index)));
  for (let turn = 0; turn < 5; turn++) await Promise.resolve();
  return ended.sort((a, b) => a - b);
}

function firings(order: FaultOrder, passes: number): number[] {
  const faults = new FaultPoints();
  faults.arm(order);
  return Array.from({ length: passes }, (_none, index) => index).filter(() => {
    try {
      faults.hit(order.point);
      return false;
    } catch {
      return true;
    }
  });
}

test("a chance acts on about so many hits as it says, and on the same ones with the same seed", () => {
  const withSeed = (seed: number, probability = 0.25) =>
    firings({ point: WRITE, action: "error", times: { probability, seed } }, 1_000);
  expect(withSeed(7)).toEqual(withSeed(7));
  expect(withSeed(7)).not.toEqual(withSeed(8));
  expect(withSeed(7).length).toBeGreaterThan(200);
  expect(withSeed(7).length).toBeLessThan(300);
  expect(withSeed(7, 1)).toHaveLength(1_000);
});

test("each rule has a chance of its own, whatever others have drawn", () => {
  const faults = new FaultPoints();
  const times = { probability: 0.5, seed: 3 };
  const here = faults.arm({ point: WRITE, action: "error", times, site: { partition: 0 } });
  const there = faults.arm({ point: WRITE, action: "error", times, site: { partition: 1 } });
  const fires = (partition: number) => {
    try {
      faults.hit(WRITE, { partition });
      return false;
    } catch {
      return true;
    }
  };
  const first = Array.from({ length: 20 }, () => fires(0));
  expect(Array.from({ length: 20 }, () => fires(1))).toEqual(first);
  expect(here.fired).toBe(there.fired);
});

test.each([0, -0.1, 1.01, Number.NaN])("a chance of %d is none", (probability) => {
  const faults = new FaultPoints();
  expect(() => faults.arm({ point: WRITE, action: "error", times: { probability, seed: 1 } })).toThrow(
    "a probability is above 0 and at most 1",
  );
});

test("an error is of the kind that was ordered, and a short write says how much was written", () => {
  const faults = new FaultPoints();
  faults.arm({ point: FULL, action: "error", errno: "ENOSPC", bytesWritten: 3 });
  expect(() => faults.hit(FULL)).toThrow(
    expect.objectContaining({
      name: "FaultError",
      code: "ENOSPC",
      bytesWritten: 3,
      message: "the fault armed at disk.write.before fired, as if no space were left on the device (ENOSPC)",
    }),
  );
});

test("a fault that acts is told with the number that it was armed under, and without one where it has none", () => {
  const told = new TraceCollector();
  const faults = new FaultPoints({ trace: told.trace });
  faults.arm({ point: WRITE, action: "error" }, 7);
  faults.arm({ point: SYNC, action: "error" });
  for (const point of [WRITE, SYNC] as const) expect(() => faults.hit(point)).toThrow("fired");
  expect(told.events).toMatchObject([{ ruleId: 7 }, { ruleId: null }]);
});

test("who is held goes on when the rule is released, and whoever comes later is not held", async () => {
  const faults = new FaultPoints();
  const rule = faults.arm({ point: SYNC, action: "hold", times: "always" });
  const passes = [faults.waitAt(SYNC), faults.waitAt(SYNC)];
  expect(await endedOf(passes)).toEqual([]);
  expect(rule.held).toBe(2);
  expect(rule.release()).toBe(2);
  expect(await endedOf([...passes, faults.waitAt(SYNC)])).toEqual([0, 1, 2]);
  expect([rule.held, rule.release(), faults.rules().length, rule.fired]).toEqual([0, 0, 0, 2]);
});

test("a hold holds once by default, and disarming it lets go as well", async () => {
  const faults = new FaultPoints();
  faults.arm({ point: SYNC, action: "hold" });
  const passes = [faults.waitAt(SYNC), faults.waitAt(SYNC)];
  expect(await endedOf(passes)).toEqual([1]);
  faults.disarm();
  expect(await endedOf(passes)).toEqual([0, 1]);
});

test("to release what holds nobody does nothing", () => {
  const faults = new FaultPoints();
  const rule = faults.arm({ point: WRITE, action: "error" });
  expect([rule.release(), faults.rules().length]).toEqual([0, 1]);
});

test("a delay counts on the clock that was handed in", async () => {
  const clock = new ManualClock();
  const due: { atMs: number; go: () => void }[] = [];
  const delay = (delayMs: number) =>
    new Promise<void>((go) => due.push({ atMs: clock.nowMs() + delayMs, go }));
  const faults = new FaultPoints({ delay });
  faults.arm({ point: SYNC, action: "delay", delayMs: 30 });
  const pass = faults.waitAt(SYNC);
  expect(await endedOf([pass])).toEqual([]);
  expect(due).toMatchObject([{ atMs: 30 }]);
  due[0]?.go();
  expect(await endedOf([pass])).toEqual([0]);
});

test("what waits is told of as what fails is, and fails where that was ordered", async () => {
  const collector = new TraceCollector();
  const faults = new FaultPoints({ trace: collector.trace });
  faults.arm({ point: SYNC, action: "hold" }).release();
  const hold = faults.arm({ point: SYNC, action: "hold" });
  const pass = faults.waitAt(SYNC);
  hold.release();
  await pass;
  faults.arm({ point: SYNC, action: "error" });
  await expect(faults.waitAt(SYNC)).rejects.toThrow("the fault armed at log.flush.before_sync fired");
  expect(collector.events).toEqual([
    { kind: "fault_fired", point: SYNC, action: "hold", hit: 1, ruleId: null },
    { kind: "fault_fired", point: SYNC, action: "error", hit: 1, ruleId: null },
  ]);
});

test("a pass that cannot wait is not seen by what holds, and counts for what fails", () => {
  const faults = new FaultPoints();
  const hold = faults.arm({ point: SYNC, action: "hold" });
  const error = faults.arm({ point: SYNC, action: "error" });
  expect(() => faults.hit(SYNC)).toThrow("fired");
  expect([hold.hits, error.hits]).toEqual([0, 1]);
});

test("what a point cannot do is refused, with what it can", () => {
  const faults = new FaultPoints({ delay: () => Promise.resolve() });
  const refusal = (order: FaultOrder, on = faults) => {
    try {
      on.arm(order);
      return "armed";
    } catch (problem) {
      return problem instanceof Error && "code" in problem ? `${problem.code}: ${problem.message}` : "?";
    }
  };
  expect(refusal({ point: WRITE, action: "hold" })).toBe(
    "INVALID_REQUEST: hold cannot be armed at log.append.before_write, where the kernel does not wait; it can at points where it waits for a sync or an acknowledgement, such as disk.sync.before, and here can error and crash",
  );
  expect(refusal({ point: SYNC, action: "delay" })).toContain(
    "a whole number of milliseconds, not undefined",
  );
  expect(refusal({ point: SYNC, action: "delay", delayMs: -1 })).toContain("milliseconds, not -1");
  expect(refusal({ point: SYNC, action: "delay", delayMs: 1 }, new FaultPoints())).toContain(
    "without a clock for delays",
  );
  expect(refusal({ point: SYNC, action: "hold", delayMs: 1 })).toContain("hold takes no delay");
  expect(refusal({ point: SYNC, action: "crash", errno: "EIO" })).toContain("crash takes no errno");
  expect(refusal({ point: WRITE, action: "error", bytesWritten: 1 })).toContain(
    "a short write is an error at disk.write.before, not error at log.append.before_write",
  );
  expect(refusal({ point: FULL, action: "error", bytesWritten: 1.5 })).toContain("a whole number, not 1.5");
  expect(faults.rules()).toEqual([]);
});

test("every point takes errors and crashes, and those where the kernel waits take the rest", () => {
  for (const point of FAULT_POINTS)
    expect(actionsAt(point)).toEqual(
      waitsAt(point) ? ["error", "crash", "delay", "hold"] : ["error", "crash"],
    );
  expect([waitsAt(SYNC), waitsAt("disk.sync.before"), waitsAt(WRITE)]).toEqual([true, true, false]);
});

test("passes matter to nobody until something is armed or counted", () => {
  const faults = new FaultPoints();
  expect(faults.isWatched).toBe(false);
  const rule = faults.arm({ point: WRITE, action: "error" });
  expect(faults.isWatched).toBe(true);
  faults.disarm(rule);
  expect(faults.isWatched).toBe(false);
  faults.countHits();
  expect(faults.isWatched).toBe(true);
});
