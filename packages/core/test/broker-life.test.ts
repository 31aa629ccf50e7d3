/** Brokers that stop and start one by one, and a cluster that is opened again: what is visible, who leads, who is in sync. */
import { expect, test } from "vitest";
import { valuesOf } from "./cluster-world.ts";
import { rewrite } from "./log-world.ts";
import { inSyncOf, marksOf, ORDERS, openReplicated, send, valuesOn } from "./replica-world.ts";
import { memoryWorld } from "./world.ts";

test("a stopped broker takes part in nothing: what it leads has no leader, and nobody is elected", async () => {
  const cluster = await openReplicated(memoryWorld());
  await send(cluster, ["a"]);
  await cluster.replicateOnce();
  const waiting = send(cluster, ["b"], "all");
  const refused = expect(waiting).rejects.toMatchObject({ code: "LEADER_NOT_AVAILABLE" });
  expect(await cluster.stopBroker(1)).toEqual({ brokerId: 1, clean: true });
  await refused;
  await expect(send(cluster, ["c"])).rejects.toMatchObject({
    code: "LEADER_NOT_AVAILABLE",
    message: expect.stringContaining("in sync and on line are 2, 3, one of which may be promoted"),
  });
  expect(() => cluster.fetch(ORDERS, 0, { bytesMax: 1 })).toThrow(
    expect.objectContaining({ code: "LEADER_NOT_AVAILABLE" }),
  );
  expect(await cluster.replicateOnce()).toEqual([]);
  expect(cluster.refreshIsr()).toEqual([]);
  expect(cluster.metadata("orders").partitions).toMatchObject([
    { leaderId: null, leaderEpoch: 0, inSyncReplicas: [1, 2, 3] },
  ]);
  expect(cluster.describeCluster().brokers.map(({ state }) => state)).toEqual([
    "stopped",
    "running",
    "running",
  ]);
});

test("a leader that stopped cleanly leads on under its epoch when it starts, with all that it had", async () => {
  const cluster = await openReplicated(memoryWorld());
  await send(cluster, ["a", "b"]);
  await cluster.replicateOnce();
  await send(cluster, ["c"]);
  await cluster.stopBroker(1);
  expect(await cluster.startBroker(1)).toEqual({ brokerId: 1, clean: true });
  expect([cluster.visibleEnd(ORDERS), cluster.replicaSet(ORDERS).leaderEpoch]).toEqual([2, 0]);
  await send(cluster, ["d"]);
  await cluster.replicateOnce();
  expect(valuesOf(cluster, ORDERS)).toEqual(["a", "b", "c", "d"]);
});

test("a follower that is stopped falls out of the in-sync replicas by the rule, and is back when it has caught up", async () => {
  const world = memoryWorld();
  const cluster = await openReplicated(world);
  await cluster.stopBroker(3);
  await send(cluster, ["a"]);
  await cluster.replicateOnce();
  expect([marksOf(cluster), inSyncOf(cluster)]).toEqual([
    ["1/0", "1/0", "-"],
    [1, 2, 3],
  ]);
  world.clock.advance(10_001);
  await cluster.replicateOnce();
  cluster.refreshIsr();
  expect([marksOf(cluster), inSyncOf(cluster)]).toEqual([
    ["1/1", "1/0", "-"],
    [1, 2],
  ]);
  await cluster.startBroker(3);
  expect([marksOf(cluster), inSyncOf(cluster)]).toEqual([
    ["1/1", "1/0", "0/0"],
    [1, 2],
  ]);
  await cluster.replicateOnce();
  expect([valuesOn(cluster, 3), inSyncOf(cluster)]).toEqual([["a"], [1, 2, 3]]);
});

test("a stopped follower that has all falls out as well: it would not hear of the next record", async () => {
  const world = memoryWorld();
  const cluster = await openReplicated(world, { brokers: 2 });
  await cluster.replicateOnce();
  await cluster.stopBroker(2);
  world.clock.advance(10_001);
  expect(cluster.refreshIsr()).toMatchObject([{ to: [1] }]);
});

