/**
 * The failure cases that Kafka's own proposals begin with, as far as one process can stage them: what Kafka does now under the
 * default, and what it did before, or the original did, under the dial.
 */
import { expect, test } from "vitest";
import { valuesOf } from "./cluster-world.ts";
import { inSyncOf, marksOf, ORDERS, openReplicated, send, valuesOn } from "./replica-world.ts";
import { memoryWorld } from "./world.ts";

const DIALS = ["leader-epoch", "high-watermark"] as const;

test.each([
  ["leader-epoch", ["m1", "m2"]],
  ["high-watermark", ["m1"]],
] as const)(
  "KIP-101, scenario 1, %s: a follower that restarts before it has heard of m2, and then has to lead",
  async (reconciliation, expected) => {
    const world = memoryWorld();
    const cluster = await openReplicated(world, { brokers: 2, config: { reconciliation } });
    await send(cluster, ["m1"]);
    await cluster.replicateOnce();
    await cluster.replicateOnce();
    const acknowledged = send(cluster, ["m2"], "all");
    await cluster.replicateOnce();
    await acknowledged;
    expect(marksOf(cluster)).toEqual(["2/2", "2/1"]);
    await cluster.stopBroker(2);
    await cluster.startBroker(2);
    // It cuts its log, and the leader is gone before it has fetched again.
    const site = { brokerId: 2 };
    world.faults.arm({ point: "log.append.before_write", action: "error", site });
    await cluster.replicateOnce();
    await cluster.stopBroker(1);
    await cluster.promote(ORDERS, 2);
    expect(valuesOn(cluster, 2)).toEqual(expected);
    expect(valuesOf(cluster, ORDERS)).toEqual(expected);
  },
);

test.each(DIALS)(
  "KIP-101, scenario 2, %s: two logs of equal length that part at an offset below both high watermarks",
  async (reconciliation) => {
    const cluster = await openReplicated(memoryWorld(), { brokers: 2, config: { reconciliation } });
    await send(cluster, ["m1"]);
    await cluster.replicateOnce();
    cluster.removeFromIsr(ORDERS, 2);
    await send(cluster, ["m2"]);
    await cluster.stopBroker(1);
    await cluster.promote(ORDERS, 2, { unclean: true });
    await send(cluster, ["m3"]);
    await cluster.startBroker(1);
    await cluster.replicateOnce();
    expect(inSyncOf(cluster)).toEqual([1, 2]);
    expect(valuesOn(cluster, 2)).toEqual(["m1", "m3"]);
    // At the high watermark nothing is seen: both are in sync, and what a consumer reads depends on who leads.
    expect(valuesOn(cluster, 1)).toEqual(reconciliation === "leader-epoch" ? ["m1", "m3"] : ["m1", "m2"]);
  },
);

test("KIP-279: leadership goes there and back between two fetches, and the epoch in between has records that nobody else saw", async () => {
  const world = memoryWorld();
  const cluster = await openReplicated(world);
  await send(cluster, ["m1", "m2"]);
  await cluster.replicateOnce();
  await cluster.promote(ORDERS, 2);
  await send(cluster, ["only on 2", "only on 2 as well"]);
  await cluster.promote(ORDERS, 1);
  await send(cluster, ["m3"]);
  await cluster.promote(ORDERS, 3);
  await send(cluster, ["only on 3"]);
  await cluster.promote(ORDERS, 1);
  await send(cluster, ["m4", "m5"]);
  world.events.clear();
  await cluster.replicateOnce();
  for (const brokerId of [1, 2, 3])
    expect(valuesOn(cluster, brokerId)).toEqual(["m1", "m2", "m3", "m4", "m5"]);
  expect(world.events.of("reconciled").map(({ brokerId, logEndOffset }) => [brokerId, logEndOffset])).toEqual(
    [
      [2, 2],
      [3, 2],
    ],
  );
  expect([cluster.visibleEnd(ORDERS), inSyncOf(cluster)]).toEqual([5, [1, 2, 3]]);
});

test("KIP-966: the last replica in sync comes back without the end of its log, and makes nobody else cut theirs", async () => {
  const world = memoryWorld();
  const first = await openReplicated(world);
  await send(first, ["m1", "m2"]);
  await first.replicateOnce();
  first.removeFromIsr(ORDERS, 2);
  first.removeFromIsr(ORDERS, 3);
  await send(first, ["m3"], "all");
  await first.steps.flushLogs();
  await first.crash();
  const path = [...world.disk.files().keys()].find((each) => each.includes("broker-1/orders-0/0")) ?? "";
  const file = world.disk.openFile(path);
  file.truncate(Math.floor(file.sizeBytes() / 2));
  file.syncNow();
  file.close();
  const second = await openReplicated(world);
  expect(second.metadata("orders").partitions).toMatchObject([{ leaderId: null, inSyncReplicas: [] }]);
  expect(world.events.of("isr_changed").at(-1)).toMatchObject({
    moves: [{ brokerId: 1, reason: "lost_records", logEndOffset: 1 }],
  });
  await second.replicateOnce();
  expect(valuesOn(second, 2)).toEqual(["m1", "m2"]);
  for (const brokerId of [1, 2])
    await expect(second.promote(ORDERS, brokerId)).rejects.toMatchObject({ code: "NOT_IN_SYNC_REPLICA" });
  // What is lost is now said by an operator, and the replica that has most is his to choose.
  await second.promote(ORDERS, 2, { unclean: true });
  await second.replicateOnce();
  await second.replicateOnce();
  expect(valuesOf(second, ORDERS)).toEqual(["m1", "m2"]);
  // The third was taken out by hand, and stays out until it rejoins.
  expect(inSyncOf(second)).toEqual([1, 2]);
  await second.rejoin(ORDERS, 3);
  expect(inSyncOf(second)).toEqual([1, 2, 3]);
  expect(valuesOn(second, 3)).toEqual(["m1", "m2"]);
});

test("the empty disk: a leader whose folder is gone leads nobody to give up theirs, and is fetched anew when it rejoins", async () => {
  const world = memoryWorld();
  const first = await openReplicated(world);
  await send(first, ["m1", "m2"]);
  await first.replicateOnce();
  await first.close();
  for (const path of [...world.disk.files().keys()])
    if (path.includes("broker-1/orders-0/")) world.disk.remove(path);
  const second = await openReplicated(world);
  expect(second.metadata("orders").partitions).toMatchObject([{ leaderId: null, inSyncReplicas: [1, 2, 3] }]);
  expect(await second.replicateOnce()).toEqual([]);
  await second.promote(ORDERS, 2);
  expect(valuesOf(second, ORDERS)).toEqual(["m1", "m2"]);
  expect(inSyncOf(second)).toEqual([2, 3]);
  expect(await second.rejoin(ORDERS, 1)).toMatchObject({ batches: 2, inSyncReplicas: [1, 2, 3] });
  expect(valuesOn(second, 1)).toEqual(["m1", "m2"]);
  expect(world.events.of("replica_set_aside")).toHaveLength(1);
  await second.close();
  const third = await openReplicated(world);
  expect([third.replicaSet(ORDERS).leaderId, inSyncOf(third)]).toEqual([2, [1, 2, 3]]);
});
