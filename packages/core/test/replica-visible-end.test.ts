/**
 * What was visible stays visible, whichever folders are put back from older copies: only a leader knows exactly how far that was, and
 * its folder may be the one.
 */
import { expect, test } from "vitest";
import type { BrokerCluster } from "../src/cluster/cluster.ts";
import { valuesOf } from "./cluster-world.ts";
import { copyOfBroker, type FolderCopy, restoreBroker } from "./folder-copy.ts";
import { inSyncOf, marksOf, ORDERS, openReplicated, send, valuesOn } from "./replica-world.ts";
import { memoryWorld, type World } from "./world.ts";

const VALUES = ["a0", "a1", "a2"];

/** Sends, and lets the followers fetch it: it is visible, of which they have not heard. */
async function sendUnheard(cluster: BrokerCluster, values: readonly string[] = VALUES): Promise<void> {
  await send(cluster, values);
  await cluster.replicateOnce();
}

/** A copy of the folder as it is when its broker has stopped; it runs on. */
async function copied(cluster: BrokerCluster, world: World, brokerId: number): Promise<FolderCopy> {
  await cluster.stopBroker(brokerId);
  const copy = copyOfBroker(world.disk, brokerId);
  await cluster.startBroker(brokerId);
  return copy;
}

async function putBack(cluster: BrokerCluster, world: World, brokerId: number, copy: FolderCopy) {
  await cluster.stopBroker(brokerId);
  restoreBroker(world.disk, brokerId, copy);
  await cluster.startBroker(brokerId);
}

/** The folder of the leader, broker 1, is put back while its follower is stopped, which has not heard of what is visible. */
async function withoutLeader(world: World): Promise<BrokerCluster> {
  const cluster = await openReplicated(world, { brokers: 2 });
  const copy = await copied(cluster, world, 1);
  await sendUnheard(cluster);
  await cluster.stopBroker(2);
  await putBack(cluster, world, 1, copy);
  expect(cluster.replicaSet(ORDERS).state).toMatchObject({ leaderId: null, inSyncReplicas: [2] });
  expect(cluster.replicaSet(ORDERS).highWatermark).toBe(VALUES.length);
  return cluster;
}

const ENDS = ["closed", "killed"] as const;

async function reopened(
  before: BrokerCluster,
  world: World,
  end: (typeof ENDS)[number],
): Promise<BrokerCluster> {
  if (end === "closed") await before.close();
  else {
    await before.crash();
    world.disk.crash({ mode: "kept" });
  }
  return openReplicated(world, { brokers: before.config.brokerIds.length });
}

test("who starts while nobody leads, and may be promoted, knows what is visible", async () => {
  const cluster = await withoutLeader(memoryWorld());
  await cluster.startBroker(2);
  expect(marksOf(cluster)).toEqual(["0/0", "3/3"]);
});

test.each(ENDS.flatMap((end) => [true, false].map((isStarted) => [end, isStarted] as const)))(
  "where nobody leads, no restart shows less than before, though no follower has noted that (%s, follower started: %s)",
  async (end, isStarted) => {
    const world = memoryWorld();
    const before = await withoutLeader(world);
    if (isStarted) await before.startBroker(2);
    const cluster = await reopened(before, world, end);
    expect(cluster.replicaSet(ORDERS).highWatermark).toBe(VALUES.length);
    await cluster.promote(ORDERS, 2);
    expect(valuesOf(cluster, ORDERS)).toEqual(VALUES);
  },
);

test.each(ENDS)(
  "where nobody leads, no more is visible after a restart than what those in sync have in common (%s)",
  async (end) => {
    const world = memoryWorld();
    const before = await openReplicated(world);
    const copy = await copied(before, world, 3);
    await sendUnheard(before);
    await before.replicateOnce();
    await send(before, ["x"]);
    await before.replicateOnce({ brokerId: 2 });
    await before.promote(ORDERS, 3);
    await send(before, ["y"]);
    await before.replicateOnce({ brokerId: 1 });
    for (const brokerId of [1, 2]) await before.stopBroker(brokerId);
    await putBack(before, world, 3, copy);
    expect(before.replicaSet(ORDERS).state).toMatchObject({ leaderId: null, inSyncReplicas: [1, 2] });
    const cluster = await reopened(before, world, end);
    expect(cluster.replicaSet(ORDERS).highWatermark).toBe(VALUES.length);
    expect([1, 2].map((brokerId) => valuesOn(cluster, brokerId))).toEqual([
      [...VALUES, "y"],
      [...VALUES, "x"],
    ]);
    await cluster.promote(ORDERS, 1);
    for (let round = 0; round < 3; round++) await cluster.replicateOnce();
    expect([valuesOf(cluster, ORDERS), inSyncOf(cluster)]).toEqual([
      [...VALUES, "y"],
      [1, 2, 3],
    ]);
  },
);

test("when all in-sync replicas were put back, where they agree is visible, though somebody out of sync was not", async () => {
  const world = memoryWorld();
  const before = await openReplicated(world);
  await sendUnheard(before);
  before.removeFromIsr(ORDERS, 3);
  const copies: FolderCopy[] = [];
  for (const brokerId of [1, 2]) copies.push(await copied(before, world, brokerId));
  await before.close();
  for (const [index, copy] of copies.entries()) restoreBroker(world.disk, index + 1, copy);
  const cluster = await openReplicated(world);
  expect(cluster.replicaSet(ORDERS).state).toMatchObject({ leaderId: 1, inSyncReplicas: [1, 2] });
  expect(valuesOf(cluster, ORDERS)).toEqual(VALUES);
});