test("stopping and starting twice is stopping and starting once, also at the same time", async () => {
  const cluster = await openReplicated(memoryWorld());
  const stops = [cluster.stopBroker(2), cluster.stopBroker(2)];
  const start = cluster.startBroker(2);
  await Promise.all([...stops, start]);
  expect(cluster.describeCluster().brokers[1]?.state).toBe("running");
  await cluster.startBroker(2);
  await expect(cluster.stopBroker(9)).rejects.toMatchObject({ code: "INVALID_REQUEST" });
});

test("a broker whose disk failed is healed by a stop and a start, and its copy catches up", async () => {
  const world = memoryWorld();
  const cluster = await openReplicated(world);
  await send(cluster, ["a"]);
  await cluster.replicateOnce();
  world.disk.fail({ operation: "sync", code: "EIO", path: /broker-2.*log$/ });
  await expect(cluster.steps.flushLogs()).rejects.toMatchObject({ code: "BROKER_FAILED" });
  expect(await cluster.stopBroker(2)).toEqual({ brokerId: 2, clean: false });
  expect(await cluster.startBroker(2)).toEqual({ brokerId: 2, clean: false });
  expect(inSyncOf(cluster)).toEqual([1, 2, 3]);
  const sent = send(cluster, ["b"], "all");
  await cluster.replicateOnce();
  await sent;
});

test("a broker whose replicas could not be judged takes no writes, and is judged when it is started again", async () => {
  const world = memoryWorld();
  const cluster = await openReplicated(world);
  await send(cluster, ["a", "b"]);
  await cluster.replicateOnce({ brokerId: 2 });
  // Broker 3 fails, and so ends uncleanly, without a record.
  world.disk.fail({ operation: "sync", code: "EIO", path: /broker-3.*log$/ });
  await cluster.replicateOnce({ brokerId: 3 });
  await expect(cluster.steps.flushLogs()).rejects.toMatchObject({ code: "BROKER_FAILED" });
  await send(cluster, ["c"]);
  await cluster.stopBroker(3);
  world.faults.arm({ point: "metadata.before_rename", action: "error" });
  await expect(cluster.startBroker(3)).rejects.toMatchObject({ code: "STORAGE_ERROR" });
  expect(cluster.describeCluster().brokers[2]?.state).toBe("failed");
  await cluster.stopBroker(3);
  expect(await cluster.startBroker(3)).toEqual({ brokerId: 3, clean: false });
  expect(inSyncOf(cluster)).toEqual([1, 2]);
  await cluster.replicateOnce();
  expect(inSyncOf(cluster)).toEqual([1, 2, 3]);
});

test("a topic that is deleted while a follower cuts its log is gone for the step as well", async () => {
  const world = memoryWorld();
  const cluster = await openReplicated(world, { brokers: 2 });
  await send(cluster, ["a"]);
  await cluster.promote(ORDERS, 2);
  await send(cluster, ["b"]);
  world.disk.holdSyncs();
  const round = cluster.replicateOnce();
  for (let turn = 0; turn < 20; turn++) await Promise.resolve();
  cluster.deleteTopic("orders");
  cluster.createTopic({ topic: "orders", partitions: 1, replicationFactor: 2 });
  world.disk.releaseSyncs();
  await round;
  expect(cluster.replicaSet(ORDERS).state).toMatchObject({ leaderEpoch: 0, inSyncReplicas: [1, 2] });
});

test("a topic cannot be made on a broker that is stopped, and can be deleted from it", async () => {
  const cluster = await openReplicated(memoryWorld());
  await cluster.stopBroker(2);
  expect(() => cluster.createTopic({ topic: "more", partitions: 2 })).toThrow(
    expect.objectContaining({ code: "BROKER_NOT_AVAILABLE", message: "broker 2 is stopped" }),
  );
  cluster.createTopic({ topic: "more", partitions: 1 });
  cluster.deleteTopic("orders");
  await cluster.startBroker(2);
  expect(cluster.listTopics().map(({ topic }) => topic)).toEqual(["more"]);
});

