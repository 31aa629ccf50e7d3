/** A topic that is made off the thread: what others see meanwhile, and what an end in the middle leaves. */
import { expect, test } from "vitest";
import type { BrokerCluster } from "../src/cluster/cluster.ts";
import type { MemoryDisk } from "../src/env/memory-disk.ts";
import { append, FOLDER, openCluster, valuesOf } from "./cluster-world.ts";
import { rewrite } from "./log-world.ts";
import { memoryWorld, rejection, worldOn } from "./world.ts";

const ORDERS = { topic: "orders", partition: 39 };
const REQUEST = { topic: "orders", partitions: 40 };

/** Its first syncs are under way, and stay so. */
async function halfMade(): Promise<{ disk: MemoryDisk; cluster: BrokerCluster; made: Promise<unknown> }> {
  const world = memoryWorld();
  const { disk } = world;
  const cluster = await openCluster(world);
  disk.holdSyncs();
  const made = cluster.createTopicLater(REQUEST);
  made.catch(() => {});
  await Promise.resolve();
  expect(disk.readFolder(`${FOLDER}/broker-1`).length).toBeGreaterThan(0);
  return { disk, cluster, made };
}

test("it exists when all is durable, and not before; others are made and used meanwhile", async () => {
  const { disk, cluster, made } = await halfMade();
  expect(cluster.hasTopic("orders")).toBe(false);
  cluster.createTopic({ topic: "payments", partitions: 1 });
  await append(cluster, { topic: "payments", partition: 0 }, "paid", 1);
  disk.releaseSyncs();
  await made;
  expect(cluster.describeTopic("orders")).toMatchObject({ topic: "orders" });
  await append(cluster, ORDERS, "first", "all");
  disk.crash({ mode: "lost" });
  const again = await openCluster(worldOn(disk));
  expect(valuesOf(again, ORDERS)).toEqual(["first"]);
  expect(again.hasTopic("payments")).toBe(true);
});

test("meanwhile nobody makes another of its name, or of one that collides with it", async () => {
  const { disk, cluster, made } = await halfMade();
  for (const topic of ["orders", "Orders"]) {
    const refused = { code: "TOPIC_ALREADY_EXISTS" };
    expect(() => cluster.createTopic({ topic, partitions: 1 })).toThrow(expect.objectContaining(refused));
    expect(await rejection(cluster.createTopicLater({ topic, partitions: 1 }))).toMatchObject(refused);
  }
  disk.releaseSyncs();
  await made;
  expect(cluster.metadata("orders").partitions).toHaveLength(40);
});

test.each(["close", "crash"] as const)(
  "a cluster that ends by %s in the middle leaves no topic, and touches nothing afterwards",
  async (end) => {
    const { disk, cluster, made } = await halfMade();
    await cluster[end]();
    const changes = disk.changeCount;
    disk.releaseSyncs();
    expect(await rejection(made)).toMatchObject({ code: "SHUTTING_DOWN" });
    // A sync that was under way ends; it changes nothing that anybody could see.
    expect(disk.changeCount - changes).toBeLessThanOrEqual(16);
    const files = disk.files();
    const again = await openCluster(worldOn(disk));
    expect([...files.keys()].filter((path) => path.endsWith("manifest.json"))).toEqual([]);
    expect(again.hasTopic("orders")).toBe(false);
    await again.createTopicLater(REQUEST);
    expect(valuesOf(again, ORDERS)).toEqual([]);
  },
);

test("a broker that stops in the middle is told as away, which may be tried again, and nothing is left", async () => {
  const { disk, cluster, made } = await halfMade();
  const stopped = cluster.stopBroker(1);
  disk.releaseSyncs();
  expect(await rejection(made)).toMatchObject({ code: "BROKER_NOT_AVAILABLE" });
  await stopped;
  await cluster.startBroker(1);
  expect(cluster.hasTopic("orders")).toBe(false);
  await cluster.createTopicLater(REQUEST);
  await append(cluster, ORDERS, "first", "all");
  expect(valuesOf(cluster, ORDERS)).toEqual(["first"]);
});

