/**
 * What committed offsets cost, in the kernel of this process: how many commits a second there are room for while few or many groups
 * are stored, and how long it takes until the first question is answered after a restart.
 */
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import {
  BrokerCluster,
  FaultPoints,
  LIMITS,
  NodeDisk,
  noTrace,
  SystemClock,
  SystemRandom,
  type TraceEvent,
} from "@minikafka/core";
import { aligned } from "./aligned.ts";
import { showProgress } from "./progress.ts";
import { median } from "./statistics.ts";

const TOPIC = "orders";
const OFFSETS_TOPIC = "__consumer_offsets";
/** As many commits wait for their acknowledgement at a time. */
const IN_FLIGHT = 64;
const OFFSETS_PER_GROUP = 10;
const MB = 1_000_000;

export interface OffsetsPlan {
  readonly groups: readonly number[];
  /** Commits of one offset each that one round takes, by as many groups. */
  readonly commits: number;
  readonly rounds: number;
  /** What is loaded: so many groups with so many partitions each, committed so many times. */
  readonly load: { readonly groups: number; readonly partitions: number; readonly times: number };
}

export const OFFSETS: OffsetsPlan = {
  groups: [1, 100, 10_000],
  commits: 4_000,
  rounds: 5,
  load: { groups: 10_000, partitions: 100, times: 3 },
};
export const OFFSETS_QUICK: OffsetsPlan = {
  groups: [1, 100, 10_000],
  commits: 1_000,
  rounds: 3,
  load: { groups: 1_000, partitions: 100, times: 3 },
};

export interface CommitRow {
  readonly groups: number;
  readonly commitsPerSecond: number;
  readonly cpuMicrosecondsPerCommit: number;
}

export interface LoadResult {
  readonly offsets: number;
  readonly logBytes: number;
  readonly recordsRead: number;
  readonly compactionMs: number;
  readonly openMs: number;
  /** From the first question to the answers of all partitions of the internal topic. */
  readonly loadMs: number;
  readonly longestTurnMs: number;
  /** What the process holds for them, after a collection of garbage. */
  readonly heldBytes: number;
}

export interface OffsetsBench {
  readonly plan: OffsetsPlan;
  readonly commits: readonly CommitRow[];
  readonly load: LoadResult;
}

/** What a plan leaves on the disk at most. */
export function offsetsBytes({ load }: OffsetsPlan): number {
  return 2 * load.groups * load.partitions * load.times * 250 + 100 * MB;
}

export async function measureOffsets(plan: OffsetsPlan, folder: string): Promise<OffsetsBench> {
  return { plan, commits: await measureCommits(plan, folder), load: await measureLoad(plan, folder) };
}

/** Only a context that is made afterwards has it. */
function collectGarbage(): void {
  setFlagsFromString("--expose-gc");
  (runInNewContext("gc") as () => void)();
}

const groupName = (index: number) => `group-${index}`;

async function open(
  dataFolder: string,
  {
    trace = noTrace,
    pause = () => nextTurn(),
  }: { trace?: (event: TraceEvent) => void; pause?: () => Promise<void> } = {},
): Promise<BrokerCluster> {
  return BrokerCluster.open(
    { dataFolder, segmentBytes: LIMITS.segmentBytesDefault },
    {
      clock: new SystemClock(),
      disk: new NodeDisk(),
      random: new SystemRandom(),
      trace,
      faults: new FaultPoints(),
      pause,
    },
  );
}

/** Takes `act` with 0, 1, … below `count`, so many at a time. */
async function lanes(count: number, act: (index: number) => Promise<unknown>): Promise<void> {
  let next = 0;
  const lane = async () => {
    for (let index = next++; index < count; index = next++) await act(index);
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, lane));
}

function commitAll(cluster: BrokerCluster, group: number, partitions: number, offset: number): Promise<void> {
  const offsets = Array.from({ length: partitions }, (_none, partition) => {
    return { topic: TOPIC, partition, offset: offset + partition, metadata: null };
  });
  return cluster.groups.commit({ groupId: groupName(group), member: null, offsets });
}

