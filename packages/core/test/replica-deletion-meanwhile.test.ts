/** Records are deleted, and the world goes on meanwhile: the leadership moves, or a follower gets another log. */
import { expect, test } from "vitest";
import type { BrokerCluster } from "../src/cluster/cluster.ts";
import { BrokerError } from "../src/errors.ts";
import { FOLDER } from "./cluster-world.ts";
import { committedValues, replicated, write } from "./replica-transactions-world.ts";
import { ORDERS, openReplicated, send, settle } from "./replica-world.ts";
import { memoryWorld, rejection, type World } from "./world.ts";

function removeFolder(world: World, brokerId: number): void {
  const folder = `${FOLDER}/broker-${brokerId}/orders-0`;
  for (const { name } of world.disk.readFolder(folder)) world.disk.remove(`${folder}/${name}`);
  world.disk.removeFolder(folder);
}

/** And where the leader's log starts. */
function stableAndStart(cluster: BrokerCluster): [number, number] {
  const { lastStableOffset, leaderLog } = cluster.replicaSet(ORDERS);
  return [lastStableOffset, leaderLog.logStartOffset];
}

test("the last stable offset passes what was deleted also at one that comes to lead in the midst of the deletion, and who waits is told", async () => {
  const world = memoryWorld();
  const cluster = await openReplicated(world, { brokers: 2 });
  const producer = cluster.initProducer({});
  const written = [write(cluster, { ...producer, value: "a" }), send(cluster, ["p"], "all")];
  await replicated(cluster);
  await Promise.all(written);
  const hold = world.faults.arm({ point: "disk.sync.before", action: "hold", site: { brokerId: 2 } });
  const deleted = rejection(cluster.deleteRecords(ORDERS, 1));
  for (let turns = 0; hold.held === 0 && turns < 10; turns++) await settle();
  expect(hold.held).toBe(1);
  await cluster.promote(ORDERS, 2);
  let told = 0;
  cluster.onVisible(ORDERS, () => {
    told += 1;
  });
  expect(stableAndStart(cluster)).toEqual([0, 0]);
  hold.release();
  expect(await deleted).toMatchObject({ code: "LEADER_NOT_AVAILABLE" });
  expect(stableAndStart(cluster)).toEqual([2, 1]);
  expect([told, committedValues(cluster)]).toEqual([1, ["p"]]);
});

test("the last stable offset is the same whoever leads, though a follower got the rest of a transaction before it deleted the beginning", async () => {
  const cluster = await openReplicated(memoryWorld(), { brokers: 2 });
  const producer = cluster.initProducer({});
  const written = write(cluster, { ...producer, value: "a" });
  await replicated(cluster);
  await written;
  cluster.removeFromIsr(ORDERS, 2);
  await cluster.deleteRecords(ORDERS, 1);
  await send(cluster, ["p"], "all");
  await write(cluster, { ...producer, value: "b", baseSequence: 1 });
  expect(stableAndStart(cluster)).toEqual([2, 1]);
  await replicated(cluster);
  await cluster.rejoin(ORDERS, 2);
  await cluster.promote(ORDERS, 2);
  expect(stableAndStart(cluster)).toEqual([2, 1]);
});

test("a round that goes on once a follower has deleted what its leader had ends as one, though the follower's log cannot be opened any more", async () => {
  const world = memoryWorld();
  const cluster = await openReplicated(world, { brokers: 2 });
  await send(cluster, ["a", "b", "c"]);
  for (let round = 0; round < 2; round++) await cluster.replicateOnce();
  cluster.removeFromIsr(ORDERS, 2);
  await cluster.deleteRecords(ORDERS, 2);
  const hold = world.faults.arm({ point: "disk.sync.before", action: "hold", site: { brokerId: 2 } });
  const rounds = cluster.replicateOnce();
  for (let turns = 0; hold.held === 0 && turns < 10; turns++) await settle();
  expect(hold.held).toBe(1);
  // As the start of its broker does.
  const copy = cluster.replicaSet(ORDERS).leadership.requireCopy(2);
  const { log } = copy;
  copy.attach(new BrokerError("STORAGE_ERROR", "its manifest is damaged"), 0);
  hold.release();
  expect(await rounds).toEqual([]);
  expect([log.logStartOffset, copy.isOnline]).toEqual([2, false]);
});

test("a deletion whose leader gets another log in its midst, or none, deletes nothing there, and can be asked for again", async () => {
  for (const found of ["the same folder", "no folder"]) {
    const world = memoryWorld();
    const cluster = await openReplicated(world, { brokers: 2 });
    await send(cluster, ["a", "b"]);
    await replicated(cluster);
    const hold = world.faults.arm({ point: "disk.sync.before", action: "hold", site: { brokerId: 2 } });
    const deleted = rejection(cluster.deleteRecords(ORDERS, 1));
    for (let turns = 0; hold.held === 0 && turns < 10; turns++) await settle();
    expect(hold.held, found).toBe(1);
    await cluster.stopBroker(1);
    if (found === "no folder") removeFolder(world, 1);
    await cluster.startBroker(1);
    hold.release();
    expect(await deleted, found).toMatchObject({ code: "LEADER_NOT_AVAILABLE" });
    await cluster.promote(ORDERS, 2).catch(() => {});
    expect(await cluster.deleteRecords(ORDERS, 1), found).toBe(1);
  }
});
