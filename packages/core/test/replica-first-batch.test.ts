/** A follower whose leader's log starts inside of a batch. */
import { expect, test } from "vitest";
import type { BrokerCluster } from "../src/cluster/cluster.ts";
import { batchOf } from "./cluster-world.ts";
import { inSyncOf, marksOf, ORDERS, openReplicated, send, valuesOn } from "./replica-world.ts";
import { memoryWorld, worldOn } from "./world.ts";

function startsOf(cluster: BrokerCluster): number[] {
  return cluster.replicaSet(ORDERS).copies.map(({ log }) => log.logStartOffset);
}

const IN_ONE_BATCH = ["a", "b", "c", "d", "e"];

function copyOn(cluster: BrokerCluster, brokerId: number) {
  const copy = cluster.replicaSet(ORDERS).copies.find((each) => each.brokerId === brokerId);
  if (copy === undefined) throw new Error(`no copy on broker ${brokerId}`);
  return copy;
}

/** Broker 2 is stopped, and nobody waits for it. */
async function sendAway(cluster: BrokerCluster): Promise<void> {
  await cluster.stopBroker(2);
  cluster.removeFromIsr(ORDERS, 2);
}

test("a replica that has nothing of the batch in which its leader's log begins takes it whole, and joins", async () => {
  const world = memoryWorld();
  const cluster = await openReplicated(world, { brokers: 2 });
  await sendAway(cluster);
  await cluster.appendBatch(ORDERS, batchOf(IN_ONE_BATCH), { acks: 1 });
  expect(await cluster.deleteRecords(ORDERS, 2)).toBe(2);
  await cluster.startBroker(2);
  for (let round = 0; round < 2; round++) await cluster.replicateOnce();
  await cluster.rejoin(ORDERS, 2);
  expect([startsOf(cluster), marksOf(cluster), inSyncOf(cluster)]).toEqual([
    [2, 2],
    ["5/5", "5/5"],
    [1, 2],
  ]);

  world.disk.crash({ mode: "lost" });
  const reopened = await openReplicated(worldOn(world.disk), { brokers: 2 });
  await reopened.replicateOnce();
  expect([startsOf(reopened), marksOf(reopened)[1]]).toEqual([[2, 2], "5/5"]);
});

test("a replica that is far below its leader's log start begins with the batch that holds it", async () => {
  const cluster = await openReplicated(memoryWorld(), { brokers: 2 });
  await send(cluster, ["x", "y"]);
  await cluster.replicateOnce();
  await sendAway(cluster);
  await send(cluster, ["z"]);
  await cluster.appendBatch(ORDERS, batchOf(IN_ONE_BATCH), { acks: 1 });
  expect(await cluster.deleteRecords(ORDERS, 6)).toBe(6);
  await cluster.startBroker(2);
  const [round] = await cluster.replicateOnce();
  expect(round).toMatchObject({ truncatedTo: 3, batches: 1, problem: null });
  expect(startsOf(cluster)).toEqual([6, 6]);
  await cluster.rejoin(ORDERS, 2);
  await send(cluster, ["after"], 1);
  await cluster.replicateOnce();
  expect([marksOf(cluster)[1], inSyncOf(cluster)]).toEqual(["9/8", [1, 2]]);
});

test("a replica that ends where the batch of its leader's log start begins loses nothing", async () => {
  const cluster = await openReplicated(memoryWorld(), { brokers: 2 });
  await send(cluster, ["x", "y"]);
  await cluster.replicateOnce();
  await sendAway(cluster);
  await cluster.appendBatch(ORDERS, batchOf(IN_ONE_BATCH), { acks: 1 });
  expect(await cluster.deleteRecords(ORDERS, 4)).toBe(4);
  await cluster.startBroker(2);
  expect(await cluster.replicateOnce()).toMatchObject([{ truncatedTo: null, batches: 1, problem: null }]);
  await cluster.rejoin(ORDERS, 2);
  expect([startsOf(cluster), marksOf(cluster)[1], inSyncOf(cluster)]).toEqual([[4, 4], "7/7", [1, 2]]);
});

