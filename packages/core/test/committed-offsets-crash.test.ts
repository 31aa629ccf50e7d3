/** The world ends at every change of the disk, in every way: what was acknowledged is there, and nothing is there in part. */
import { describe, expect, test } from "vitest";
import type { BrokerCluster } from "../src/cluster/cluster.ts";
import type { ClusterConfig } from "../src/cluster/config.ts";
import type { MemoryDisk } from "../src/env/memory-disk.ts";
import { SeededRandom } from "../src/env/random.ts";
import { crashesOf } from "./crash-instants.ts";
import { commit, committed, OFFSETS_TOPIC, openOffsets } from "./offsets-world.ts";
import { memoryWorld, type World, worldOn } from "./world.ts";

const PLACE = { topic: OFFSETS_TOPIC, partition: 0 };

/** Commits are numbered; each puts its number in two partitions of its group, and as the number of the group's last commit. */
class Life {
  readonly world: World;
  readonly cluster: BrokerCluster;
  readonly instants: { disk: MemoryDisk; before: string; acked: number[]; issued: number[] }[] = [];
  /** By group: the last commit that was acknowledged, and the last that was asked for. */
  readonly acked = [0, 0];
  readonly issued = [0, 0];

  constructor(world: World, cluster: BrokerCluster) {
    this.world = world;
    this.cluster = cluster;
    world.disk.beforeChange(({ kind, path }) => this.note(`${kind} of ${path}`));
  }

  note(before: string): void {
    const { acked, issued } = this;
    this.instants.push({ disk: this.world.disk.clone(), before, acked: [...acked], issued: [...issued] });
  }

  async commit(group: number): Promise<void> {
    const number = (this.issued[group] ?? 0) + 1;
    this.issued[group] = number;
    await commit(this.cluster, `group-${group}`, `orders:0=${number}`, `orders:1=${number}`);
    this.acked[group] = Math.max(this.acked[group] ?? 0, number);
  }
}

async function livedThrough(): Promise<Life> {
  const world = memoryWorld();
  const life = new Life(world, await openOffsets(world));
  const { cluster } = life;
  await life.commit(0);
  await Promise.all([life.commit(0), life.commit(1), life.commit(0)]);
  cluster.steps.rollSegment(PLACE);
  await life.commit(1);
  await cluster.steps.flushLogs();
  cluster.steps.rollSegment(PLACE);
  await life.commit(0);
  await cluster.steps.flushLogs();
  const compacting = cluster.steps.compact(() => Promise.resolve(), OFFSETS_TOPIC);
  await life.commit(1);
  const [compacted] = await compacting;
  // Of seven pairs of records below the active segment, the last of each group stays.
  expect(compacted?.result).toMatchObject({ recordsKept: 4 });
  await life.commit(0);
  await cluster.close();
  life.note("the end");
  return life;
}

describe("a crash at any instant", () => {
  test("keeps every commit that was acknowledged, and of the others all or nothing; a second crash changes nothing", async () => {
    const { instants } = await livedThrough();
    expect(instants.length).toBeGreaterThan(40);
    for (const [seed, { disk, before, acked, issued }] of instants.entries()) {
      for (const crash of crashesOf(new SeededRandom(seed))) {
        const copy = disk.clone();
        copy.crash(crash);
        const first = await found(worldOn(copy));
        for (const [group, numbers] of first.entries()) {
          const where = `group ${group} after a crash (${crash.mode}) before ${before}`;
          expect(new Set(numbers).size, where).toBe(1);
          expect(numbers[0], where).toBeGreaterThanOrEqual(acked[group] ?? 0);
          expect(numbers[0], where).toBeLessThanOrEqual(issued[group] ?? 0);
        }
        if (crash.mode !== "lost") continue;
        copy.crash(crash);
        expect(await found(worldOn(copy)), `twice, before ${before}`).toEqual(first);
      }
    }
  });
});

describe("a crash at any instant of three brokers", () => {
  test("keeps every commit that was acknowledged, through a promotion and a stop of the leader", async () => {
    const world = memoryWorld();
    const life = new Life(world, await openOffsets(world, THREE));
    const { cluster } = life;
    for (const group of [0, 1, 0]) await replicatedUntil(cluster, life.commit(group));
    await cluster.promote(PLACE, 2);
    await replicatedUntil(cluster, Promise.all([life.commit(1), life.commit(0)]));
    await cluster.stopBroker(2);
    await cluster.startBroker(2);
    await replicatedUntil(cluster, life.commit(0));
    await cluster.close();
    life.note("the end");
    expect(life.instants.length).toBeGreaterThan(100);
    for (const [seed, { disk, before, acked, issued }] of life.instants.entries()) {
      const crash = crashesOf(new SeededRandom(seed))[seed % 4];
      if (crash === undefined) continue;
      const copy = disk.clone();
      copy.crash(crash);
      for (const [group, numbers] of (await found(worldOn(copy), THREE)).entries()) {
        const where = `group ${group} after a crash (${crash.mode}) before ${before}`;
        expect(new Set(numbers).size, where).toBe(1);
        expect(numbers[0], where).toBeGreaterThanOrEqual(acked[group] ?? 0);
        expect(numbers[0], where).toBeLessThanOrEqual(issued[group] ?? 0);
      }
    }
  });
});

const THREE = { brokerIds: [1, 2, 3] };

/** Copies, round after round, until `work` is done. */
async function replicatedUntil(cluster: BrokerCluster, work: Promise<unknown>): Promise<void> {
  let isDone = false;
  const done = work.finally(() => {
    isDone = true;
  });
  while (!isDone) {
    await cluster.replicateOnce();
    await new Promise(setImmediate);
  }
  await done;
}

/** A leader that lost what a replica in sync still holds leads no more, and somebody has to say who does. */
async function promoteWhereNobodyLeads(cluster: BrokerCluster): Promise<void> {
  if (!cluster.hasTopic(OFFSETS_TOPIC)) return;
  for (const { partition, leaderId, inSyncReplicas } of cluster.metadata(OFFSETS_TOPIC).partitions) {
    const [heir] = inSyncReplicas;
    if (leaderId === null && heir !== undefined)
      await cluster.promote({ topic: OFFSETS_TOPIC, partition }, heir);
  }
}

/** The numbers of both groups in both partitions; the process dies afterwards, without a word. */
async function found(world: World, config: Partial<ClusterConfig> = {}): Promise<number[][]> {
  const cluster = await openOffsets(world, config);
  await promoteWhereNobodyLeads(cluster);
  const numbers = [];
  for (const group of [0, 1]) {
    const offsets = await committed(cluster, `group-${group}`);
    numbers.push(offsets.length === 0 ? [0] : offsets.map((text) => Number(text.split("=")[1])));
    expect([0, 2]).toContain(offsets.length);
  }
  await cluster.crash();
  return numbers;
}
