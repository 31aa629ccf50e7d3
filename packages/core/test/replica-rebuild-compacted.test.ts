/** A copy of a compacted log that is fetched anew, and is not whole yet when the leadership moves. */
import { expect, test } from "vitest";
import type { BrokerCluster } from "../src/cluster/cluster.ts";
import { FOLDER, openCluster } from "./cluster-world.ts";
import { keyed, left } from "./compaction-world.ts";
import { rewrite } from "./log-world.ts";
import { inSyncOf, ORDERS } from "./replica-world.ts";
import { memoryWorld, rejection, type World, worldOn } from "./world.ts";

/** A round copies one batch. */
const BROKERS = { brokerIds: [1, 2, 3], replicaFetchMaxBytes: 1 };
const DELETE_RETENTION_MS = 100;

const logOn = (cluster: BrokerCluster, brokerId: number) =>
  cluster.replicaSet(ORDERS).leadership.requireCopy(brokerId).log;

const recordsOn = (cluster: BrokerCluster, brokerId: number) => left(logOn(cluster, brokerId));

async function replicated(cluster: BrokerCluster): Promise<void> {
  for (let round = 0; round < 6; round++) await cluster.replicateOnce();
}

async function send(cluster: BrokerCluster, key: string, value: string | null): Promise<void> {
  const sent = cluster.appendBatch(ORDERS, keyed([[key, value]]), { acks: "all" });
  await replicated(cluster);
  await sent;
}

/** All have had a record and its tombstone; of those brokers 2 and 3 have dropped both, and broker 1, which leads, neither. */
async function openUneven(world: World): Promise<BrokerCluster> {
  const cluster = await openCluster(world, BROKERS);
  const config = {
    cleanup_policy: "compact",
    min_cleanable_dirty_ratio: 0,
    delete_retention_ms: DELETE_RETENTION_MS,
  };
  cluster.createTopic({ topic: "orders", partitions: 1, replicationFactor: 3, config });
  await send(cluster, "a", "ended");
  await send(cluster, "a", null);
  for (let pass = 0; pass < 2; pass++) {
    await send(cluster, "b", "counts");
    for (const log of [2, 3].map((brokerId) => logOn(cluster, brokerId))) {
      log.roll();
      await log.flush();
    }
    await cluster.steps.compact(async () => {});
    world.clock.advance(DELETE_RETENTION_MS);
  }
  await cluster.steps.compact(async () => {});
  return cluster;
}

/** Broker 3 starts anew with a manifest that nobody can read. */
async function ruin(world: World, cluster: BrokerCluster): Promise<void> {
  await cluster.stopBroker(3);
  rewrite(world.disk, `${FOLDER}/broker-3/orders-0/manifest.json`, (bytes) => bytes.subarray(0, 1));
  await cluster.startBroker(3);
}

test("it begins anew under the new leader, so that it holds nothing whose tombstone has gone there", async () => {
  const world = memoryWorld();
  const cluster = await openUneven(world);
  await ruin(world, cluster);
  await cluster.rejoin(ORDERS, 3);
  expect([1, 2, 3].map((brokerId) => recordsOn(cluster, brokerId))).toEqual([
    ["0 a=ended", "1 a=null", "2 b=counts", "3 b=counts"],
    ["3 b=counts"],
    ["0 a=ended"],
  ]);
  await cluster.promote(ORDERS, 2);
  await replicated(cluster);
  expect(inSyncOf(cluster)).toContain(3);
  expect(recordsOn(cluster, 3)).toEqual(["3 b=counts"]);
});

test("that it is to begin anew is known before the old copy is set aside: no crash comes in between", async () => {
  const world = memoryWorld();
  const cluster = await openUneven(world);
  await ruin(world, cluster);
  world.disk.fail({ operation: "change", code: "EIO", path: /broker-3/ });
  expect(await rejection(cluster.rejoin(ORDERS, 3))).toMatchObject({ code: "STORAGE_ERROR" });
  expect(cluster.replicaSet(ORDERS).state.copyAnew).toEqual([3]);
  world.disk.stopFailing();
  const disk = world.disk.clone();
  disk.crash({ mode: "lost" });
  const again = await openCluster(worldOn(disk), BROKERS);
  expect(again.replicaSet(ORDERS).state.copyAnew).toEqual([3]);
});
