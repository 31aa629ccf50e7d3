/** Opening, closing, crashing, and a disk that is not as it was left. */
import { expect, test } from "vitest";
import { append, FOLDER, openCluster, valuesOf } from "./cluster-world.ts";
import { rewrite } from "./log-world.ts";
import { memoryWorld, rejection, type World } from "./world.ts";

const ORDERS = { topic: "orders", partition: 0 };
const OTHER = { topic: "orders", partition: 1 };
const MARK = `${FOLDER}/broker-1/clean-shutdown`;

/** A closed cluster with a value in each of two partitions. */
async function left(world: World): Promise<void> {
  const cluster = await openCluster(world);
  cluster.createTopic({ topic: "orders", partitions: 2 });
  await append(cluster, ORDERS, "zero");
  await append(cluster, OTHER, "one");
  await cluster.close();
  world.events.clear();
}

function write(world: World, path: string, text: string): void {
  rewrite(world.disk, path, () => Buffer.from(text));
}

test("two clusters never have one folder open, and the refused one disturbs nothing", async () => {
  const world = memoryWorld();
  await left(world);
  const first = await openCluster(world);
  expect(await rejection(openCluster(world))).toMatchObject({ name: "DataFolderRefused", reason: "in-use" });
  await append(first, ORDERS, "undisturbed");
  await first.close();
  const second = await openCluster(world);
  expect(valuesOf(second, ORDERS)).toEqual(["zero", "undisturbed"]);
});

test("a clean close leaves a mark that the next opening takes away, and a crash leaves none", async () => {
  const world = memoryWorld();
  const cleanOf = () => world.events.of("cluster_opened").at(-1)?.clean;
  await left(world);
  expect(world.disk.stat(MARK)).not.toBeNull();
  const second = await openCluster(world);
  expect([cleanOf(), world.disk.stat(MARK)]).toEqual([true, null]);
  await append(second, ORDERS, "more");
  await second.crash();
  expect([second.state, world.disk.stat(MARK)]).toEqual(["failed", null]);
  const third = await openCluster(world);
  expect(cleanOf()).toBe(false);
  expect(valuesOf(third, ORDERS)).toEqual(["zero", "more"]);
  await third.close();
  write(world, MARK, "scribbled over");
  await openCluster(world);
  expect(cleanOf()).toBe(false);
});

test("a mark is not believed twice, whatever the power cut takes", async () => {
  const world = memoryWorld();
  await left(world);
  await append(await openCluster(world), ORDERS, "more", "all");
  world.disk.crash({ mode: "lost" });
  await openCluster(world);
  expect(world.events.of("cluster_opened").at(-1)?.clean).toBe(false);
});

test("after a close nothing of the cluster is unsynced or held", async () => {
  const world = memoryWorld();
  await left(world);
  // The names that the lock left and took are nobody's loss.
  expect(world.disk.unsyncedPaths().filter((path) => path !== FOLDER)).toEqual([]);
  expect(world.disk.stat(`${FOLDER}/lock`)).toBeNull();
});

test("closing twice is closing once, and a closed cluster serves nothing", async () => {
  const world = memoryWorld();
  const cluster = await openCluster(world);
  cluster.createTopic({ topic: "orders", partitions: 1 });
  expect(cluster.close()).toBe(cluster.close());
  await cluster.close();
  await cluster.crash();
  expect(cluster.state).toBe("closed");
  const shuttingDown = expect.objectContaining({ code: "SHUTTING_DOWN" });
  expect(await rejection(append(cluster, ORDERS, "late"))).toEqual(shuttingDown);
  expect(await rejection(cluster.steps.flushLogs())).toEqual(shuttingDown);
  for (const operation of [
    () => cluster.createTopic({ topic: "more", partitions: 1 }),
    () => cluster.deleteTopic("orders"),
    () => cluster.listTopics(),
    () => cluster.hasTopic("orders"),
    () => cluster.metadata("orders"),
    () => cluster.describeCluster(),
    () => cluster.describePartition(ORDERS),
    () => cluster.fetch(ORDERS, 0, { bytesMax: 1 }),
    () => cluster.onVisible(ORDERS, () => {}),
  ]) {
    expect(operation).toThrow(shuttingDown);
  }
});