async function measureCommits(
  { groups, commits, rounds }: OffsetsPlan,
  folder: string,
): Promise<CommitRow[]> {
  const clusters: BrokerCluster[] = [];
  for (const count of groups) {
    showProgress(`${count} groups commit for the first time`);
    const cluster = await open(join(folder, `groups-${count}`));
    cluster.createTopic({ topic: TOPIC, partitions: OFFSETS_PER_GROUP });
    await lanes(count, (group) => commitAll(cluster, group, OFFSETS_PER_GROUP, 0));
    clusters.push(cluster);
  }
  const measured = groups.map(() => [] as { ms: number; cpuMs: number }[]);
  // The first round warms up, and counts for nothing.
  for (let round = 0; round <= rounds; round += 1) {
    showProgress(`round ${round} of ${rounds}`);
    for (const [index, cluster] of clusters.entries()) {
      const result = await commitRound(cluster, groups[index] ?? 1, commits);
      if (round > 0) measured[index]?.push(result);
    }
  }
  for (const cluster of clusters) await cluster.close();
  showProgress("");
  return groups.map((count, index) => {
    const results = measured[index] ?? [];
    return {
      groups: count,
      commitsPerSecond: (commits / median(results.map(({ ms }) => ms))) * 1_000,
      cpuMicrosecondsPerCommit: (median(results.map(({ cpuMs }) => cpuMs)) / commits) * 1_000,
    };
  });
}

async function commitRound(
  cluster: BrokerCluster,
  groups: number,
  commits: number,
): Promise<{ ms: number; cpuMs: number }> {
  const cpuBefore = process.cpuUsage();
  const startMs = performance.now();
  await lanes(commits, (index) => {
    const groupId = groupName(Math.floor(Math.random() * groups));
    const offsets = [{ topic: TOPIC, partition: index % OFFSETS_PER_GROUP, offset: index, metadata: null }];
    return cluster.groups.commit({ groupId, member: null, offsets });
  });
  const ms = performance.now() - startMs;
  const { user, system } = process.cpuUsage(cpuBefore);
  return { ms, cpuMs: (user + system) / 1_000 };
}

async function measureLoad({ load }: OffsetsPlan, folder: string): Promise<LoadResult> {
  const { groups, partitions, times } = load;
  const dataFolder = join(folder, "load");
  const before = await open(dataFolder);
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
): Promise<Pick<LoadResult, "recordsRead" | "openMs" | "loadMs" | "longestTurnMs" | "heldBytes">> {
  let [recordsRead, longestTurnMs] = [0, 0];
  const trace = (event: TraceEvent) => {
    if (event.kind === "coordinator_loaded") recordsRead += event.records;
  };
  const openedMs = performance.now();
  const cluster = await open(dataFolder, {
    trace,
    pause: async () => {
      longestTurnMs = Math.max(longestTurnMs, performance.now() - turnMs);
      await nextTurn();
      turnMs = performance.now();
    },
  });
  collectGarbage();
  const heldBefore = process.memoryUsage().heapUsed;
  const startMs = performance.now();
  let turnMs = startMs;
  // A hundred groups lie in all of its partitions.
  for (let group = 0; group < Math.min(groups, 100); group += 1)
    await cluster.groups.committed({ groupId: groupName(group) });
  const loadMs = performance.now() - startMs;
  collectGarbage();
  const heldBytes = process.memoryUsage().heapUsed - heldBefore;
  await cluster.close();
  return { recordsRead, openMs: startMs - openedMs, loadMs, longestTurnMs, heldBytes };
}

export function offsetsTable({ plan, commits, load }: OffsetsBench): string {
  const base = commits[0]?.commitsPerSecond ?? 1;
  const heading = ["groups stored", "commits/s", "of the first", "CPU us each"];
  const cells = commits.map((row) => [
    row.groups.toFixed(0),
    row.commitsPerSecond.toFixed(0),
    `${((100 * row.commitsPerSecond) / base).toFixed(0)} %`,
    row.cpuMicrosecondsPerCommit.toFixed(0),
  ]);
  const { groups, partitions, times } = plan.load;
  return [
    `commits of one offset, ${IN_FLIGHT} waiting at a time; medians of ${plan.rounds} rounds of ${plan.commits}`,
    "",
    ...aligned([heading, ...cells]),
    "",
    `${load.offsets} offsets of ${groups} groups, each committed ${times} times, ${partitions} at a time; compacted as in auto mode`,
    "",
    ...aligned([
      ["the compacted log", `${(load.logBytes / MB).toFixed(0)} MB`],
      ["records read", `${(load.recordsRead / 1_000_000).toFixed(2)} M`],
      ["compaction took", `${(load.compactionMs / 1_000).toFixed(1)} s`],
      ["the cluster opens in", `${load.openMs.toFixed(0)} ms`],
      ["offsets are loaded in", `${(load.loadMs / 1_000).toFixed(2)} s`],
      ["longest turn", `${load.longestTurnMs.toFixed(0)} ms`],
      ["held in memory", `${(load.heldBytes / MB).toFixed(0)} MB`],
    ]),
  ].join("\n");
}
