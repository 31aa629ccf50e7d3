/** Who is in sync, and what that does to the high watermark. The numbers are told with each change. */
import { expect, test } from "vitest";
import { FOLDER } from "./cluster-world.ts";
import { inSyncOf, marksOf, ORDERS, openReplicated, send } from "./replica-world.ts";
import { memoryWorld } from "./world.ts";

test("a follower that lags for longer than allowed is evicted by the check, and what it held up becomes visible", async () => {
  const world = memoryWorld();
  const cluster = await openReplicated(world);
  await send(cluster, ["a", "b"]);
  await cluster.replicateOnce();
  await send(cluster, ["c"]);
  await cluster.replicateOnce({ brokerId: 2 });
  world.clock.advance(10_000);
  await cluster.replicateOnce({ brokerId: 2 });
  expect(cluster.refreshIsr()).toEqual([]);
  world.clock.advance(1);
  await cluster.replicateOnce({ brokerId: 2 });
  world.events.clear();
  expect(cluster.refreshIsr()).toEqual([{ ...ORDERS, from: [1, 2, 3], to: [1, 2] }]);
  expect(cluster.visibleEnd(ORDERS)).toBe(3);
  const caughtUpMs = world.clock.nowMs() - 10_001;
  expect(world.events.of("isr_changed")).toMatchObject([
    {
      ...ORDERS,
      from: [1, 2, 3],
      to: [1, 2],
      leaderEpoch: 0,
      highWatermark: 2,
      logEndOffset: 3,
      moves: [{ brokerId: 3, reason: "lag_time", logEndOffset: 2, lastCaughtUpMs: caughtUpMs }],
    },
  ]);
  expect(world.events.of("high_watermark_moved")).toMatchObject([
    { brokerId: 1, from: 2, to: 3, logEndOffset: 3, inSyncReplicas: [1, 2] },
  ]);
});

test("fetching often without catching up keeps nobody in sync", async () => {
  const world = memoryWorld();
  const cluster = await openReplicated(world, { brokers: 2, config: { replicaFetchMaxBytes: 1 } });
  await send(
    cluster,
    Array.from({ length: 40 }, (_, n) => `${n}`),
  );
  for (let round = 0; round < 12; round++) {
    world.clock.advance(1000);
    await send(cluster, ["more", "and more"]);
    await cluster.replicateOnce();
  }
  expect(cluster.refreshIsr()).toMatchObject([{ to: [1] }]);
});

test("a follower that always holds what its leader had at the fetch before stays in sync, however busy the leader", async () => {
  const world = memoryWorld();
  const cluster = await openReplicated(world, { brokers: 2, config: { replicaFetchMaxBytes: 1 } });
  await send(cluster, ["first"]);
  await cluster.replicateOnce();
  for (let round = 0; round < 30; round++) {
    await send(cluster, [`${round}`]);
    world.clock.advance(4000);
    await cluster.replicateOnce();
    await send(cluster, [`again ${round}`]);
    await cluster.replicateOnce();
  }
  expect([cluster.refreshIsr(), inSyncOf(cluster)]).toEqual([[], [1, 2]]);
});

test("with the cap on offsets a burst evicts a healthy follower; without it, it does not", async () => {
  for (const [replicaLagMaxOffsets, expected] of [
    [5, [1]],
    [null, [1, 2]],
  ] as const) {
    const cluster = await openReplicated(memoryWorld(), { brokers: 2, config: { replicaLagMaxOffsets } });
    await send(cluster, ["0", "1", "2", "3", "4", "5"]);
    cluster.refreshIsr();
    expect(inSyncOf(cluster)).toEqual(expected);
  }
});

