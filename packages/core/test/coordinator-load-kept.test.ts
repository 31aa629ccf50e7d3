/** What a coordinator takes for certain when it loads: what everybody in sync keeps through a power cut. */
import { expect, test } from "vitest";
import type { BrokerCluster } from "../src/cluster/cluster.ts";
import { openCluster } from "./cluster-world.ts";
import { countOf, decidedOn, increment, PLACE, shardOn } from "./coordinator-world.ts";
import { outcomeOf, settle } from "./replica-world.ts";
import { memoryWorld, type World } from "./world.ts";

async function openCounters(world: World, minInSyncReplicas = 1): Promise<BrokerCluster> {
  const cluster = await openCluster(world, { brokerIds: [1, 2] });
  if (cluster.hasTopic(PLACE.topic)) return cluster;
  const config = { min_insync_replicas: minInSyncReplicas };
  cluster.createTopic({ ...PLACE, partitions: 1, replicationFactor: 2, config });
  return cluster;
}

/** One more of `a`: it is visible, and what is in sync beside the leader does not have it on its disk, whose syncs are held. */
async function incrementHalfKept(
  cluster: BrokerCluster,
  world: World,
): Promise<{ counted: Promise<number> }> {
  const counted = increment(shardOn(cluster, world), "a");
  await settle();
  world.disk.holdSyncs();
  await cluster.replicateOnce();
  await cluster.replicateOnce();
  const { highWatermark, copies } = cluster.replicaSet(PLACE);
  expect(copies.map(({ log }) => [highWatermark, log.logEndOffset, log.flushedOffset])).toEqual([
    [1, 1, 1],
    [1, 1, 0],
  ]);
  expect(await outcomeOf(counted)).toBe("pending");
  return { counted };
}

test("a state that is loaded rests on nothing that a power cut can take from who is in sync", async () => {
  const world = memoryWorld();
  const cluster = await openCounters(world);
  const { counted } = await incrementHalfKept(cluster, world);
  const shard = shardOn(cluster, world);
  const told = [countOf(shard, "a"), decidedOn(shard, "a")];
  expect(await Promise.all(told.map(outcomeOf))).toEqual(["pending", "pending"]);
  world.disk.releaseSyncs();
  expect(await Promise.all(told)).toEqual([1, 1]);
  expect(await counted).toBe(1);
  await cluster.promote(PLACE, 2);
  await cluster.crash();
  world.disk.crash({ mode: "lost" });
  const next = await openCounters(world);
  expect(await countOf(shardOn(next, world), "a")).toBe(1);
  await next.close();
});

test("a loading waits for no disk of one that is in sync no more", async () => {
  const world = memoryWorld();
  const cluster = await openCounters(world);
  await incrementHalfKept(cluster, world);
  const told = countOf(shardOn(cluster, world), "a");
  expect(await outcomeOf(told)).toBe("pending");
  cluster.removeFromIsr(PLACE, 2);
  expect(await outcomeOf(told)).toBe("kept");
  expect(await told).toBe(1);
  world.disk.releaseSyncs();
  await cluster.close();
});

test("a loading begins anew when the leadership moves while it waits for disks", async () => {
  const world = memoryWorld();
  const cluster = await openCounters(world);
  await incrementHalfKept(cluster, world);
  const told = countOf(shardOn(cluster, world), "a");
  expect(await outcomeOf(told)).toBe("pending");
  const promoted = cluster.promote(PLACE, 2);
  world.disk.releaseSyncs();
  await promoted;
  expect(await told).toBe(1);
  expect(world.events.of("coordinator_loaded").map(({ brokerId }) => brokerId)).toEqual([1, 2]);
  await cluster.close();
});
