/** acks=all over several replicas: when it is given, when it is refused, and under which rule. */
import { expect, test } from "vitest";
import { batchOf } from "./cluster-world.ts";
import { inSyncOf, ORDERS, openReplicated, outcomeOf, send, settle, valuesOn } from "./replica-world.ts";
import { memoryWorld } from "./world.ts";

test("acks all is given once every in-sync replica holds the batch and has it on its disk, not before", async () => {
  const world = memoryWorld();
  const cluster = await openReplicated(world);
  const sent = send(cluster, ["a"], "all");
  expect(await outcomeOf(sent)).toBe("pending");
  await cluster.replicateOnce({ brokerId: 2 });
  expect(await outcomeOf(sent)).toBe("pending");
  world.disk.holdSyncs();
  await cluster.replicateOnce({ brokerId: 3 });
  expect([await outcomeOf(sent), cluster.visibleEnd(ORDERS)]).toEqual(["pending", 1]);
  world.disk.releaseSyncs();
  await sent;
  for (const { log } of cluster.replicaSet(ORDERS).copies) expect(log.flushedOffset).toBe(1);
});

test("with flush os it is given with the last copy, whatever the disks do", async () => {
  const world = memoryWorld();
  const cluster = await openReplicated(world, { config: { flush: "os" } });
  const sent = send(cluster, ["a"], "all");
  world.disk.holdSyncs();
  await cluster.replicateOnce();
  expect(await outcomeOf(sent)).toBe("kept");
});

test("many that wait share one flush of each disk, and are told in the order of their offsets", async () => {
  const world = memoryWorld();
  const cluster = await openReplicated(world);
  await send(cluster, ["first"], 1);
  await cluster.replicateOnce();
  world.events.clear();
  const told: number[] = [];
  const sent = Array.from({ length: 100 }, (_, n) =>
    cluster
      .appendBatch(ORDERS, batchOf([`${n}`]), { acks: "all" })
      .then(({ baseOffset }) => told.push(baseOffset)),
  );
  await cluster.replicateOnce();
  await Promise.all(sent);
  expect(told).toEqual(Array.from({ length: 100 }, (_, n) => n + 1));
  const flushes = world.events.of("flushed").map(({ brokerId }) => brokerId);
  expect(flushes.filter((id) => id === 2)).toHaveLength(1);
  expect(flushes.filter((id) => id === 3)).toHaveLength(1);
});

test("it is refused before the append when too few are in sync, and nothing is appended", async () => {
  const cluster = await openReplicated(memoryWorld(), { minInSyncReplicas: 2 });
  cluster.removeFromIsr(ORDERS, 2);
  cluster.removeFromIsr(ORDERS, 3);
  await expect(send(cluster, ["a"], "all")).rejects.toMatchObject({
    code: "NOT_ENOUGH_REPLICAS",
    details: { in_sync_replicas: 1, min_insync_replicas: 2 },
  });
  expect(cluster.describeOffsets(ORDERS).logEndOffset).toBe(0);
  await send(cluster, ["b"], 1);
});

test("it fails at once when too few are left in sync while it waits, and the record is of unknown fate", async () => {
  const cluster = await openReplicated(memoryWorld(), { minInSyncReplicas: 2 });
  const sent = send(cluster, ["a"], "all");
  cluster.removeFromIsr(ORDERS, 2);
  expect(await outcomeOf(sent)).toBe("pending");
  cluster.removeFromIsr(ORDERS, 3);
  await expect(sent).rejects.toMatchObject({
    code: "NOT_ENOUGH_REPLICAS_AFTER_APPEND",
    details: { in_sync_replicas: 1, min_insync_replicas: 2 },
  });
  expect(cluster.describeOffsets(ORDERS)).toEqual({ logEndOffset: 1, visibleEnd: 0 });
});

test("it is given by who is in sync in that instant, also where the leader stops before anybody hears of it, and too few are left", async () => {
  const cluster = await openReplicated(memoryWorld(), { minInSyncReplicas: 2 });
  const sent = send(cluster, ["a"], "all");
  await cluster.replicateOnce({ brokerId: 2 });
  expect(await outcomeOf(sent)).toBe("pending");
  cluster.removeFromIsr(ORDERS, 3);
  const stopped = cluster.stopBroker(1);
  await Promise.all([cluster.promote(ORDERS, 2), sent, stopped]);
  expect([inSyncOf(cluster), valuesOn(cluster, 2)]).toEqual([[2], ["a"]]);
});

