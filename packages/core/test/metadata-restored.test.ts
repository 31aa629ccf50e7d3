/** An older metadata.json beside newer logs, as a backup leaves it: nothing that was acknowledged is lost in silence. */
import { expect, test } from "vitest";
import type { BrokerCluster } from "../src/cluster/cluster.ts";
import { append, FOLDER, valuesOf } from "./cluster-world.ts";
import { rewrite } from "./log-world.ts";
import { inSyncOf, ORDERS, openReplicated, send, valuesOn } from "./replica-world.ts";
import { memoryWorld, type World } from "./world.ts";

const FILE = `${FOLDER}/metadata.json`;
const OTHER = { topic: "payments", partition: 0 };

function saved(world: World): Buffer {
  return Buffer.from(world.disk.files().get(FILE) ?? Buffer.alloc(0));
}

/** Ends the cluster and opens it anew with the metadata of an earlier day. */
async function reopenedWith(
  metadata: Buffer,
  world: World,
  cluster: BrokerCluster,
  { isClean = true } = {},
): Promise<BrokerCluster> {
  if (isClean) await cluster.close();
  else {
    await cluster.crash();
    world.disk.crash({ mode: "lost" });
  }
  rewrite(world.disk, FILE, () => metadata);
  world.events.clear();
  return openReplicated(world);
}

async function sendToAll(cluster: BrokerCluster, values: readonly string[]): Promise<void> {
  const sent = send(cluster, values, "all");
  for (let round = 0; round < 2; round++) await cluster.replicateOnce();
  await sent;
}

/** Broker 1 led, and stopped; what came after that broker 2 wrote, and broker 3 has it as well. */
async function ledByAnother(world: World) {
  const cluster = await openReplicated(world);
  await sendToAll(cluster, ["a"]);
  const metadata = saved(world);
  await cluster.stopBroker(1);
  await cluster.promote(ORDERS, 2);
  await sendToAll(cluster, ["b", "c"]);
  return { cluster, metadata };
}

test.each([true, false])(
  "a leader of an older epoch leads nobody to cut what its successor wrote: nobody leads until one is promoted (clean: %s)",
  async (isClean) => {
    const world = memoryWorld();
    const { cluster: before, metadata } = await ledByAnother(world);
    const cluster = await reopenedWith(metadata, world, before, { isClean });
    expect(world.events.of("metadata_outdated")).toMatchObject([{ ...ORDERS, leaderEpoch: 0, logEpoch: 1 }]);
    expect(cluster.replicaSet(ORDERS).state).toMatchObject({
      leaderId: null,
      leaderEpoch: 1,
      inSyncReplicas: [2, 3],
    });
    await expect(append(cluster, ORDERS, "x")).rejects.toMatchObject({
      code: "LEADER_NOT_AVAILABLE",
      message: expect.stringContaining("in sync and on line are 2, 3, one of which may be promoted"),
    });
    await expect(cluster.promote(ORDERS, 1)).rejects.toMatchObject({ code: "NOT_IN_SYNC_REPLICA" });
    expect(await cluster.replicateOnce()).toEqual([]);
    expect(await cluster.promote(ORDERS, 3)).toMatchObject({ leaderEpoch: 2 });
    for (let round = 0; round < 3; round++) await cluster.replicateOnce();
    for (const brokerId of [1, 2, 3]) expect(valuesOn(cluster, brokerId)).toEqual(["a", "b", "c"]);
    expect([valuesOf(cluster, ORDERS), inSyncOf(cluster)]).toEqual([
      ["a", "b", "c"],
      [1, 2, 3],
    ]);
  },
);

test("what only the last leader had is not cut either: it alone is in sync, and brings it back", async () => {
  const world = memoryWorld();
  const { cluster: before, metadata } = await ledByAnother(world);
  await send(before, ["acknowledged by the leader alone"]);
  const cluster = await reopenedWith(metadata, world, before);
  expect(cluster.replicaSet(ORDERS).state).toMatchObject({ leaderId: null, inSyncReplicas: [2] });
  await cluster.promote(ORDERS, 2);
  for (let round = 0; round < 2; round++) await cluster.replicateOnce();
  expect(valuesOf(cluster, ORDERS)).toEqual(["a", "b", "c", "acknowledged by the leader alone"]);
});

test("a log of the leader that it names keeps its epochs: whoever holds everything may lead", async () => {
  const world = memoryWorld();
  const { cluster: before, metadata } = await ledByAnother(world);
  await before.startBroker(1);
  for (let round = 0; round < 2; round++) await before.replicateOnce();
  const cluster = await reopenedWith(metadata, world, before);
  expect(cluster.replicaSet(ORDERS).state).toMatchObject({ leaderId: null, inSyncReplicas: [1, 2, 3] });
  const epochs = () => cluster.describePartition(ORDERS).epochs;
  expect(epochs()).toEqual([
    { epoch: 0, startOffset: 0 },
    { epoch: 1, startOffset: 1 },
  ]);
  await cluster.promote(ORDERS, 1);
  await append(cluster, ORDERS, "d");
  expect(epochs().at(-1)).toEqual({ epoch: 2, startOffset: 3 });
  await cluster.replicateOnce();
  for (const brokerId of [1, 2, 3]) expect(valuesOn(cluster, brokerId)).toEqual(["a", "b", "c", "d"]);
});

