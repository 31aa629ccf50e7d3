/** A broker's folder that was restored from an older copy: its log lost its end, and nobody else may lose by it. */
import { expect, test } from "vitest";
import type { BrokerCluster } from "../src/cluster/cluster.ts";
import { valuesOf } from "./cluster-world.ts";
import { copyOfBroker, type FolderCopy, restoreBroker } from "./folder-copy.ts";
import { inSyncOf, ORDERS, openReplicated, send, valuesOn } from "./replica-world.ts";
import { memoryWorld, type World } from "./world.ts";

const OLD = ["a", "b"];
const ALL = [...OLD, "c", "d"];

/** Sends with acks all, and lets every follower hear of it. */
async function sendToAll(cluster: BrokerCluster, values: readonly string[]): Promise<void> {
  const sent = send(cluster, values, "all");
  await cluster.replicateOnce();
  await sent;
  await cluster.replicateOnce();
}

/** A cluster in which everybody holds ALL, broker `brokerId` is stopped, and a copy of its folder from when there was OLD. */
async function withOlderCopy(world: World, brokerId: number) {
  const cluster = await openReplicated(world);
  await sendToAll(cluster, OLD);
  await cluster.stopBroker(brokerId);
  const copy = copyOfBroker(world.disk, brokerId);
  await cluster.startBroker(brokerId);
  await cluster.replicateOnce();
  await sendToAll(cluster, ALL.slice(OLD.length));
  await cluster.stopBroker(brokerId);
  return { cluster, copy };
}

async function reopened(world: World, cluster: BrokerCluster, brokerId: number, copy: FolderCopy) {
  await cluster.close();
  restoreBroker(world.disk, brokerId, copy);
  return openReplicated(world);
}

/** An operator names broker 2, and everybody fetches. */
async function healed(cluster: BrokerCluster): Promise<void> {
  await cluster.promote(ORDERS, 2);
  for (let round = 0; round < 3; round++) await cluster.replicateOnce();
  for (const brokerId of [1, 2, 3]) expect(valuesOn(cluster, brokerId)).toEqual(ALL);
  expect([valuesOf(cluster, ORDERS), inSyncOf(cluster)]).toEqual([ALL, [1, 2, 3]]);
}

test("a leader that starts with an older log leads no more, and loses nobody a record, also when the others noted nothing", async () => {
  const world = memoryWorld();
  const { cluster, copy } = await withOlderCopy(world, 1);
  restoreBroker(world.disk, 1, copy);
  await cluster.startBroker(1);
  expect(cluster.replicaSet(ORDERS).state).toMatchObject({ leaderId: null, inSyncReplicas: [2, 3] });
  await expect(send(cluster, ["x"], "all")).rejects.toMatchObject({ code: "LEADER_NOT_AVAILABLE" });
  expect(await cluster.replicateOnce()).toEqual([]);
  await expect(cluster.promote(ORDERS, 1)).rejects.toMatchObject({ code: "NOT_IN_SYNC_REPLICA" });
  await healed(cluster);
});

test("the same after a restart of the whole process", async () => {
  const world = memoryWorld();
  const { cluster, copy } = await withOlderCopy(world, 1);
  const after = await reopened(world, cluster, 1, copy);
  expect(after.replicaSet(ORDERS).state).toMatchObject({ leaderId: null, inSyncReplicas: [2, 3] });
  expect(after.visibleEnd(ORDERS)).toBe(ALL.length);
  await healed(after);
});

test("a follower that starts with an older log is out of sync until it has caught up, and is not promoted before", async () => {
  for (const isReopened of [false, true]) {
    const world = memoryWorld();
    const { cluster, copy } = await withOlderCopy(world, 2);
    let now = cluster;
    if (isReopened) now = await reopened(world, cluster, 2, copy);
    else {
      restoreBroker(world.disk, 2, copy);
      await cluster.startBroker(2);
    }
    expect(inSyncOf(now)).toEqual([1, 3]);
    await expect(now.promote(ORDERS, 2)).rejects.toMatchObject({ code: "NOT_IN_SYNC_REPLICA" });
    await now.replicateOnce();
    expect(inSyncOf(now)).toEqual([1, 2, 3]);
    await healed(now);
  }
});

test("it is out of sync as well when the others crashed before anybody noted what was visible, though its copy ended cleanly", async () => {
  const world = memoryWorld();
  const cluster = await openReplicated(world);
  await sendToAll(cluster, OLD);
  await cluster.stopBroker(3);
  const copy = copyOfBroker(world.disk, 3);
  await cluster.startBroker(3);
  await cluster.replicateOnce();
  await sendToAll(cluster, ["c"]);
  await cluster.stopBroker(3);
  await cluster.crash();
  restoreBroker(world.disk, 3, copy);
  const again = await openReplicated(world);
  expect([inSyncOf(again), valuesOf(again, ORDERS)]).toEqual([
    [1, 2],
    [...OLD, "c"],
  ]);
  await expect(again.promote(ORDERS, 3)).rejects.toMatchObject({ code: "NOT_IN_SYNC_REPLICA" });
  await again.replicateOnce();
  expect(inSyncOf(again)).toEqual([1, 2, 3]);
});

