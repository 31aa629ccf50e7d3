/** How many commits a second there are room for while few or many groups are stored. */
import { join } from "node:path";
import type { BrokerCluster } from "@minikafka/core";
import { commitAll, groupName, lanes, openForGroups, TOPIC } from "./offset-cluster.ts";
import { showProgress } from "./progress.ts";
import { median } from "./statistics.ts";

const OFFSETS_PER_GROUP = 10;

export interface CommitsPlan {
  readonly groups: readonly number[];
  /** Commits of one offset each that one round takes, by as many groups. */
  readonly commits: number;
  readonly rounds: number;
}

export interface CommitRow {
  readonly groups: number;
  readonly commitsPerSecond: number;
  readonly cpuMicrosecondsPerCommit: number;
}

export async function measureCommits(
  { groups, commits, rounds }: CommitsPlan,
  folder: string,
): Promise<CommitRow[]> {
  const clusters: BrokerCluster[] = [];
  for (const count of groups) {
    showProgress(`${count} groups commit for the first time`);
    const cluster = await openForGroups(join(folder, `groups-${count}`));
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
