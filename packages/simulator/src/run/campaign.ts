/** Many seeds, one after another, and what came of them together. */
import { RunJudges } from "../checkers/run-judges.ts";
import { drawScript } from "../script/draw-script.ts";
import { drawShape } from "../shape/draw-shape.ts";
import type { Violation } from "../world/witness.ts";
import { marksOf } from "./marks.ts";
import { type Run, type RunResult, simulate } from "./simulation.ts";

export interface Found {
  readonly seed: number;
  /** Simulated time; `null` where the run never ended, and nobody can say. */
  readonly atMs: number | null;
  readonly violation: Violation;
}

/** Plain values, so that a worker can tell them. */
export interface Tally {
  seeds: number;
  acts: number;
  operations: number;
  /** How many runs were done twice, and compared. */
  repeated: number;
  /** By checker, how often its question came up. */
  readonly asked: Record<string, number>;
  readonly marks: Record<string, number>;
}

/** Every hundredth seed is run twice, to see that it is the same run. */
const REPEATED_EVERY = 100;

export function runOf(seed: number): Run {
  const shape = drawShape(seed);
  return { seed, shape, script: drawScript(seed, shape) };
}

export function newTally(): Tally {
  return { seeds: 0, acts: 0, operations: 0, repeated: 0, asked: {}, marks: {} };
}

/** One seed. Resolves with what it found, and adds what it did to `tally`. */
export async function trySeed(seed: number, tally: Tally): Promise<Found | null> {
  const run = runOf(seed);
  const isRepeated = seed % REPEATED_EVERY === 0;
  const judges = new RunJudges();
  const { violation, world } = await simulate(run, { judges, isHashed: isRepeated });
  tally.seeds++;
  tally.acts += run.script.length;
  tally.operations += world.recorder.operations.length;
  for (const [name, times] of judges.verdict.evaluations) add(tally.asked, name, times);
  for (const [name, times] of marksOf(world)) add(tally.marks, name, times);
  const atMs = world.timeline.nowMs;
  if (violation !== null) return { seed, atMs, violation };
  if (!isRepeated) return null;
  tally.repeated++;
  const again = await judged(run, { isHashed: true });
  const [first, second] = [world.witness.hash, again.world.witness.hash];
  if (first === second) return null;
  const evidence = `the trace of one run is ${first}, of the other ${second}`;
  return { seed, atMs, violation: { what: "not-the-same-run", evidence } };
}

/** Of a seed whose run waits for what nothing will ever do. */
export function neverEnded(seed: number): Found {
  const evidence = "the run waits for something, and nothing is left that could go on";
  return { seed, atMs: null, violation: { what: "never-ended", evidence } };
}

/** One run under all judges. */
export function judged(run: Run, options: { isHashed?: boolean } = {}): Promise<RunResult> {
  return simulate(run, { judges: new RunJudges(), ...options });
}

export function addTally(sum: Tally, other: Tally): void {
  sum.seeds += other.seeds;
  sum.acts += other.acts;
  sum.operations += other.operations;
  sum.repeated += other.repeated;
  for (const [name, times] of Object.entries(other.asked)) add(sum.asked, name, times);
  for (const [name, times] of Object.entries(other.marks)) add(sum.marks, name, times);
}

function add(counts: Record<string, number>, name: string, times: number): void {
  counts[name] = (counts[name] ?? 0) + times;
}
