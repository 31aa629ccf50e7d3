/**
 * One run: the script with its faults, then the time after them, in which everything comes together, then the verdict.
 *
 * Invariants: the same seed, shape and script give the same run, to the last event; between two instants everything that can go on
 * without time, a message or the disk has gone on.
 */
import { Chance } from "../chance.ts";
import type { Entry } from "../script/entry.ts";
import type { Shape } from "../shape/shape.ts";
import type { Violation } from "../world/witness.ts";
import { converge } from "./convergence.ts";
import type { Judges } from "./judges.ts";
import { leadAgain, operate } from "./operator.ts";
import { takeEntry } from "./take-entry.ts";
import { factsOf } from "./topic-acts.ts";
import { makeWorld, type RunWorld, settled } from "./world.ts";

export interface Run {
  readonly seed: number;
  readonly shape: Shape;
  readonly script: readonly Entry[];
}

export interface RunResult {
  readonly violation: Violation | null;
  readonly world: RunWorld;
}

/** An operator looks after a start, so long after it. */
const LOOKS_AFTER_MS = 10;
/** Many times what the slowest answer takes. */
const END_PASSES_MAX = 10_000;

export interface RunOptions {
  readonly judges: Judges;
  /** Whether the whole trace is hashed, so that two runs can be compared. */
  readonly isHashed?: boolean;
}

export async function simulate({ seed, shape, script }: Run, options: RunOptions): Promise<RunResult> {
  const world = makeWorld(seed, shape, options);
  const { judges } = options;
  const onward = async () => {
    await afterAct(world);
    if (world.process.cluster !== null) judges.afterAct(world);
    world.witness.touched.clear();
  };
  const { witness, process } = world;
  const unhandled = (problem: unknown) => witness.broken(problem);
  globalThis.process.on("unhandledRejection", unhandled);
  try {
    await begin(world);
    for (const entry of script) {
      await passUntil(world, entry.atMs, onward);
      if (witness.violation !== null) break;
      takeEntry(world, entry);
      await onward();
    }
    if (witness.violation === null) await converge(world, () => pass(world, onward));
    if (witness.violation === null) await atEnd(world, judges, onward);
  } finally {
    process.disk.powerOff();
    await settled();
    globalThis.process.off("unhandledRejection", unhandled);
  }
  return { violation: witness.violation, world };
}

/** What judges ask the cluster for may wait for a disk or for time, as all else does: both go on until they are answered. */
async function atEnd(world: RunWorld, judges: Judges, onward: () => Promise<void>): Promise<void> {
  const { timeline, witness } = world;
  let isOver = false;
  const over = () => {
    isOver = true;
  };
  const judging = judges.atEnd(world);
  judging.then(over, over);
  await settled();
  for (let passes = 0; !isOver; passes++) {
    if (timeline.nextMs === null || passes >= END_PASSES_MAX) {
      const evidence = "what the judges ask the cluster at the end is never answered";
      return witness.violates({ what: "unanswered", evidence });
    }
    await pass(world, onward);
  }
  await judging;
}

async function begin(world: RunWorld): Promise<void> {
  const { process, shape, topics, timeline, witness, recorder, folders } = world;
  process.start();
  await settled();
  const { cluster } = process;
  if (cluster === null)
    throw new Error(`the cluster does not open: ${witness.violation?.evidence ?? "it waits"}`);
  for (const topic of shape.topics) {
    cluster.createTopic(topic);
    recorder.asked("create_topic", "operator", factsOf(topic)).ok({});
    topics.made(topic);
    witness.noteTopic(cluster, topic.topic);
  }
  if (shape.replicateEveryMs !== null) replicateEvery(world, shape.replicateEveryMs);
  process.onEnd(() => folders.allStarted());
  process.onEnd(() => void timeline.plan(LOOKS_AFTER_MS, () => lookAfter(world, process.life)));
}

/** As a daemon does by itself. */
function replicateEvery(world: RunWorld, everyMs: number): void {
  operate(world, (cluster) => {
    cluster.steps.retryBehind();
    return cluster.steps.replicateBehind();
  });
  world.timeline.plan(everyMs, () => replicateEvery(world, everyMs));
}

function lookAfter(world: RunWorld, life: number): void {
  const { process, timeline } = world;
  if (life !== process.life) return;
  if (process.cluster === null) timeline.plan(LOOKS_AFTER_MS, () => lookAfter(world, life));
  else leadAgain(world);
}

/** Time goes on to `atMs`, with all that is due before. */
async function passUntil(world: RunWorld, atMs: number, onward: () => Promise<void>): Promise<void> {
  const { timeline, witness } = world;
  for (;;) {
    const { nextMs } = timeline;
    if (nextMs === null || nextMs > atMs || witness.violation !== null) break;
    await pass(world, onward);
  }
  if (atMs > timeline.nowMs) timeline.moveTo(atMs);
}

/** On to the next instant at which something is due. */
async function pass({ timeline }: RunWorld, onward: () => Promise<void>): Promise<void> {
  const { nextMs } = timeline;
  if (nextMs === null) return;
  timeline.moveTo(Math.max(nextMs, timeline.nowMs));
  timeline.act();
  await onward();
}

async function afterAct(world: RunWorld): Promise<void> {
  const { process, seed, timeline } = world;
  await settled();
  if (process.bury(Chance.of(seed, `death at ${timeline.nowMs}`))) await settled();
}
