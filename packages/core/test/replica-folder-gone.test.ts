/** A partition's folder that somebody removes while its broker runs: that replica is off line, once and visibly, and nobody else is. */
import { expect, test } from "vitest";
import type { BrokerCluster } from "../src/cluster/cluster.ts";
import { append, FOLDER, valuesOf } from "./cluster-world.ts";
import { inSyncOf, ORDERS, openReplicated, send, valuesOn } from "./replica-world.ts";
import { memoryWorld, rejection, type World } from "./world.ts";

const VALUES = ["a", "b"];
const OTHERS = { topic: "others", partition: 0 };

async function rounds(cluster: BrokerCluster): Promise<void> {
  for (let round = 0; round < 3; round++) await cluster.replicateOnce();
}

/** Two partitions on three brokers, led by broker 1, none of whose files is open, so that whoever needs one asks for it by name. */
async function idle(world: World): Promise<BrokerCluster> {
  const before = await openReplicated(world);
  before.createTopic({ topic: "others", partitions: 1, replicationFactor: 3 });
  await send(before, VALUES);
  await rounds(before);
  await before.close();
  return openReplicated(world);
}

function removeFolder(world: World, brokerId: number): void {
  const folder = `${FOLDER}/broker-${brokerId}/orders-0`;
  for (const { name } of world.disk.readFolder(folder)) world.disk.remove(`${folder}/${name}`);
  world.disk.removeFolder(folder);
}

const FINDINGS: Record<string, (cluster: BrokerCluster) => unknown> = {
  "an append": (cluster) => append(cluster, ORDERS, "c"),
  "a fetch": async (cluster) => cluster.fetch(ORDERS, 0, { bytesMax: 1000 }),
  "a search by time": async (cluster) => cluster.listOffsets(ORDERS, 0),
};

test.each(Object.keys(FINDINGS))(
  "a leader whose folder is gone is off line from %s on: one event and its description say so, and another takes over",
  async (finding) => {
    const world = memoryWorld();
    const cluster = await idle(world);
    removeFolder(world, 1);
    const refused = await rejection(Promise.resolve(FINDINGS[finding]?.(cluster)));
    expect(refused).toMatchObject({ code: "STORAGE_ERROR" });
    const again = await rejection(append(cluster, ORDERS, "c"));
    expect(again).toMatchObject({
      code: "STORAGE_ERROR",
      message: expect.stringMatching(
        /orders-0 is off line: .*no such file or folder: somebody has removed it; in sync and on line are 2, 3, one of which may be promoted$/,
      ),
    });
    expect(world.events.of("log_offline")).toMatchObject([{ brokerId: 1, topic: "orders" }]);
    expect(cluster.describePartition(ORDERS).replicas[0]).toMatchObject({
      isOnline: false,
      problem: expect.stringContaining("somebody has removed it"),
    });
    await append(cluster, OTHERS, "elsewhere");
    expect(cluster.describeCluster().brokers[0]).toMatchObject({ state: "running" });
    await cluster.promote(ORDERS, 2);
    await append(cluster, ORDERS, "c");
    await cluster.rejoin(ORDERS, 1);
    await rounds(cluster);
    expect([valuesOn(cluster, 1), valuesOf(cluster, ORDERS)]).toEqual([
      [...VALUES, "c"],
      [...VALUES, "c"],
    ]);
    expect(inSyncOf(cluster)).toEqual([1, 2, 3]);
  },
);

test("a follower whose folder is gone is off line from its next copy on, leaves when its time is over, and rejoins with a new one", async () => {
  const world = memoryWorld();
  const cluster = await idle(world);
  removeFolder(world, 3);
  await append(cluster, ORDERS, "c");
  await rounds(cluster);
  expect(world.events.of("log_offline")).toMatchObject([{ brokerId: 3, topic: "orders" }]);
  expect(cluster.describePartition(ORDERS).replicas[2]).toMatchObject({ isOnline: false });
  world.clock.advance(60_000);
  await rounds(cluster);
  cluster.refreshIsr();
  expect([valuesOf(cluster, ORDERS), inSyncOf(cluster)]).toEqual([
    [...VALUES, "c"],
    [1, 2],
  ]);
  await cluster.rejoin(ORDERS, 3);
  await rounds(cluster);
  expect([valuesOn(cluster, 3), inSyncOf(cluster)]).toEqual([
    [...VALUES, "c"],
    [1, 2, 3],
  ]);
});

test("a file of an older segment that is gone puts nothing off line: whoever reads there is told, and what comes next is taken", async () => {
  const world = memoryWorld();
  const before = await idle(world);
  before.steps.rollSegment(ORDERS);
  await append(before, ORDERS, "c");
  await before.close();
  const cluster = await openReplicated(world);
  world.disk.remove(`${FOLDER}/broker-1/orders-0/00000000000000000000.log`);
  expect(() => cluster.fetch(ORDERS, 0, { bytesMax: 1000 })).toThrow("no such file");
  expect(await append(cluster, ORDERS, "d")).toMatchObject({ baseOffset: 3 });
  expect(world.events.of("log_offline")).toEqual([]);
});

test("a follower's broker that starts without its folder begins empty, and rejoin makes its copies anew", async () => {
  const world = memoryWorld();
  await (await idle(world)).close();
  const folder = `${FOLDER}/broker-3`;
  for (const path of [...world.disk.files().keys()].filter((each) => each.startsWith(folder)))
    world.disk.remove(path);
  for (const { name } of world.disk.readFolder(folder)) world.disk.removeFolder(`${folder}/${name}`);
  world.disk.removeFolder(folder);
  const cluster = await openReplicated(world);
  expect(valuesOf(cluster, ORDERS)).toEqual(VALUES);
  for (const place of [ORDERS, OTHERS]) {
    expect(inSyncOf(cluster, place)).toEqual([1, 2]);
    await cluster.rejoin(place, 3);
  }
  await rounds(cluster);
  expect([valuesOn(cluster, 3), inSyncOf(cluster), inSyncOf(cluster, OTHERS)]).toEqual([
    VALUES,
    [1, 2, 3],
    [1, 2, 3],
  ]);
});