test("a disk that refuses in the middle leaves nothing, and the next try succeeds", async () => {
  for (const [operation, code] of [
    ["makeFolder", "ENOSPC"],
    ["create", "ENOSPC"],
    ["write", "ENOSPC"],
    ["sync", "EIO"],
    ["syncFolder", "EIO"],
    ["rename", "EIO"],
  ] as const) {
    const world = memoryWorld();
    const cluster = await openCluster(world);
    const failure = world.disk.fail({ operation, code, path: /orders-17(\/|$)/ });
    expect(await rejection(cluster.createTopicLater(REQUEST)), operation).toMatchObject({
      code: "STORAGE_ERROR",
    });
    expect(failure.hits).toBe(1);
    expect(cluster.hasTopic("orders")).toBe(false);
    expect(world.disk.readFolder(`${FOLDER}/broker-1`).map(({ name }) => name)).toEqual([
      "broker-epoch.json",
    ]);
    await cluster.createTopicLater(REQUEST);
    await append(cluster, ORDERS, "first", "all");
    expect(valuesOf(cluster, ORDERS)).toEqual(["first"]);
  }
});

test.each([
  ["another topic", (cluster: BrokerCluster) => cluster.createTopicLater({ topic: "mail", partitions: 2 })],
  ["a note of high watermarks", (cluster: BrokerCluster) => cluster.steps.flushLogs()],
])("a topic is not made on names that a failed sync for %s may have lost", async (_whom, work) => {
  const place = { topic: "orders", partition: 0 };
  const make = (cluster: BrokerCluster) => cluster.createTopicLater({ topic: "orders", partitions: 3 });
  let refused = 0;
  // Which of the two is how far when the sync fails.
  for (let turns = -30; turns <= 30; turns++) {
    const world = memoryWorld();
    const { disk } = world;
    const cluster = await openCluster(world, { brokerIds: [1, 2] });
    cluster.createTopic({ topic: "payments", partitions: 1, replicationFactor: 2 });
    await append(cluster, { topic: "payments", partition: 0 }, "paid", 1);
    for (let round = 0; round < 2; round++) await cluster.replicateOnce();
    disk.fail({ operation: "syncFolder", code: "EIO", path: `${FOLDER}/broker-1`, times: { nth: 1 } });
    const [first, second] = turns < 0 ? [work, make] : [make, work];
    const begun = [first(cluster)];
    for (let turn = Math.abs(turns); turn > 0; turn--) await Promise.resolve();
    begun.push(second(cluster));
    const ends = await Promise.allSettled(begun);
    if (ends.every(({ status }) => status === "rejected")) refused++;
    if (!cluster.hasTopic("orders")) await make(cluster);
    await append(cluster, place, "first", "all");
    disk.crash({ mode: "lost" });
    const again = await openCluster(worldOn(disk), { brokerIds: [1, 2] });
    expect(valuesOf(again, place), `${turns} turns`).toEqual(["first"]);
  }
  expect(refused).toBeGreaterThan(0);
});

test.each(["createTopic", "createTopicLater"] as const)(
  "%s is refused where a folder holds records that no topic explains, and touches nothing",
  async (create) => {
    const world = memoryWorld();
    const { disk } = world;
    const first = await openCluster(world);
    const metadata = `${FOLDER}/metadata.json`;
    const before = Buffer.from(disk.files().get(metadata) ?? []);
    first.createTopic({ topic: "orders", partitions: 2 });
    for (const partition of [0, 1]) await append(first, { topic: "orders", partition }, "kept", "all");
    await first.close();
    rewrite(disk, metadata, () => before);

    const cluster = await openCluster(worldOn(disk));
    const segments = () => [...disk.files()].filter(([path]) => path.endsWith(".log")).map(String);
    const there = segments();
    expect(there).toHaveLength(2);
    for (const partitions of [1, 2, 3]) {
      const made = (async () => cluster[create]({ topic: "orders", partitions }))();
      expect(await rejection(made)).toMatchObject({
        code: "STORAGE_ERROR",
        message: expect.stringContaining("holds records that no topic of the metadata explains"),
      });
      expect(segments()).toEqual(there);
    }
    expect(cluster.hasTopic("orders")).toBe(false);
  },
);