test("it is judged once: what is decided then stands in the metadata, and the next opening finds nothing to say", async () => {
  const world = memoryWorld();
  const { cluster: before, metadata } = await ledByAnother(world);
  const cluster = await reopenedWith(metadata, world, before);
  const again = await reopenedWith(saved(world), world, cluster);
  expect(world.events.of("metadata_outdated")).toEqual([]);
  expect(again.replicaSet(ORDERS).state).toMatchObject({ leaderId: null, inSyncReplicas: [2, 3] });
});

test("when a copy cannot be read, nobody counts as in sync: only a loss that is meant makes a leader", async () => {
  const world = memoryWorld();
  const { cluster: before, metadata } = await ledByAnother(world);
  await before.close();
  world.disk.remove(`${FOLDER}/broker-3/orders-0/manifest.json`);
  const cluster = await reopenedWith(metadata, world, before);
  expect(cluster.replicaSet(ORDERS).state).toMatchObject({ leaderId: null, inSyncReplicas: [] });
  await expect(cluster.promote(ORDERS, 2)).rejects.toMatchObject({ code: "NOT_IN_SYNC_REPLICA" });
  await cluster.promote(ORDERS, 2, { unclean: true });
  expect(valuesOf(cluster, ORDERS)).toEqual(["a", "b", "c"]);
});

test.each([true, false])(
  "one that had fallen out of the in-sync replicas since is not taken for one that has everything (clean: %s)",
  async (isClean) => {
    const world = memoryWorld();
    const before = await openReplicated(world);
    await sendToAll(before, ["a"]);
    const metadata = saved(world);
    before.removeFromIsr(ORDERS, 3);
    await before.stopBroker(3);
    await sendToAll(before, ["b"]);
    await before.steps.flushLogs();
    const cluster = await reopenedWith(metadata, world, before, { isClean });
    expect(inSyncOf(cluster)).toEqual([1, 2]);
    await expect(cluster.promote(ORDERS, 3)).rejects.toMatchObject({ code: "NOT_IN_SYNC_REPLICA" });
    for (let round = 0; round < 2; round++) await cluster.replicateOnce();
    expect([inSyncOf(cluster), valuesOf(cluster, ORDERS)]).toEqual([
      [1, 2, 3],
      ["a", "b"],
    ]);
  },
);

test("a topic that it does not know keeps its files, and its name is refused while they are there", async () => {
  const world = memoryWorld();
  const before = await openReplicated(world);
  const metadata = saved(world);
  before.createTopic({ topic: "payments", partitions: 1 });
  await append(before, OTHER, "kept", "all");
  const newer = saved(world);
  const cluster = await reopenedWith(metadata, world, before);
  expect(cluster.hasTopic("payments")).toBe(false);
  const path = `${FOLDER}/broker-1/payments-0`;
  expect(world.events.of("foreign_file_ignored")).toMatchObject([{ brokerId: 1, path }]);
  expect(() => cluster.createTopic({ topic: "payments", partitions: 1 })).toThrow(
    expect.objectContaining({
      code: "STORAGE_ERROR",
      message: expect.stringContaining("holds records that no topic of the metadata explains"),
    }),
  );
  const again = await reopenedWith(newer, world, cluster);
  expect(valuesOf(again, OTHER)).toEqual(["kept"]);
});

test("a topic that was made anew since is off line under its old id, and keeps its files also when that is deleted", async () => {
  const world = memoryWorld();
  const before = await openReplicated(world);
  before.createTopic({ topic: "payments", partitions: 1 });
  const metadata = saved(world);
  before.deleteTopic("payments");
  before.createTopic({ topic: "payments", partitions: 1 });
  await append(before, OTHER, "of the new one", "all");
  const newer = saved(world);
  const cluster = await reopenedWith(metadata, world, before);
  await expect(append(cluster, OTHER, "x")).rejects.toMatchObject({
    code: "STORAGE_ERROR",
    message: expect.stringContaining("it belongs to partition 0 of topic id"),
  });
  cluster.deleteTopic("payments");
  const again = await reopenedWith(newer, world, cluster);
  expect(valuesOf(again, OTHER)).toEqual(["of the new one"]);
});

test("a deletion that it still remembers takes nothing of a topic that was made anew since", async () => {
  const world = memoryWorld();
  const before = await openReplicated(world);
  before.createTopic({ topic: "payments", partitions: 1 });
  before.deleteTopic("payments");
  const metadata = saved(world);
  expect(metadata.toString()).toMatch(/"deletions":\[\{"topic":"payments"/);
  before.createTopic({ topic: "payments", partitions: 1 });
  await append(before, OTHER, "of the new one", "all");
  const newer = saved(world);
  const cluster = await reopenedWith(metadata, world, before);
  const path = `${FOLDER}/broker-1/payments-0`;
  expect(world.events.of("foreign_file_ignored")[0]).toMatchObject({ brokerId: 1, path });
  expect(() => cluster.createTopic({ topic: "payments", partitions: 1 })).toThrow(
    expect.objectContaining({ code: "STORAGE_ERROR" }),
  );
  const again = await reopenedWith(newer, world, cluster);
  expect(valuesOf(again, OTHER)).toEqual(["of the new one"]);
});
