import { expect, test } from "vitest";
import { DiskError } from "./disk.ts";
import { CrashSignal, FaultError } from "./fault-order.ts";
import { FAULT_POINTS, isFaultPoint } from "./fault-point.ts";
import { FaultPoints } from "./fault-points.ts";
import { TraceCollector } from "./trace.ts";

const WRITE = "log.append.before_write";
const SYNC = "log.flush.before_sync";

/** What `count` passes of a point do: "-" for nothing, else the name of what is thrown. */
function passes(faults: FaultPoints, count: number, point: typeof WRITE | typeof SYNC = WRITE): string {
  return Array.from({ length: count }, () => {
    try {
      faults.hit(point);
      return "-";
    } catch (problem) {
      return problem instanceof Error ? problem.name : "?";
    }
  }).join(" ");
}

test("every point has a name of its own, in lower case with dots", () => {
  expect(new Set(FAULT_POINTS).size).toBe(FAULT_POINTS.length);
  for (const point of FAULT_POINTS) expect(point).toMatch(/^[a-z]+(_[a-z]+)*(\.[a-z]+(_[a-z]+)*)+$/);
  expect(FAULT_POINTS).toContain("manifest.before_rename");
  expect([isFaultPoint(WRITE), isFaultPoint("log.append"), isFaultPoint("toString")]).toEqual([
    true,
    false,
    false,
  ]);
});

test("does nothing while nothing is armed, or something elsewhere", () => {
  const faults = new FaultPoints();
  expect(passes(faults, 2)).toBe("- -");
  faults.arm({ point: SYNC, action: "crash" });
  expect(passes(faults, 2)).toBe("- -");
});

test("acts once by default, at the nth hit, at the first ones, or always", () => {
  const run = (times?: "once" | "always" | { nth: number } | { first: number }) => {
    const faults = new FaultPoints();
    faults.arm(
      times === undefined ? { point: WRITE, action: "error" } : { point: WRITE, action: "error", times },
    );
    return passes(faults, 4);
  };
  expect(run()).toBe("FaultError - - -");
  expect(run("once")).toBe("FaultError - - -");
  expect(run({ nth: 3 })).toBe("- - FaultError -");
  expect(run({ first: 2 })).toBe("FaultError FaultError - -");
  expect(run("always")).toBe("FaultError FaultError FaultError FaultError");
});

test("an error is a failure of the device, for whoever handles those", () => {
  const faults = new FaultPoints();
  faults.arm({ point: WRITE, action: "error" });
  const hit = () => faults.hit(WRITE);
  expect(hit).toThrow(expect.objectContaining({ name: "FaultError", code: "EIO", point: WRITE }));
  expect(new FaultError({ point: WRITE })).toBeInstanceOf(DiskError);
  expect(new FaultError({ point: WRITE }).message).toBe(
    "the fault armed at log.append.before_write fired, as if the device had failed (EIO)",
  );
});

test("a crash is no failure of the device, and tells the disk before it is thrown", () => {
  const told: string[] = [];
  const faults = new FaultPoints({ onCrash: () => told.push("off") });
  faults.arm({ point: WRITE, action: "crash" });
  expect(passes(faults, 2)).toBe("CrashSignal -");
  expect(told).toEqual(["off"]);
  expect(new CrashSignal(WRITE)).not.toBeInstanceOf(DiskError);
});

test("counts hits and firings, so that a silent fault is found", () => {
  const faults = new FaultPoints();
  const rule = faults.arm({ point: WRITE, action: "error", times: { nth: 3 } });
  passes(faults, 2);
  expect(() => rule.assertFired()).toThrow("the fault at log.append.before_write never fired, after 2 hits");
  passes(faults, 2);
  rule.assertFired();
  expect([rule.hits, rule.fired]).toEqual([4, 1]);
});

test("a rule for one replica sees only the hits of that replica", () => {
  const faults = new FaultPoints();
  const rule = faults.arm({
    point: WRITE,
    action: "error",
    times: "always",
    site: { topic: "orders", partition: 1 },
  });
  faults.hit(WRITE);
  faults.hit(WRITE, { brokerId: 1, topic: "orders", partition: 0 });
  faults.hit(WRITE, { brokerId: 1, topic: "other", partition: 1 });
  expect(() => faults.hit(WRITE, { brokerId: 1, topic: "orders", partition: 1 })).toThrow(FaultError);
  expect([rule.hits, rule.fired]).toEqual([1, 1]);
});

test("rules at one point each have their turn, and end when they are disarmed", () => {
  const faults = new FaultPoints();
  const error = faults.arm({ point: WRITE, action: "error" });
  const crash = faults.arm({ point: WRITE, action: "crash", times: "always" });
  expect(passes(faults, 2)).toBe("FaultError CrashSignal");
  faults.disarm(crash);
  faults.disarm(crash);
  expect(passes(faults, 1)).toBe("-");
  expect(faults.rules()).toEqual([error]);
  faults.arm({ point: WRITE, action: "error", times: "always" });
  faults.disarm();
  expect([passes(faults, 1), faults.rules()]).toEqual(["-", []]);
});

test("tells of each fault that acts", () => {
  const collector = new TraceCollector();
  const faults = new FaultPoints({ trace: collector.trace });
  faults.arm({ point: SYNC, action: "error", times: { nth: 2 } });
  passes(faults, 3, SYNC);
  expect(collector.events).toEqual([
    { kind: "fault_fired", point: SYNC, action: "error", hit: 2, ruleId: null },
  ]);
});

test("counts the passes of every point once it is asked to", () => {
  const faults = new FaultPoints();
  passes(faults, 1);
  const counts = faults.countHits();
  passes(faults, 2);
  faults.arm({ point: SYNC, action: "error" });
  passes(faults, 1, SYNC);
  expect([...faults.countHits()]).toEqual([
    [WRITE, 2],
    [SYNC, 1],
  ]);
  expect(faults.countHits()).toBe(counts);
});
