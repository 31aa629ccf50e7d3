/** A world for tests: a disk that forgets, a clock that a hand moves, chance from a seed, and every event kept. */
import { ManualClock } from "../src/env/clock.ts";
import type { Disk } from "../src/env/disk.ts";
import type { Env } from "../src/env/env.ts";
import { FaultPoints } from "../src/env/fault-points.ts";
import { MemoryDisk } from "../src/env/memory-disk.ts";
import { SeededRandom } from "../src/env/random.ts";
import { TraceCollector } from "../src/env/trace.ts";

export interface World<OfDisk extends Disk = MemoryDisk> extends Env {
  readonly clock: ManualClock;
  readonly disk: OfDisk;
  readonly events: TraceCollector;
}

export const START_MS = 1_700_000_000_000;

export function worldOn<OfDisk extends Disk>(disk: OfDisk, seed = 1): World<OfDisk> {
  const events = new TraceCollector();
  const { trace } = events;
  return {
    clock: new ManualClock(START_MS),
    disk,
    random: new SeededRandom(seed),
    trace,
    faults: new FaultPoints({ trace }),
    events,
  };
}

export function memoryWorld(seed = 1): World {
  return worldOn(new MemoryDisk(), seed);
}

/** What a promise rejects with. Fails when it resolves. */
export async function rejection(promise: Promise<unknown>): Promise<unknown> {
  const outcome = await promise.then(
    (value) => ({ value }),
    (problem: unknown) => ({ problem }),
  );
  if ("problem" in outcome) return outcome.problem;
  throw new Error(`it resolved with ${JSON.stringify(outcome.value)}`);
}
