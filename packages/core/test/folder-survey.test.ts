/** Which folders of partitions a topic stands for, told from the files alone, also where a crash came in between. */
import { expect, test } from "vitest";
import type { MemoryDisk } from "../src/env/memory-disk.ts";
import { inspectPartition, surveyFolders } from "../src/log/index.ts";
import { append, FOLDER, openCluster } from "./cluster-world.ts";
import { instantsOf } from "./crash-instants.ts";
import { memoryWorld, worldOn } from "./world.ts";

const ORDERS = { topic: "orders", partition: 0 };
const folderOf = (name: string) => `${FOLDER}/broker-1/${name}`;

/** A cluster with a record in `orders`, and the disk before each change that `act` made. */
async function clusterInstants(
  act: (cluster: Awaited<ReturnType<typeof openCluster>>) => unknown,
): Promise<readonly MemoryDisk[]> {
  const world = memoryWorld();
  const cluster = await openCluster(world);
  cluster.createTopic({ topic: "orders", partitions: 1 });
  await append(cluster, ORDERS, "kept", "all");
  return await instantsOf(world.disk, () => act(cluster));
}

/** What is wrong anywhere that a topic stands for. */
function damageIn(disk: MemoryDisk): unknown[] {
  const { partitions, damage } = surveyFolders(disk, FOLDER);
  const served = partitions.filter(({ leftOver }) => leftOver === null);
  const flaws = served.flatMap(({ folder }) => [...inspectPartition(disk, folder)]);
  return [...damage, ...flaws.filter(({ kind }) => kind === "damage")];
}

test("whatever instant the creation of a topic dies at, its folders are unfinished or sound, and never damaged", async () => {
  const instants = await clusterInstants((cluster) =>
    cluster.createTopic({ topic: "payments", partitions: 2 }),
  );
  const seen = new Set<string>();
  for (const [index, disk] of instants.entries()) {
    for (const mode of ["kept", "lost"] as const) {
      const crashed = disk.clone();
      crashed.crash({ mode });
      expect(damageIn(crashed), `instant ${index}, ${mode}`).toEqual([]);
      for (const { folder, leftOver } of surveyFolders(crashed, FOLDER).partitions)
        seen.add(`${folder === folderOf("orders-0") ? "old" : "new"} ${leftOver}`);
    }
  }
  expect(seen).toEqual(new Set(["old null", "new unfinished", "new null"]));
});

test("whatever instant the removal of a deleted topic dies at, what is left of it is no damage", async () => {
  const instants = await clusterInstants(async (cluster) => {
    cluster.createTopic({ topic: "payments", partitions: 1 });
    cluster.deleteTopic("orders");
  });
  const reasons = instants.flatMap((disk, index) => {
    expect(damageIn(disk), `instant ${index}`).toEqual([]);
    const { partitions } = surveyFolders(disk, FOLDER);
    return partitions.filter(({ folder }) => folder === folderOf("orders-0")).map(({ leftOver }) => leftOver);
  });
  expect(new Set(reasons)).toEqual(new Set([null, "deleted"]));
});

test("a folder with records that no topic stands for is told, from whichever folder one looks", async () => {
  const [disk = memoryWorld().disk] = await clusterInstants(() => {});
  disk.rename(folderOf("orders-0"), folderOf("orders-0.set-aside-1"));
  for (const path of [FOLDER, `${FOLDER}/broker-1`]) {
    expect(surveyFolders(disk, path)).toEqual({
      partitions: [{ folder: folderOf("orders-0.set-aside-1"), leftOver: "unnamed" }],
      damage: [{ file: folderOf("orders-0"), problem: "it has no log; the metadata names it" }],
    });
  }
  expect(surveyFolders(disk, folderOf("orders-0.set-aside-1"))).toEqual({
    partitions: [{ folder: folderOf("orders-0.set-aside-1"), leftOver: "unnamed" }],
    damage: [],
  });
});

test("a partition that the metadata names is damaged without its manifest, and without its folder", async () => {
  const [disk = memoryWorld().disk] = await clusterInstants(() => {});
  const orders = folderOf("orders-0");
  disk.remove(`${orders}/manifest.json`);
  expect(surveyFolders(disk, orders)).toEqual({
    partitions: [{ folder: orders, leftOver: null }],
    damage: [],
  });
  expect(damageIn(disk)).toMatchObject([{ file: `${orders}/manifest.json`, problem: "it is missing" }]);
  for (const { name } of disk.readFolder(orders)) disk.remove(`${orders}/${name}`);
  for (const path of [FOLDER, orders])
    expect(surveyFolders(disk, path).damage).toMatchObject([{ file: orders }]);
});

test("a damaged metadata file is told, and excuses no folder; without one no folder is left over", async () => {
  const [disk = memoryWorld().disk] = await clusterInstants(() => {});
  const file = `${FOLDER}/metadata.json`;
  const partitions = [{ folder: folderOf("orders-0"), leftOver: null }];
  const opened = disk.openFile(file);
  opened.writeAt(40, Buffer.from("?"));
  opened.close();
  expect(surveyFolders(disk, FOLDER)).toEqual({
    partitions,
    damage: [{ file, problem: expect.stringContaining("CRC") }],
  });
  disk.remove(file);
  expect(surveyFolders(disk, FOLDER)).toEqual({ partitions, damage: [] });
});

test("the folders of a cluster with several brokers are told by the replicas that each holds", async () => {
  const world = memoryWorld();
  const cluster = await openCluster(world, { brokerIds: [1, 2, 3] });
  cluster.createTopic({ topic: "orders", partitions: 3, replicationFactor: 2 });
  await cluster.close();
  const { partitions, damage } = surveyFolders(worldOn(world.disk, 1).disk, FOLDER);
  expect(damage).toEqual([]);
  expect(partitions.map(({ leftOver }) => leftOver)).toEqual(Array(6).fill(null));
});