test("a replica behind the high watermark is kept out until it covers it, and joins with the fetch that does", async () => {
  const world = memoryWorld();
  const cluster = await openReplicated(world, { brokers: 2, config: { replicaFetchMaxBytes: 1 } });
  cluster.removeFromIsr(ORDERS, 2);
  await send(cluster, ["a", "b", "c"]);
  expect([marksOf(cluster), inSyncOf(cluster)]).toEqual([["3/3", "0/0"], [1]]);
  const rejoined = await cluster.rejoin(ORDERS, 2);
  expect(rejoined).toMatchObject({ brokerId: 2, batches: 1, inSyncReplicas: [1] });
  expect([marksOf(cluster), inSyncOf(cluster)]).toEqual([["3/3", "1/1"], [1]]);
  await cluster.replicateOnce();
  expect(inSyncOf(cluster)).toEqual([1]);
  world.events.clear();
  await cluster.replicateOnce();
  expect([marksOf(cluster), inSyncOf(cluster)]).toEqual([
    ["3/3", "3/3"],
    [1, 2],
  ]);
  expect(world.events.of("isr_changed")).toMatchObject([
    { from: [1], to: [1, 2], moves: [{ brokerId: 2, reason: "caught_up", logEndOffset: 3 }] },
  ]);
});

test("a replica that was taken out stays out, caught up or not, until it rejoins", async () => {
  const cluster = await openReplicated(memoryWorld());
  expect(cluster.removeFromIsr(ORDERS, 3).inSyncReplicas).toEqual([1, 2]);
  await send(cluster, ["a"]);
  await cluster.replicateOnce();
  cluster.refreshIsr();
  expect([marksOf(cluster), inSyncOf(cluster)]).toEqual([
    ["1/1", "1/0", "1/0"],
    [1, 2],
  ]);
  expect((await cluster.rejoin(ORDERS, 3)).inSyncReplicas).toEqual([1, 2, 3]);
});

test("it stays out over a stop and a start of its broker, over a promotion, and in a cluster that is opened anew", async () => {
  const world = memoryWorld();
  let cluster = await openReplicated(world);
  cluster.removeFromIsr(ORDERS, 3);
  await cluster.stopBroker(3);
  await cluster.startBroker(3);
  await cluster.replicateOnce();
  expect(inSyncOf(cluster)).toEqual([1, 2]);
  await cluster.promote(ORDERS, 2);
  await cluster.replicateOnce();
  expect(inSyncOf(cluster)).toEqual([1, 2]);
  await cluster.crash();
  world.disk.crash({ mode: "lost" });
  cluster = await openReplicated(world);
  await send(cluster, ["a"]);
  for (let round = 0; round < 2; round++) await cluster.replicateOnce();
  cluster.refreshIsr();
  expect([inSyncOf(cluster), cluster.describePartition(ORDERS).replicas]).toMatchObject([
    [1, 2],
    [{ isHeldOut: false }, { isHeldOut: false }, { isHeldOut: true, logEndOffset: 1 }],
  ]);
  expect((await cluster.rejoin(ORDERS, 3)).inSyncReplicas).toEqual([1, 2, 3]);
  await cluster.close();
  cluster = await openReplicated(world);
  expect([inSyncOf(cluster), cluster.replicaSet(ORDERS).state.heldOut]).toEqual([[1, 2, 3], undefined]);
});

test("the metadata says who is held out only where somebody is: else it is as it was before", async () => {
  const world = memoryWorld();
  const cluster = await openReplicated(world);
  const metadata = () => world.disk.files().get(`${FOLDER}/metadata.json`)?.toString();
  const before = metadata();
  expect(before).not.toContain("held_out");
  cluster.removeFromIsr(ORDERS, 3);
  expect(metadata()).toContain('"held_out":[3]');
  await cluster.rejoin(ORDERS, 3);
  expect(metadata()).toBe(before);
});

test("one that was held out and is promoted after all is held out no more", async () => {
  const cluster = await openReplicated(memoryWorld());
  for (const brokerId of [2, 3]) cluster.removeFromIsr(ORDERS, brokerId);
  await cluster.promote(ORDERS, 3, { unclean: true });
  expect(cluster.replicaSet(ORDERS).state).toMatchObject({ leaderId: 3, inSyncReplicas: [3], heldOut: [2] });
  await cluster.replicateOnce();
  expect(inSyncOf(cluster)).toEqual([1, 3]);
});