test("after a clean end a cluster shows what it showed: a replica that lags pulls nothing back", async () => {
  const world = memoryWorld();
  const first = await openReplicated(world);
  await send(first, ["a", "b", "c"]);
  first.removeFromIsr(ORDERS, 3);
  await first.replicateOnce({ brokerId: 2 });
  expect(first.visibleEnd(ORDERS)).toBe(3);
  await first.close();
  world.disk.crash({ mode: "lost" });
  const second = await openReplicated(world);
  expect([marksOf(second), inSyncOf(second)]).toEqual([
    ["3/3", "3/0", "0/0"],
    [1, 2],
  ]);
  expect(valuesOf(second, ORDERS)).toEqual(["a", "b", "c"]);
});

test("with the checkpoint dial off it does: what was visible is gone until the replica that lags has caught up", async () => {
  const world = memoryWorld();
  const config = { highWatermarkCheckpoint: false };
  const first = await openReplicated(world, { config });
  await send(first, ["a", "b", "c"]);
  first.removeFromIsr(ORDERS, 3);
  await first.replicateOnce({ brokerId: 2 });
  expect(first.visibleEnd(ORDERS)).toBe(3);
  await first.close();
  const second = await openReplicated(world, { config });
  expect([second.visibleEnd(ORDERS), valuesOf(second, ORDERS)]).toEqual([0, []]);
  await second.replicateOnce();
  expect(valuesOf(second, ORDERS)).toEqual(["a", "b", "c"]);
});

test.each(["kept", "lost", "torn"] as const)(
  "after a crash that leaves the disk %s nothing is less visible than what was acknowledged by all",
  async (mode) => {
    const world = memoryWorld();
    const first = await openReplicated(world);
    const sent = send(first, ["a", "b"], "all");
    await first.replicateOnce();
    await sent;
    await send(first, ["c"]);
    await first.crash();
    world.disk.crash({ mode, random: world.random });
    const second = await openReplicated(world);
    const set = second.replicaSet(ORDERS);
    expect(set.leaderId).toBe(1);
    expect(set.leaderEpoch).toBe(1);
    expect(set.highWatermark).toBeGreaterThanOrEqual(2);
    expect(valuesOf(second, ORDERS).slice(0, 2)).toEqual(["a", "b"]);
    await second.replicateOnce();
    expect(inSyncOf(second)).toEqual([1, 2, 3]);
    expect(valuesOn(second, 2)).toEqual(valuesOn(second, 1));
  },
);

test("a leader that lost the end of its log leads nobody to cut theirs: one that has it is promoted, and nothing is lost", async () => {
  const world = memoryWorld();
  const first = await openReplicated(world, { brokers: 2 });
  const sent = send(first, ["a", "acknowledged"], "all");
  await first.replicateOnce();
  await sent;
  await first.crash();
  const path = [...world.disk.files().keys()].find((each) => each.includes("broker-1/orders-0/0")) ?? "";
  rewrite(world.disk, path, (bytes) => bytes.subarray(0, -1));
  const second = await openReplicated(world, { brokers: 2 });
  expect(second.metadata("orders").partitions).toMatchObject([{ leaderId: null, inSyncReplicas: [2] }]);
  await expect(send(second, ["x"])).rejects.toMatchObject({ code: "LEADER_NOT_AVAILABLE" });
  await second.promote(ORDERS, 2);
  expect(valuesOf(second, ORDERS)).toEqual(["a", "acknowledged"]);
  await second.replicateOnce();
  expect([valuesOn(second, 1), inSyncOf(second)]).toEqual([
    ["a", "acknowledged"],
    [1, 2],
  ]);
});

test("who waits at a broker that is stopped hears of it", async () => {
  const cluster = await openReplicated(memoryWorld());
  let heard = 0;
  cluster.onVisible(ORDERS, () => heard++);
  await cluster.stopBroker(1);
  expect(heard).toBe(1);
});
