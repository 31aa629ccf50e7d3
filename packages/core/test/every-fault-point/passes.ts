/** The workload without a fault: how often it passes each point in each chapter, and what stands before each. */
import { FAULT_POINTS, type FaultPoint, waitsAt } from "../../src/env/fault-point.ts";
import { MemoryDisk } from "../../src/env/memory-disk.ts";
import { START_MS } from "../world.ts";
import { CHAPTERS, type Chapter, lived } from "./chapters.ts";
import { FaultLife, type Start } from "./life.ts";
import { Witness } from "./witness.ts";

export interface LivedChapter {
  readonly chapter: Chapter;
  /** Anew each time: what it lives on is used up. */
  readonly start: () => Start;
  /** All passes, and those of them that can wait. */
  readonly counts: ReadonlyMap<FaultPoint, number>;
  readonly waits: ReadonlyMap<FaultPoint, number>;
  /** With what somebody is refused without any fault. */
  readonly codes: ReadonlySet<string>;
}

export async function livedThrough(): Promise<readonly LivedChapter[]> {
  const chapters: LivedChapter[] = [];
  let [disk, nowMs, witness] = [new MemoryDisk(), START_MS, new Witness()];
  for (const [index, chapter] of CHAPTERS.entries()) {
    const before = { disk: disk.clone(), nowMs, facts: witness.facts, seed: index + 1 };
    const start = () => ({ ...before, disk: before.disk.clone(), witness: new Witness(before.facts) });
    const life = new FaultLife(start());
    const counts = life.faults.countHits();
    const watchers = FAULT_POINTS.filter(waitsAt).map((point) =>
      life.faults.arm({ point, action: "hold", times: { first: 0 } }),
    );
    await lived(chapter, life);
    const waits = new Map(watchers.map(({ order: { point }, hits }) => [point, hits]));
    chapters.push({ chapter, start, counts, waits, codes: life.codes });
    [disk, nowMs, witness] = [life.disk, life.clock.nowMs(), life.witness];
  }
  return chapters;
}