test("when the disk refuses to note it, nobody is held out, or let in again", async () => {
  const world = memoryWorld();
  const cluster = await openReplicated(world);
  const refuse = () => world.disk.fail({ operation: "rename", code: "EIO", path: /metadata\.json/ });
  refuse();
  expect(() => cluster.removeFromIsr(ORDERS, 3)).toThrow(expect.objectContaining({ code: "STORAGE_ERROR" }));
  expect(cluster.describePartition(ORDERS).replicas[2]).toMatchObject({ isInSync: true, isHeldOut: false });
  cluster.removeFromIsr(ORDERS, 3);
  refuse();
  await expect(cluster.rejoin(ORDERS, 3)).rejects.toMatchObject({ code: "STORAGE_ERROR" });
  await cluster.replicateOnce();
  expect(cluster.describePartition(ORDERS).replicas[2]).toMatchObject({ isInSync: false, isHeldOut: true });
});

test("what cannot leave the in-sync replicas, or rejoin them, is refused by name", async () => {
  const cluster = await openReplicated(memoryWorld());
  cluster.removeFromIsr(ORDERS, 3);
  const refused = (act: () => unknown, code: string, message: string) =>
    expect(act).toThrow(expect.objectContaining({ code, message: expect.stringContaining(message) }));
  refused(() => cluster.removeFromIsr(ORDERS, 1), "INVALID_REQUEST", "broker 1 leads orders-0");
  refused(() => cluster.removeFromIsr(ORDERS, 3), "NOT_IN_SYNC_REPLICA", "(in sync: 1, 2)");
  refused(() => cluster.removeFromIsr(ORDERS, 9), "INVALID_REQUEST", "holds no copy of orders-0");
  await expect(cluster.rejoin(ORDERS, 1)).rejects.toMatchObject({ code: "INVALID_REQUEST" });
  await expect(cluster.rejoin(ORDERS, 9)).rejects.toMatchObject({ code: "INVALID_REQUEST" });
});

test("with fewer in sync than min_insync_replicas the high watermark waits, as in Kafka since 3.7", async () => {
  const cluster = await openReplicated(memoryWorld(), { minInSyncReplicas: 2 });
  await send(cluster, ["a"]);
  await cluster.replicateOnce();
  cluster.removeFromIsr(ORDERS, 2);
  cluster.removeFromIsr(ORDERS, 3);
  await send(cluster, ["b"]);
  await cluster.replicateOnce();
  expect(marksOf(cluster)).toEqual(["2/1", "2/1", "2/1"]);
  await cluster.rejoin(ORDERS, 3);
  expect([cluster.visibleEnd(ORDERS), inSyncOf(cluster)]).toEqual([2, [1, 3]]);
});

test("who is in sync is in the metadata before it counts: when the disk refuses, nobody leaves and nothing becomes visible", async () => {
  const world = memoryWorld();
  const cluster = await openReplicated(world, { brokers: 2 });
  await send(cluster, ["a"]);
  world.clock.advance(10_001);
  const fault = world.faults.arm({ point: "metadata.before_rename", action: "error" });
  expect(() => cluster.refreshIsr()).toThrow(expect.objectContaining({ code: "STORAGE_ERROR" }));
  expect([fault.hits, inSyncOf(cluster), cluster.visibleEnd(ORDERS)]).toEqual([1, [1, 2], 0]);
  cluster.refreshIsr();
  expect([inSyncOf(cluster), cluster.visibleEnd(ORDERS)]).toEqual([[1], 1]);
  await cluster.crash();
  world.disk.crash({ mode: "lost" });
  const restarted = await openReplicated(world, { brokers: 2 });
  expect(inSyncOf(restarted)).toEqual([1]);
});
