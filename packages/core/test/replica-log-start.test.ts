/** Where the logs of a partition's replicas begin: moved by hand, and by each one's own retention. */
import { expect, test } from "vitest";
import type { BrokerCluster } from "../src/cluster/cluster.ts";
import type { MemoryDisk } from "../src/env/memory-disk.ts";
import { inSyncOf, ORDERS, openReplicated, send, settle, valuesOn } from "./replica-world.ts";
import { memoryWorld, rejection, type World, worldOn } from "./world.ts";

function startsOf(cluster: BrokerCluster): number[] {
  return cluster.replicaSet(ORDERS).copies.map(({ log }) => log.logStartOffset);
}

test("records that were deleted are gone on every replica in sync, so that no promotion brings them back", async () => {
  const world = memoryWorld();
  const cluster = await openReplicated(world);
  await send(cluster, ["a", "b", "c"]);
  for (let round = 0; round < 2; round++) await cluster.replicateOnce();
  expect(await cluster.deleteRecords(ORDERS, 2)).toBe(2);
  expect([1, 2, 3].map((brokerId) => valuesOn(cluster, brokerId))).toEqual([["c"], ["c"], ["c"]]);
  await cluster.promote(ORDERS, 2);
  expect(cluster.listOffsets(ORDERS, -2).offset).toBe(2);

  world.disk.crash({ mode: "lost" });
  const reopened = await openReplicated(worldOn(world.disk));
  expect(startsOf(reopened)).toEqual([2, 2, 2]);
});

test("nothing above the high watermark is deleted, though the leader has it", async () => {
  const cluster = await openReplicated(memoryWorld());
  await send(cluster, ["a"]);
  await cluster.replicateOnce();
  await send(cluster, ["b", "c"]);
  expect(await rejection(cluster.deleteRecords(ORDERS, 2))).toMatchObject({
    code: "OFFSET_OUT_OF_RANGE",
    details: { offset: 2, high_watermark: 1 },
  });
  expect(await cluster.deleteRecords(ORDERS, "high_watermark")).toBe(1);
  expect(valuesOn(cluster, 1)).toEqual(["b", "c"]);
});

test("a replica that was away when records were deleted serves none of them from its start on", async () => {
  const cluster = await openReplicated(memoryWorld());
  await send(cluster, ["a", "b", "c"]);
  for (let round = 0; round < 2; round++) await cluster.replicateOnce();
  await cluster.stopBroker(3);
  await cluster.deleteRecords(ORDERS, 2);
  await cluster.startBroker(3);
  expect(valuesOn(cluster, 3)).toEqual(["c"]);
  for (let round = 0; round < 2; round++) await cluster.replicateOnce();
  expect(startsOf(cluster)).toEqual([2, 2, 2]);
});

/** Three replicas with "a", "b", "c" in all of them, of which broker 2 is stopped while what lies below 2 is deleted. */
async function deletedWhileAway(world: World): Promise<BrokerCluster> {
  const cluster = await openReplicated(world);
  await send(cluster, ["a", "b", "c"]);
  for (let round = 0; round < 2; round++) await cluster.replicateOnce();
  await cluster.stopBroker(2);
  expect(inSyncOf(cluster)).toEqual([1, 2, 3]);
  expect(await cluster.deleteRecords(ORDERS, 2)).toBe(2);
  return cluster;
}

test("one that was in sync and away when records were deleted is not in sync until it has deleted them, also after a restart", async () => {
  const world = memoryWorld();
  const cluster = await deletedWhileAway(world);
  expect(inSyncOf(cluster)).toEqual([1, 3]);
  await cluster.startBroker(2);
  const refused = { code: "NOT_IN_SYNC_REPLICA" };
  expect(await rejection(cluster.promote(ORDERS, 2))).toMatchObject(refused);

  world.disk.crash({ mode: "lost" });
  const reopened = await openReplicated(worldOn(world.disk));
  expect(await rejection(reopened.promote(ORDERS, 2))).toMatchObject(refused);
  await reopened.replicateOnce();
  expect(inSyncOf(reopened)).toEqual([1, 2, 3]);
  await reopened.promote(ORDERS, 2);
  expect([reopened.listOffsets(ORDERS, -2).offset, valuesOn(reopened, 2)]).toEqual([2, ["c"]]);
});