test("a replica that was cut inside of the batch in which its own log begins takes that batch again", async () => {
  const cluster = await openReplicated(memoryWorld(), { brokers: 2 });
  await cluster.appendBatch(ORDERS, batchOf(IN_ONE_BATCH), { acks: 1 });
  for (let round = 0; round < 2; round++) await cluster.replicateOnce();
  expect(await cluster.deleteRecords(ORDERS, 2)).toBe(2);
  await cluster.stopBroker(2);
  await cluster.startBroker(2);
  const { log } = copyOn(cluster, 2);
  await log.truncateTo(4);
  expect([log.logStartOffset, log.logEndOffset]).toEqual([2, 2]);
  expect(await cluster.replicateOnce()).toMatchObject([{ truncatedTo: 0, batches: 1, problem: null }]);
  expect([startsOf(cluster), inSyncOf(cluster)]).toEqual([
    [2, 2],
    [1, 2],
  ]);
});

test.each([[["x"]], [["x", "y"]], [["x", "y", "z"]]])(
  "a replica that has %j of another leader, and has not fetched from its own, when the log start moves into a batch takes that batch",
  async (others) => {
    const cluster = await openReplicated(memoryWorld(), { config: { reconciliation: "leader-epoch" } });
    await send(cluster, ["a"]);
    for (let round = 0; round < 2; round++) await cluster.replicateOnce();
    await send(cluster, others);
    await cluster.stopBroker(1);
    await cluster.promote(ORDERS, 2);
    await cluster.appendBatch(ORDERS, batchOf(["b", "c"]), { acks: 1 });
    for (let round = 0; round < 2; round++) await cluster.replicateOnce();
    await cluster.startBroker(1);
    expect(await cluster.deleteRecords(ORDERS, 2)).toBe(2);
    for (let round = 0; round < 3; round++) await cluster.replicateOnce();
    expect([startsOf(cluster), inSyncOf(cluster)]).toEqual([
      [2, 2, 2],
      [1, 2, 3],
    ]);
    expect(valuesOn(cluster, 1)).toEqual(valuesOn(cluster, 2));
  },
);

test.each(["leader-epoch", "high-watermark"] as const)(
  "a replica whose copy is gone comes back though the log starts inside of a batch (%s)",
  async (reconciliation) => {
    const world = memoryWorld();
    const options = { brokers: 2, config: { reconciliation } };
    const cluster = await openReplicated(world, options);
    await cluster.appendBatch(ORDERS, batchOf(IN_ONE_BATCH), { acks: 1 });
    await cluster.replicateOnce();
    expect(await cluster.deleteRecords(ORDERS, 3)).toBe(3);
    await cluster.stopBroker(2);
    await copyOn(cluster, 1).log.flush();
    await cluster.startBroker(2);
    const { log } = copyOn(cluster, 2);
    await log.restartAt(3);
    for (let round = 0; round < 2; round++) await cluster.replicateOnce();
    expect([startsOf(cluster), marksOf(cluster), inSyncOf(cluster)]).toEqual([
      [3, 3],
      ["5/5", "5/5"],
      [1, 2],
    ]);
  },
);

test("a replica that was cut to below the start of a leader's empty log begins there in the next round", async () => {
  const config = { reconciliation: "high-watermark" } as const;
  const world = memoryWorld();
  const cluster = await openReplicated(world, { brokers: 2, config });
  await cluster.appendBatch(ORDERS, batchOf(IN_ONE_BATCH), { acks: 1 });
  await cluster.replicateOnce();
  await sendAway(cluster);
  // What was deleted by hand a copy would know of when it starts; what retention took it has to find out.
  cluster.alterConfig("orders", { retention_ms: 1 });
  world.clock.advance(1_000);
  expect(await cluster.steps.applyRetention("orders")).toMatchObject([{ deleted: [{ nextOffset: 5 }] }]);
  await cluster.startBroker(2);
  expect(await cluster.replicateOnce()).toMatchObject([{ truncatedTo: 0, batches: 0, problem: null }]);
  expect(await cluster.replicateOnce()).toMatchObject([{ truncatedTo: 5, batches: 0, problem: null }]);
  await cluster.rejoin(ORDERS, 2);
  expect([startsOf(cluster), marksOf(cluster), inSyncOf(cluster)]).toEqual([
    [5, 5],
    ["5/5", "5/5"],
    [1, 2],
  ]);
});
