/**
 * Makes a run that breaks a promise smaller, as long as it breaks the same one: first its script by delta debugging (Zeller and
 * Hildebrandt, "Simplifying and Isolating Failure-Inducing Input"), then its shape, then its script once more.
 */
import type { Entry } from "../script/entry.ts";
import type { Shape } from "../shape/shape.ts";
import type { Run } from "./simulation.ts";

/** What they say decides what is a broken promise. */
const DIALS: readonly string[] = ["flush", "rebalance", "highWatermarkCheckpoint", "reconciliation"];

/** Whether a run still breaks it. */
export type StillBreaks = (run: Run) => Promise<boolean>;

export interface Shrinking {
  readonly run: Run;
  /** How many runs it took. */
  readonly tried: number;
}

/** `triesMax`: how many runs it may take. */
export async function shrink(run: Run, stillBreaks: StillBreaks, triesMax: number): Promise<Shrinking> {
  let tried = 0;
  const breaks = async (smaller: Run): Promise<boolean> => {
    if (tried >= triesMax) return false;
    tried++;
    return stillBreaks(smaller);
  };
  let smallest = await shrinkScript(run, breaks);
  smallest = await shrinkShape(smallest, breaks);
  smallest = await shrinkScript(smallest, breaks);
  return { run: smallest, tried };
}

async function shrinkScript(run: Run, breaks: StillBreaks): Promise<Run> {
  let script = run.script;
  let parts = 2;
  while (script.length >= 2) {
    const size = Math.ceil(script.length / parts);
    const smaller = await withoutSomePart({ ...run, script }, size, breaks);
    if (smaller !== null) {
      script = smaller;
      parts = Math.max(parts - 1, 2);
    } else if (size === 1) break;
    else parts = Math.min(parts * 2, script.length);
  }
  return { ...run, script };
}

/** From the end on: what comes after the trouble is needed least. */
async function withoutSomePart(
  run: Run,
  size: number,
  breaks: StillBreaks,
): Promise<readonly Entry[] | null> {
  const { script } = run;
  for (let end = script.length; end > 0; end -= size) {
    const left = [...script.slice(0, Math.max(0, end - size)), ...script.slice(end)];
    if (await breaks({ ...run, script: left })) return left;
  }
  return null;
}

async function shrinkShape(run: Run, breaks: StillBreaks): Promise<Run> {
  let smallest = run;
  for (const simpler of simplerShapes(run)) {
    const candidate = { ...smallest, shape: simpler(smallest.shape) };
    if (await breaks(candidate)) smallest = candidate;
  }
  return smallest;
}

type Simpler = (shape: Shape) => Shape;

/** One idea after another; each is kept when it does no harm. */
function simplerShapes({ shape: { clients, topics, config }, script }: Run): readonly Simpler[] {
  const isNeeded = (field: "client" | "topic", name: string) =>
    script.some((entry) => field in entry && (entry as Record<string, unknown>)[field] === name);
  return [
    (shape) => ({ ...shape, network: { delayMsMax: 0, lossPermille: 0 } }),
    (shape) => ({ ...shape, replicateEveryMs: null }),
    ...clients
      .filter(({ name }) => !isNeeded("client", name))
      .map(
        ({ name }): Simpler =>
          (shape) => ({ ...shape, clients: shape.clients.filter((client) => client.name !== name) }),
      ),
    ...topics
      .filter(({ topic }) => !isNeeded("topic", topic))
      .map(
        ({ topic }): Simpler =>
          (shape) => ({ ...shape, topics: shape.topics.filter((each) => each.topic !== topic) }),
      ),
    (shape) => ({ ...shape, topics: shape.topics.map((topic) => ({ ...topic, partitions: 1 })) }),
    ...Object.keys(config)
      .filter((key) => !DIALS.includes(key))
      .map(
        (key): Simpler =>
          (shape) => ({
            ...shape,
            config: Object.fromEntries(Object.entries(shape.config).filter(([name]) => name !== key)),
          }),
      ),
  ];
}