test("one that is away and had deleted as much by itself stays in sync", async () => {
  const cluster = await deletedWhileAway(memoryWorld());
  await cluster.stopBroker(3);
  expect(await cluster.deleteRecords(ORDERS, 1)).toBe(2);
  expect(inSyncOf(cluster)).toEqual([1, 3]);
});

test("one whose disk refuses a deletion leaves the in-sync replicas, and the others delete", async () => {
  const world = memoryWorld();
  const cluster = await openReplicated(world);
  await send(cluster, ["a", "b", "c"]);
  for (let round = 0; round < 2; round++) await cluster.replicateOnce();
  world.disk.fail({ operation: "change", code: "EIO", path: /broker-3/, times: { nth: 1 } });
  expect(await cluster.deleteRecords(ORDERS, 2)).toBe(2);
  expect([inSyncOf(cluster), startsOf(cluster)]).toEqual([
    [1, 2],
    [2, 2, 0],
  ]);
});

test("whatever instant the power fails at during a deletion, no promotion brings back what the leader has deleted", async () => {
  const world = memoryWorld();
  const cluster = await openReplicated(world);
  await send(cluster, ["a", "b", "c"]);
  for (let round = 0; round < 2; round++) await cluster.replicateOnce();
  await cluster.steps.flushLogs();
  await cluster.stopBroker(2);
  const instants: MemoryDisk[] = [];
  const stop = world.disk.beforeChange(() => instants.push(world.disk.clone()));
  await cluster.deleteRecords(ORDERS, 2);
  stop();
  instants.push(world.disk.clone());
  expect(instants.length).toBeGreaterThan(10);
  for (const disk of instants) {
    for (const mode of ["kept", "lost"] as const) {
      for (const successor of [2, 3]) {
        const left = disk.clone();
        left.crash({ mode });
        const again = await openReplicated(worldOn(left));
        const before = again.listOffsets(ORDERS, -2).offset ?? 0;
        if (!inSyncOf(again).includes(successor)) continue;
        await again.promote(ORDERS, successor);
        expect(again.listOffsets(ORDERS, -2).offset).toBeGreaterThanOrEqual(before);
        await again.crash();
      }
    }
  }
});

test("nobody joins the in-sync replicas with records that are just being deleted", async () => {
  const world = memoryWorld();
  const cluster = await openReplicated(world);
  await send(cluster, ["a", "b", "c"]);
  for (let round = 0; round < 2; round++) await cluster.replicateOnce();
  cluster.removeFromIsr(ORDERS, 3);
  world.disk.holdSyncs();
  const deleted = cluster.deleteRecords(ORDERS, 2);
  const rejoined = cluster.rejoin(ORDERS, 3);
  await settle();
  world.disk.releaseSyncs();
  await Promise.all([deleted, rejoined]);
  for (const brokerId of inSyncOf(cluster)) expect(valuesOn(cluster, brokerId)).toEqual(["c"]);
});

test("retention is applied to the log of each replica, as far as it knows it to be visible", async () => {
  const cluster = await openReplicated(memoryWorld(), { brokers: 2, config: { segmentBytes: 1024 } });
  cluster.alterConfig("orders", { retention_bytes: 0 });
  await send(cluster, ["1".repeat(900), "2".repeat(900)]);
  await cluster.replicateOnce();
  const retained = await cluster.steps.applyRetention();
  const deleted = retained.flatMap(({ place, deleted: segments }) =>
    segments.map(({ baseOffset, reason }) => [place.brokerId, baseOffset, reason]),
  );
  // The follower has not heard of the high watermark yet.
  expect(deleted).toEqual([
    [1, 0, "size"],
    [1, 1, "size"],
  ]);
  await cluster.replicateOnce();
  expect(startsOf(cluster)).toEqual([2, 2]);
});
