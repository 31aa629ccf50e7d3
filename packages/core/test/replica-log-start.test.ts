/** Where the logs of a partition's replicas begin: moved by hand, and by each one's own retention. */
import { expect, test } from "vitest";
import type { BrokerCluster } from "../src/cluster/cluster.ts";
import { ORDERS, openReplicated, send, valuesOn } from "./replica-world.ts";
import { memoryWorld, rejection, worldOn } from "./world.ts";

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

test("a replica that was away when records were deleted follows with its fetches", async () => {
  const cluster = await openReplicated(memoryWorld());
  await send(cluster, ["a", "b", "c"]);
  for (let round = 0; round < 2; round++) await cluster.replicateOnce();
  await cluster.stopBroker(3);
  await cluster.deleteRecords(ORDERS, 2);
  await cluster.startBroker(3);
  expect(valuesOn(cluster, 3)).toEqual(["a", "b", "c"]);
  for (let round = 0; round < 2; round++) await cluster.replicateOnce();
  expect(startsOf(cluster)).toEqual([2, 2, 2]);
});

test("retention is applied to the log of each replica, as far as it knows it to be visible", async () => {
  const cluster = await openReplicated(memoryWorld(), { brokers: 2, config: { segmentBytes: 1024 } });
  cluster.alterConfig("orders", { retention_bytes: 0 });
  await send(cluster, ["1".repeat(900), "2".repeat(900)]);
  await cluster.replicateOnce();
  const deleted = (await cluster.steps.applyRetention()).map(({ place, segment }) => [
    place.brokerId,
    segment.baseOffset,
    segment.reason,
  ]);
  // The follower has not heard of the high watermark yet.
  expect(deleted).toEqual([
    [1, 0, "size"],
    [1, 1, "size"],
  ]);
  await cluster.replicateOnce();
  expect(startsOf(cluster)).toEqual([2, 2]);
});