test("a follower that leaves the in-sync replicas holds nobody up any longer; under captured-isr it does", async () => {
  for (const [ackRule, expected] of [
    ["high-watermark", "kept"],
    ["captured-isr", "pending"],
  ] as const) {
    const world = memoryWorld();
    const cluster = await openReplicated(world, { config: { ackRule } });
    const sent = send(cluster, ["a"], "all");
    await cluster.replicateOnce({ brokerId: 2 });
    world.clock.advance(10_001);
    await cluster.replicateOnce({ brokerId: 2 });
    cluster.refreshIsr();
    expect(inSyncOf(cluster)).toEqual([1, 2]);
    expect(await outcomeOf(sent)).toBe(expected);
    await cluster.replicateOnce({ brokerId: 3 });
    await sent;
  }
});

test("under captured-isr a batch is kept by those who were in sync at its append, and waits for nobody who joined later", async () => {
  const cluster = await openReplicated(memoryWorld(), { config: { ackRule: "captured-isr" } });
  cluster.removeFromIsr(ORDERS, 3);
  const sent = send(cluster, ["a"], "all");
  await cluster.replicateOnce({ brokerId: 2 });
  await sent;
});

test("a replica that has joined meanwhile counts as well: acknowledged is what every in-sync replica holds by then", async () => {
  const cluster = await openReplicated(memoryWorld(), { brokers: 3 });
  cluster.removeFromIsr(ORDERS, 3);
  await send(cluster, ["a"]);
  await cluster.replicateOnce({ brokerId: 2 });
  const sent = send(cluster, ["b"], "all");
  await cluster.rejoin(ORDERS, 3);
  expect(inSyncOf(cluster)).toEqual([1, 2, 3]);
  await cluster.replicateOnce({ brokerId: 2 });
  await sent;
  expect(cluster.replicaSet(ORDERS).copies.map(({ log }) => log.flushedOffset)).toEqual([2, 2, 2]);
});

test("one that joins has on its disk what was acknowledged before", async () => {
  const world = memoryWorld();
  const cluster = await openReplicated(world, { brokers: 2 });
  cluster.removeFromIsr(ORDERS, 2);
  await send(cluster, ["a"], "all");
  world.disk.holdSyncs();
  const rejoining = cluster.rejoin(ORDERS, 2);
  await settle();
  expect(inSyncOf(cluster)).toEqual([1]);
  world.disk.releaseSyncs();
  expect((await rejoining).inSyncReplicas).toEqual([1, 2]);
  await cluster.promote(ORDERS, 2);
  await cluster.crash();
  world.disk.crash({ mode: "lost" });
  expect(valuesOn(await openReplicated(world, { brokers: 2 }), 2)).toEqual(["a"]);
});

test("a follower whose disk fails a flush is no reason to fail: it leaves, and the others answer", async () => {
  const world = memoryWorld();
  const cluster = await openReplicated(world, { minInSyncReplicas: 2 });
  const sent = send(cluster, ["a"], "all");
  const failure = world.disk.fail({ operation: "sync", code: "EIO", path: /broker-3/ });
  await cluster.replicateOnce();
  await settle();
  failure.assertFired();
  expect(await outcomeOf(sent)).toBe("pending");
  expect(cluster.describeCluster().brokers.map(({ state }) => state)).toEqual([
    "running",
    "running",
    "failed",
  ]);
  world.clock.advance(10_001);
  await cluster.replicateOnce();
  expect(cluster.refreshIsr()).toMatchObject([{ from: [1, 2, 3], to: [1, 2] }]);
  await sent;
});

