/** How long it takes until the first questions are answered after a restart, when many offsets are stored. */
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { TraceEvent } from "@minikafka/core";
import { commitAll, groupName, lanes, openForGroups, TOPIC } from "./offset-cluster.ts";
import { showProgress } from "./progress.ts";

const OFFSETS_TOPIC = "__consumer_offsets";

/** So many groups with so many partitions each, committed so many times. */
export interface LoadPlan {
  readonly groups: number;
  readonly partitions: number;
  readonly times: number;
}

export interface LoadResult {
  readonly offsets: number;
  readonly logBytes: number;
  readonly recordsRead: number;
  readonly compactionMs: number;
  readonly openMs: number;
  /** From the first question to the answers of all partitions of the internal topic. */
  readonly loadMs: number;
  readonly loadCpuMs: number;
  readonly longestTurnMs: number;
  /** What the process holds for them, after a collection of garbage. */
  readonly heldBytes: number;
}

/** Only a context that is made afterwards has it. */
function collectGarbage(): void {
  setFlagsFromString("--expose-gc");
  (runInNewContext("gc") as () => void)();
}

export async function measureLoad(load: LoadPlan, folder: string): Promise<LoadResult> {
  const { groups, partitions, times } = load;
  const dataFolder = join(folder, "load");
  const before = await openForGroups(dataFolder);
  before.createTopic({ topic: TOPIC, partitions });
  let compactionMs = 0;
  for (let time = 0; time < times; time += 1) {
    await lanes(groups, (group) => {
      if (group % 100 === 0) showProgress(`committed ${group} of ${groups}, ${time + 1} of ${times} times`);
      return commitAll(before, group, partitions, time);
    });
    // As in auto mode, where it is taken every few seconds.
    const startMs = performance.now();
    await before.steps.compact(nextTurn, OFFSETS_TOPIC);
    compactionMs += performance.now() - startMs;
  }
  const logBytes = before
    .metadata(OFFSETS_TOPIC)
    .partitions.map(({ partition }) => before.describePartition({ topic: OFFSETS_TOPIC, partition }))
    .reduce((sum, { segments }) => sum + segments.reduce((bytes, { sizeBytes }) => bytes + sizeBytes, 0), 0);
  await before.close();
  showProgress("loading");
  const loaded = await timeLoad(dataFolder, groups);
  showProgress("");
  return { offsets: groups * partitions, logBytes, compactionMs, ...loaded };
}

async function timeLoad(
  dataFolder: string,
  groups: number,
): Promise<
  Pick<LoadResult, "recordsRead" | "openMs" | "loadMs" | "loadCpuMs" | "longestTurnMs" | "heldBytes">
> {
  let [recordsRead, longestTurnMs] = [0, 0];
  const trace = (event: TraceEvent) => {
    if (event.kind === "coordinator_loaded") recordsRead += event.records;
  };
  const openedMs = performance.now();
  const cluster = await openForGroups(dataFolder, {
    trace,
    pause: async () => {
      longestTurnMs = Math.max(longestTurnMs, performance.now() - turnMs);
      await nextTurn();
      turnMs = performance.now();
    },
  });
  collectGarbage();
  const heldBefore = process.memoryUsage().heapUsed;
  const cpuBefore = process.cpuUsage();
  const startMs = performance.now();
  let turnMs = startMs;
  // A hundred groups lie in all of its partitions.
  for (let group = 0; group < Math.min(groups, 100); group += 1)
    await cluster.groups.committed({ groupId: groupName(group) });
  const loadMs = performance.now() - startMs;
  const { user, system } = process.cpuUsage(cpuBefore);
  collectGarbage();
  const heldBytes = process.memoryUsage().heapUsed - heldBefore;
  await cluster.close();
  const loadCpuMs = (user + system) / 1_000;
  return { recordsRead, openMs: startMs - openedMs, loadMs, loadCpuMs, longestTurnMs, heldBytes };
}