test.each([1, 2])(
  "an older copy that ends in what its successors cut is neither promoted nor followed, however long it is (led by broker %i)",
  async (leaderId) => {
    const world = memoryWorld();
    const cluster = await openReplicated(world);
    await send(cluster, ["cut later"]);
    await cluster.stopBroker(1);
    const copy = copyOfBroker(world.disk, 1);
    await cluster.promote(ORDERS, 2);
    await cluster.startBroker(1);
    await cluster.replicateOnce();
    await sendToAll(cluster, ["a"]);
    expect(inSyncOf(cluster)).toEqual([1, 2, 3]);
    if (leaderId === 1) await cluster.promote(ORDERS, 1);
    await cluster.replicateOnce();
    await cluster.stopBroker(1);
    restoreBroker(world.disk, 1, copy);
    await cluster.startBroker(1);
    expect(inSyncOf(cluster)).toEqual([2, 3]);
    await expect(cluster.promote(ORDERS, 1)).rejects.toMatchObject({ code: "NOT_IN_SYNC_REPLICA" });
    await cluster.promote(ORDERS, 3);
    for (let round = 0; round < 2; round++) await cluster.replicateOnce();
    for (const brokerId of [1, 2, 3]) expect(valuesOn(cluster, brokerId)).toEqual(["a"]);
  },
);

test("it is out of sync as well when nobody leads meanwhile", async () => {
  const world = memoryWorld();
  const { cluster, copy } = await withOlderCopy(world, 2);
  await cluster.stopBroker(1);
  restoreBroker(world.disk, 2, copy);
  await cluster.startBroker(2);
  expect(inSyncOf(cluster)).toEqual([1, 3]);
  await expect(cluster.promote(ORDERS, 2)).rejects.toMatchObject({ code: "NOT_IN_SYNC_REPLICA" });
  await cluster.promote(ORDERS, 3);
  expect(valuesOf(cluster, ORDERS)).toEqual(ALL);
});

test("a clean leader without records that a follower has from it leads no more, though nobody had seen them", async () => {
  for (const isMember of [true, false]) {
    const world = memoryWorld();
    const cluster = await openReplicated(world);
    await sendToAll(cluster, OLD);
    if (!isMember) cluster.removeFromIsr(ORDERS, 2);
    await cluster.stopBroker(1);
    const copy = copyOfBroker(world.disk, 1);
    await cluster.startBroker(1);
    await send(cluster, ["unseen"]);
    await cluster.replicateOnce({ brokerId: 2 });
    expect(cluster.visibleEnd(ORDERS)).toBe(OLD.length);
    await cluster.stopBroker(1);
    restoreBroker(world.disk, 1, copy);
    await cluster.startBroker(1);
    expect(cluster.replicaSet(ORDERS).state).toMatchObject({
      leaderId: null,
      inSyncReplicas: isMember ? [2] : [3],
    });
    await cluster.replicateOnce();
    expect(valuesOn(cluster, 2)).toEqual([...OLD, "unseen"]);
  }
});

test("an older leader that could not be judged is off line: nobody follows it, and the rounds of others go on", async () => {
  const world = memoryWorld();
  const { cluster, copy } = await withOlderCopy(world, 1);
  restoreBroker(world.disk, 1, copy);
  const fault = world.faults.arm({ point: "metadata.before_rename", action: "error" });
  await expect(cluster.startBroker(1)).rejects.toMatchObject({ code: "STORAGE_ERROR" });
  expect(fault.hits).toBe(1);
  expect(await cluster.replicateOnce()).toEqual([]);
  expect(() => cluster.fetch(ORDERS, 3, { bytesMax: 100 })).toThrow(
    expect.objectContaining({ code: "STORAGE_ERROR" }),
  );
  await cluster.stopBroker(1);
  await cluster.startBroker(1);
  expect(cluster.replicaSet(ORDERS).leaderId).toBeNull();
  const other = { topic: "other", partition: 0 };
  cluster.createTopic({ topic: "other", partitions: 1, replicationFactor: 3 });
  await send(cluster, ["z"], 1, other);
  expect(await cluster.replicateOnce()).toMatchObject([{ topic: "other" }, { topic: "other" }]);
  await healed(cluster);
});

test("a leader that ends before it was closed leads no more, also when whoever has the rest is stopped as well", async () => {
  const world = memoryWorld();
  const cluster = await openReplicated(world);
  await sendToAll(cluster, OLD);
  await cluster.stopBroker(1);
  const copy = copyOfBroker(world.disk, 1);
  await cluster.startBroker(1);
  await send(cluster, ["unseen"]);
  await cluster.replicateOnce({ brokerId: 2 });
  await cluster.stopBroker(2);
  await cluster.stopBroker(1);
  restoreBroker(world.disk, 1, copy);
  await cluster.startBroker(1);
  expect(cluster.replicaSet(ORDERS).state).toMatchObject({ leaderId: null, inSyncReplicas: [3] });
});

test("after an unclean promotion nobody is judged by what was visible before it, in this process and in the next", async () => {
  const world = memoryWorld();
  let cluster = await openReplicated(world);
  await sendToAll(cluster, OLD);
  cluster.removeFromIsr(ORDERS, 3);
  await send(cluster, ["c", "d"]);
  for (const _ of OLD) await cluster.replicateOnce({ brokerId: 2 });
  await cluster.close();
  cluster = await openReplicated(world);
  expect(cluster.visibleEnd(ORDERS)).toBe(4);
  await cluster.stopBroker(1);
  await cluster.promote(ORDERS, 3, { unclean: true });
  await sendToAll(cluster, ["x"]);
  await cluster.startBroker(1);
  await cluster.replicateOnce();
  for (const isReopened of [false, true]) {
    if (isReopened) {
      await cluster.close();
      cluster = await openReplicated(world);
    } else {
      await cluster.stopBroker(3);
      await cluster.startBroker(3);
    }
    expect(cluster.replicaSet(ORDERS).state).toMatchObject({ leaderId: 3, inSyncReplicas: [1, 2, 3] });
    expect(valuesOf(cluster, ORDERS)).toEqual([...OLD, "x"]);
  }
});