test("the leader's own disk is: whoever waits is told BROKER_FAILED", async () => {
  const world = memoryWorld();
  const cluster = await openReplicated(world);
  const sent = send(cluster, ["a"], "all");
  world.disk.fail({ operation: "sync", code: "EIO", path: /broker-1/ });
  await cluster.replicateOnce();
  await expect(sent).rejects.toMatchObject({ code: "BROKER_FAILED" });
  await expect(send(cluster, ["b"], 1)).rejects.toMatchObject({ code: "BROKER_FAILED" });
});

test("whoever gives up is told that its time is over, and nobody waits for it any more", async () => {
  const cluster = await openReplicated(memoryWorld());
  const controller = new AbortController();
  const options = { acks: "all", giveUp: controller.signal } as const;
  const late = cluster.appendBatch(ORDERS, batchOf(["a"]), options);
  const inTime = send(cluster, ["b"], "all");
  expect(cluster.replicaSet(ORDERS).waiting).toBe(2);
  controller.abort();
  await expect(late).rejects.toMatchObject({ code: "REQUEST_TIMED_OUT" });
  expect(cluster.replicaSet(ORDERS).waiting).toBe(1);
  await cluster.replicateOnce();
  await inTime;
  expect(cluster.visibleEnd(ORDERS)).toBe(2);
});

test("whoever gave up before the append is told so at once: the record is there, and its fate is open", async () => {
  const cluster = await openReplicated(memoryWorld());
  const options = { acks: "all", giveUp: AbortSignal.abort() } as const;
  expect(await outcomeOf(cluster.appendBatch(ORDERS, batchOf(["a"]), options))).toBe("REQUEST_TIMED_OUT");
  expect(cluster.replicaSet(ORDERS).waiting).toBe(0);
  await cluster.replicateOnce();
  expect(cluster.visibleEnd(ORDERS)).toBe(1);
});

test("whoever gives up while disks alone are waited for is told when they answer: nobody need send again what is there", async () => {
  const world = memoryWorld();
  const cluster = await openReplicated(world);
  for (const brokerId of [2, 3]) cluster.removeFromIsr(ORDERS, brokerId);
  world.disk.holdSyncs();
  const controller = new AbortController();
  const late = cluster.appendBatch(ORDERS, batchOf(["a"]), { acks: "all", giveUp: controller.signal });
  const later = cluster.appendBatch(ORDERS, batchOf(["b"]), { acks: "all", giveUp: AbortSignal.abort() });
  controller.abort();
  expect([await outcomeOf(late), await outcomeOf(later)]).toEqual(["pending", "pending"]);
  world.disk.releaseSyncs();
  expect(await Promise.all([late, later])).toMatchObject([{ baseOffset: 0 }, { baseOffset: 1 }]);
  expect(cluster.replicaSet(ORDERS).waiting).toBe(0);
});

test("a signal that outlives its appends is left without a listener by each that is told", async () => {
  const cluster = await openReplicated(memoryWorld());
  const { signal } = new AbortController();
  let listening = 0;
  const counted = {
    get aborted() {
      return signal.aborted;
    },
    addEventListener: () => {
      listening += 1;
    },
    removeEventListener: () => {
      listening -= 1;
    },
  };
  const giveUp = counted as unknown as AbortSignal;
  const kept = cluster.appendBatch(ORDERS, batchOf(["a"]), { acks: "all", giveUp });
  expect(listening).toBe(1);
  await cluster.replicateOnce();
  await kept;
  const refused = cluster.appendBatch(ORDERS, batchOf(["b"]), { acks: "all", giveUp });
  await cluster.stopBroker(1);
  await expect(refused).rejects.toMatchObject({ code: "LEADER_NOT_AVAILABLE" });
  expect(listening).toBe(0);
});

test("whoever waits when the topic goes, or the cluster, is told so", async () => {
  const world = memoryWorld();
  const cluster = await openReplicated(world);
  const first = send(cluster, ["a"], "all");
  cluster.deleteTopic("orders");
  await expect(first).rejects.toMatchObject({ code: "UNKNOWN_TOPIC" });
  cluster.createTopic({ topic: "orders", partitions: 1, replicationFactor: 3 });
  const second = send(cluster, ["a"], "all");
  const refused = expect(second).rejects.toMatchObject({ code: "SHUTTING_DOWN" });
  await cluster.close();
  await refused;
});