test("a crash drops what was not flushed, and the folder can be opened at once", async () => {
  const world = memoryWorld();
  const cluster = await openCluster(world);
  cluster.createTopic({ topic: "orders", partitions: 1 });
  await append(cluster, ORDERS, "durable", "all");
  await append(cluster, ORDERS, "written", 1);
  const before = world.disk.changeCount;
  const crashed = cluster.crash();
  // Only the lock file goes.
  expect(world.disk.changeCount - before).toBeLessThanOrEqual(1);
  await crashed;
  expect(await rejection(append(cluster, ORDERS, "late"))).toMatchObject({ code: "SHUTTING_DOWN" });
  world.disk.crash({ mode: "lost" });
  expect(valuesOf(await openCluster(world), ORDERS)).toEqual(["durable"]);
});

test("one log that cannot be closed does not keep the others from being flushed, and there is no mark", async () => {
  const world = memoryWorld();
  const cluster = await openCluster(world);
  cluster.createTopic({ topic: "orders", partitions: 3 });
  for (const partition of [0, 1, 2])
    await append(cluster, { topic: "orders", partition }, `value ${partition}`);
  world.disk.fail({ operation: "sync", code: "EIO", path: /orders-1/, times: "always" });
  expect(await rejection(cluster.close())).toMatchObject({ name: "BrokerError" });
  expect(cluster.state).toBe("failed");
  world.disk.crash({ mode: "lost" });
  world.disk.stopFailing();
  expect(world.disk.stat(MARK)).toBeNull();
  const again = await openCluster(world);
  expect(valuesOf(again, ORDERS)).toEqual(["value 0"]);
  expect(valuesOf(again, { topic: "orders", partition: 2 })).toEqual(["value 2"]);
});

test("a partition whose folder is gone or damaged is off line with the reason, and the others are served", async () => {
  for (const harm of ["gone", "damaged"] as const) {
    const world = memoryWorld();
    await left(world);
    const folder = `${FOLDER}/broker-1/orders-0`;
    for (const { name } of world.disk.readFolder(folder)) {
      if (harm === "gone") world.disk.remove(`${folder}/${name}`);
      else write(world, `${folder}/${name}`, "scribbled over");
    }
    if (harm === "gone") world.disk.removeFolder(folder);
    const cluster = await openCluster(world);
    const offline = expect.objectContaining({
      code: "STORAGE_ERROR",
      message: expect.stringMatching(/^orders-0 is off line: \/srv\/data\/broker-1\/orders-0/),
    });
    expect(await rejection(append(cluster, ORDERS, "refused"))).toEqual(offline);
    for (const operation of [
      () => cluster.fetch(ORDERS, 0, { bytesMax: 1 }),
      () => cluster.listOffsets(ORDERS, -1),
      () => cluster.describeOffsets(ORDERS),
    ]) {
      expect(operation).toThrow(offline);
    }
    const problem = expect.stringMatching(/^\/srv\/data\/broker-1\/orders-0/);
    expect(cluster.describePartition(ORDERS)).toMatchObject({
      leaderId: null,
      logEndOffset: null,
      highWatermark: null,
      segments: [],
      replicas: [{ brokerId: 1, isOnline: false, logEndOffset: null, highWatermark: null, problem }],
    });
    expect(cluster.metadata("orders").partitions[0]).toMatchObject({ leaderId: null, inSyncReplicas: [1] });
    expect(cluster.describeCluster().brokers).toMatchObject([{ partitions: 2, offlinePartitions: 1 }]);
    await append(cluster, OTHER, "served", "all");
    expect(valuesOf(cluster, OTHER)).toEqual(["one", "served"]);

    await cluster.close();
    expect(world.disk.stat(MARK)).toBeNull();
    const again = await openCluster(world);
    again.deleteTopic("orders");
    again.createTopic({ topic: "orders", partitions: 1 });
    expect(valuesOf(again, ORDERS)).toEqual([]);
  }
});

