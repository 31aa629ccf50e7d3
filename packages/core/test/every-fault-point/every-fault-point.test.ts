/**
 * Every fault point, with everything that can be armed there, somewhere in one workload. The pass is drawn: MINIKAFKA_SEED draws
 * others, MINIKAFKA_HISTORIES=n so many of each point.
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { FaultOrder } from "../../src/env/fault-order.ts";
import { FAULT_POINTS, type FaultAction, type FaultPoint, waitsAt } from "../../src/env/fault-point.ts";
import { SeededRandom } from "../../src/env/random.ts";
import { seedFromEnvironment } from "../log-world.ts";
import { leaveTheDeadAlone } from "./dead-process.ts";
import { type LivedChapter, livedThrough } from "./passes.ts";
import { tried } from "./trial.ts";

const seed = seedFromEnvironment(1);
const passesEach = Number(process.env.MINIKAFKA_HISTORIES ?? 1);

let chapters: readonly LivedChapter[] = [];
let end = () => {};
beforeAll(async () => {
  end = leaveTheDeadAlone();
  chapters = await livedThrough();
});
afterAll(() => end());

/** How often a chapter passes `point` where `action` could act. */
function passesIn({ counts, waits }: LivedChapter, point: FaultPoint, action: FaultAction): number {
  return (action === "delay" ? waits : counts).get(point) ?? 0;
}

function passesOf(point: FaultPoint, action: FaultAction): number {
  return chapters.reduce((sum, chapter) => sum + passesIn(chapter, point, action), 0);
}

/** The chapter of the workload's pass number `pass`, and its number among those of the chapter. */
function placeOf(point: FaultPoint, action: FaultAction, pass: number): { lived: LivedChapter; nth: number } {
  let nth = pass;
  for (const lived of chapters) {
    const count = passesIn(lived, point, action);
    if (nth <= count) return { lived, nth };
    nth -= count;
  }
  throw new Error(`${point} is passed less than ${pass} times`);
}

function orderOf(point: FaultPoint, action: FaultAction, nth: number, random: SeededRandom): FaultOrder {
  const times = { nth };
  if (action === "delay") return { point, action, times, delayMs: 10 };
  if (action !== "error") return { point, action, times };
  const errno = random.below(2) === 0 ? "EIO" : "ENOSPC";
  const bytesWritten = random.below(40);
  return { point, action, times, errno, ...(point === "disk.write.before" && { bytesWritten }) };
}

async function triedSomewhere(point: FaultPoint, action: FaultAction): Promise<void> {
  const random = new SeededRandom(seed);
  for (let count = 0; count < passesEach; count++) {
    const passes = passesOf(point, action);
    const pass = 1 + random.below(passes);
    const { lived, nth } = placeOf(point, action, pass);
    await tried(orderOf(point, action, nth, random), lived, random).catch((problem: unknown) => {
      const where = `pass ${pass} of ${passes}, which is number ${nth} of "${lived.chapter.name}" (seed ${seed})`;
      throw new Error(`at ${where}: ${problem instanceof Error ? problem.message : problem}`, {
        cause: problem,
      });
    });
  }
}

test.each(FAULT_POINTS)("the workload passes %s", (point) => {
  expect(passesOf(point, "error")).toBeGreaterThan(0);
});

describe("an error", () => {
  test.each(FAULT_POINTS)("at %s is answered, and costs nothing that was acknowledged", (point) =>
    triedSomewhere(point, "error"),
  );
});

describe("a crash", () => {
  test.each(FAULT_POINTS)("at %s costs nothing that was acknowledged, whatever the power takes", (point) =>
    triedSomewhere(point, "crash"),
  );
});

describe("a delay", () => {
  test.each(FAULT_POINTS.filter(waitsAt))("at %s costs nothing but time", (point) =>
    triedSomewhere(point, "delay"),
  );
});
