/**
 * What committed offsets cost, in the kernel of this process: how many commits a second there are room for while few or many groups
 * are stored, and how long it takes until the first question is answered after a restart.
 */
import { aligned } from "./aligned.ts";
import { IN_FLIGHT } from "./offset-cluster.ts";
import { type CommitRow, type CommitsPlan, measureCommits } from "./offset-commits.ts";
import { type LoadPlan, type LoadResult, measureLoad } from "./offset-load.ts";

const MB = 1_000_000;

export interface OffsetsPlan extends CommitsPlan {
  readonly load: LoadPlan;
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
  return { plan, commits: await measureCommits(plan, folder), load: await measureLoad(plan.load, folder) };
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
      ["which takes CPU", `${(load.loadCpuMs / 1_000).toFixed(2)} s`],
      ["longest turn", `${load.longestTurnMs.toFixed(0)} ms`],
      ["held in memory", `${(load.heldBytes / MB).toFixed(0)} MB`],
    ]),
  ].join("\n");
}