test("foreign files are ignored with a warning and never deleted, not even with their topic", async () => {
  const world = memoryWorld();
  await left(world);
  const broker = `${FOLDER}/broker-1`;
  const foreign = [
    `${FOLDER}/notes.txt`,
    `${broker}/.DS_Store`,
    `${broker}/backup-7/file`,
    `${broker}/orders-0/00000000000000000000.log~`,
    `${broker}/orders-0/copy.log/file`,
  ];
  for (const path of foreign) {
    world.disk.makeFolder(path.slice(0, path.lastIndexOf("/")));
    write(world, path, "precious");
  }
  const cluster = await openCluster(world);
  const ignored = world.events.of("foreign_file_ignored").map(({ path }) => path);
  expect(ignored).toEqual(expect.arrayContaining([`${broker}/.DS_Store`, `${broker}/backup-7/file`]));
  expect(valuesOf(cluster, ORDERS)).toEqual(["zero"]);
  cluster.deleteTopic("orders");
  await cluster.close();
  const files = world.disk.files();
  for (const path of foreign) expect(files.get(path)?.toString(), path).toBe("precious");
  expect([...files.keys()].filter((path) => path.includes("/orders-") && !foreign.includes(path))).toEqual(
    [],
  );
});

test("records that no topic explains are never overwritten by a creation", async () => {
  const world = memoryWorld();
  await left(world);
  const metadataFile = `${FOLDER}/metadata.json`;
  const older = memoryWorld();
  await (await openCluster(older)).close();
  write(world, metadataFile, older.disk.files().get(metadataFile)?.toString() ?? "");
  const cluster = await openCluster(world);
  expect(cluster.listTopics()).toEqual([]);
  const before = world.disk.files();
  expect(() => cluster.createTopic({ topic: "orders", partitions: 1 })).toThrow(
    expect.objectContaining({
      code: "STORAGE_ERROR",
      message: expect.stringContaining("/srv/data/broker-1/orders-0: the place of orders-0 holds records"),
    }),
  );
  expect(world.disk.files()).toEqual(before);
});

test("a configuration that leaves out a broker with partitions is refused by name", async () => {
  const world = memoryWorld();
  const cluster = await openCluster(world, { brokerIds: [1, 2] });
  cluster.createTopic({ topic: "orders", partitions: 2 });
  await cluster.close();
  expect(await rejection(openCluster(world, { brokerIds: [1] }))).toMatchObject({
    reason: "missing-broker",
    message:
      'the data folder "/srv/data" holds partitions of the topic orders on broker 2; expected it among the brokers 1',
  });
  const wider = await openCluster(world, { brokerIds: [1, 2, 3] });
  expect(wider.metadata("orders").partitions.map(({ leaderId }) => leaderId)).toEqual([1, 2]);
});

test("a file in the place of a broker's folder is refused by name, and nothing is touched", async () => {
  const world = memoryWorld();
  const config = { brokerIds: [1, 2] };
  await (await openCluster(world, config)).close();
  const path = `${FOLDER}/broker-2`;
  for (const { name } of world.disk.readFolder(path)) world.disk.remove(`${path}/${name}`);
  world.disk.removeFolder(path);
  world.disk.openFile(path, { create: "exclusive" }).close();
  const before = world.disk.files();
  expect(await rejection(openCluster(world, config))).toMatchObject({
    reason: "no-broker-folder",
    message:
      'the data folder "/srv/data" has a file called broker-2, and no folder of that broker: move it away, and put back the folder if there was one',
  });
  expect(world.disk.files()).toEqual(before);
  world.disk.remove(path);
  expect((await openCluster(world, config)).describeCluster().brokers).toMatchObject([
    { state: "running" },
    { state: "running" },
  ]);
});
