import { expect, test } from "vitest";
import { Replicator } from "./replicator.ts";

/** A cluster whose rounds leave what the test says. */
function clusterLeaving(lefts: number[]) {
  let rounds = 0;
  let behind = (): void => undefined;
  return {
    fallBehind: () => behind(),
    rounds: () => rounds,
    onBehind: (listener: () => void) => {
      behind = listener;
    },
    replicateBehind: async () => {
      rounds++;
      const left = lefts.shift() ?? 0;
      if (left < 0) throw new Error("a round failed");
      return left;
    },
  };
}

async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve));
}

test("a round follows in the next turn, whatever fell behind in this one, and further ones while somebody is behind", async () => {
  const cluster = clusterLeaving([2, 1, 0]);
  const replicator = new Replicator(cluster, () => undefined);
  expect(cluster.rounds()).toBe(0);
  cluster.fallBehind();
  cluster.fallBehind();
  expect(cluster.rounds()).toBe(0);
  await turns(10);
  expect(cluster.rounds()).toBe(3);
  cluster.fallBehind();
  await turns(3);
  expect(cluster.rounds()).toBe(4);
  await replicator.stop();
});

test("what falls behind as a round ends, when it has counted what it leaves, has a round of its own", async () => {
  const cluster = clusterLeaving([0, 0]);
  const replicateBehind = () => {
    const round = cluster.replicateBehind();
    if (cluster.rounds() === 1) void round.then(() => cluster.fallBehind());
    return round;
  };
  const replicator = new Replicator({ ...cluster, replicateBehind }, () => undefined);
  cluster.fallBehind();
  await turns(5);
  expect(cluster.rounds()).toBe(2);
  await replicator.stop();
});

test("a round that fails is told, and stops no later one", async () => {
  const cluster = clusterLeaving([-1, 0]);
  const told: unknown[] = [];
  const replicator = new Replicator(cluster, (error) => told.push(error));
  cluster.fallBehind();
  await turns(5);
  expect([cluster.rounds(), told.length]).toEqual([1, 1]);
  cluster.fallBehind();
  await turns(5);
  expect([cluster.rounds(), told.length]).toEqual([2, 1]);
  await replicator.stop();
});

test("after the stop there is no further round", async () => {
  const cluster = clusterLeaving([5, 5, 5]);
  const replicator = new Replicator(cluster, () => undefined);
  cluster.fallBehind();
  await replicator.stop();
  cluster.fallBehind();
  await turns(5);
  expect(cluster.rounds()).toBe(0);
});
