/** A topic that gains partitions: durably, all or none, whatever happens meanwhile. */
import { expect, test } from "vitest";
import type { BrokerCluster } from "../src/cluster/cluster.ts";
import { placeReplicas } from "../src/cluster/placement.ts";
import type { MemoryDisk } from "../src/env/memory-disk.ts";
import { append, FOLDER, openCluster, valuesOf } from "./cluster-world.ts";
import { memoryWorld, rejection, type World, worldOn } from "./world.ts";

const FIRST = { topic: "orders", partition: 0 };
const NEW = { topic: "orders", partition: 2 };

async function running(world: World): Promise<BrokerCluster> {
  const cluster = await openCluster(world, { brokerIds: [1, 2, 3] });
  cluster.createTopic({ topic: "orders", partitions: 2, replicationFactor: 2 });
  await append(cluster, FIRST, "before", 1);
  return cluster;
}

function reopened(disk: MemoryDisk): Promise<BrokerCluster> {
  return openCluster(worldOn(disk), { brokerIds: [1, 2, 3] });
}

test("new partitions lie where they would have lain from the first, survive a power cut, and leave the old ones alone", async () => {
  const world = memoryWorld();
  const cluster = await running(world);
  await cluster.replicateOnce();
  const before = cluster.metadata("orders").partitions;
  await cluster.growTopic("orders", 5);
  const { partitions } = cluster.metadata("orders");
  expect(partitions.map(({ replicas }) => replicas)).toEqual(placeReplicas(5, 2, [1, 2, 3]));
  expect(partitions.slice(0, 2)).toEqual(before);
  expect(world.events.of("topic_grown")).toEqual([
    { kind: "topic_grown", topic: "orders", from: 2, partitions: 5 },
  ]);
  await append(cluster, NEW, "new", 1);
  await cluster.steps.flushLogs();
  world.disk.crash({ mode: "lost" });
  const next = await reopened(world.disk);
  expect(next.metadata("orders").partitions).toHaveLength(5);
  await next.replicateOnce();
  await next.replicateOnce();
  expect([valuesOf(next, FIRST), valuesOf(next, NEW)]).toEqual([["before"], ["new"]]);
});

test.each([0, 1, 2, 1_001, 2.5])("a topic of two partitions cannot have %s in all", async (partitions) => {
  const cluster = await running(memoryWorld());
  expect(await rejection(cluster.growTopic("orders", partitions))).toMatchObject({
    code: "INVALID_CONFIG",
    message: expect.stringContaining(`partitions is ${partitions}; expected a whole number, 3 to 1000`),
  });
  expect(cluster.metadata("orders").partitions).toHaveLength(2);
});

test("a topic that is not there cannot grow", async () => {
  const cluster = await running(memoryWorld());
  expect(await rejection(cluster.growTopic("payments", 3))).toMatchObject({ code: "UNKNOWN_TOPIC" });
});

test("growths of a topic, and those beside its creation, are one after the other, each by what the one before has made of it", async () => {
  const world = memoryWorld();
  const cluster = await openCluster(world, { brokerIds: [1, 2, 3] });
  const made = cluster.createTopicLater({ topic: "orders", partitions: 2 });
  const grown = [3, 5, 4, 6].map((partitions) =>
    cluster.growTopic("orders", partitions).then(
      () => partitions,
      ({ code, message }) => `${code}: ${message}`,
    ),
  );
  await made;
  expect(await Promise.all(grown)).toEqual([
    3,
    5,
    "INVALID_CONFIG: partitions is 4; expected a whole number, 6 to 1000, since the topic has 5 already",
    6,
  ]);
  expect(world.events.of("topic_grown").map(({ from, partitions }) => [from, partitions])).toEqual([
    [2, 3],
    [3, 5],
    [5, 6],
  ]);
});

test("a growth that waits for a creation which fails, or for a topic that is deleted, finds no topic", async () => {
  const world = memoryWorld();
  const cluster = await openCluster(world, { brokerIds: [1] });
  world.disk.fail({ operation: "rename", code: "EIO", path: /metadata/, times: { nth: 1 } });
  const made = cluster.createTopicLater({ topic: "orders", partitions: 2 });
  const grown = cluster.growTopic("orders", 3);
  expect(await rejection(made)).toMatchObject({ code: "STORAGE_ERROR" });
  expect(await rejection(grown)).toMatchObject({ code: "UNKNOWN_TOPIC" });
  await cluster.createTopicLater({ topic: "orders", partitions: 2 });
  const [first, second] = [cluster.growTopic("orders", 3), cluster.growTopic("orders", 4)];
  cluster.deleteTopic("orders");
  for (const growth of [first, second])
    expect(await rejection(growth)).toMatchObject({ code: "UNKNOWN_TOPIC" });
});

test("a growth that waits when the cluster closes is told so", async () => {
  const world = memoryWorld();
  const cluster = await openCluster(world, { brokerIds: [1] });
  world.disk.holdSyncs();
  const made = rejection(cluster.createTopicLater({ topic: "orders", partitions: 2 }));
  const grown = rejection(cluster.growTopic("orders", 3));
  cluster.crash();
  world.disk.releaseSyncs();
  expect(await made).toMatchObject({ code: "SHUTTING_DOWN" });
  expect(await grown).toMatchObject({ code: "SHUTTING_DOWN" });
});

/** Its first syncs are under way, and stay so until they are released. */
async function halfGrown() {
  const world = memoryWorld();
  const cluster = await running(world);
  world.disk.holdSyncs();
  const grown = cluster.growTopic("orders", 4);
  grown.catch(() => {});
  await Promise.resolve();
  return { disk: world.disk, cluster, grown };
}

test("until they are durable nobody sees them, and what is changed meanwhile stays changed", async () => {
  const { disk, cluster, grown } = await halfGrown();
  expect(cluster.metadata("orders").partitions).toHaveLength(2);
  cluster.alterConfig("orders", { retention_ms: 5 });
  disk.releaseSyncs();
  await grown;
  expect(cluster.metadata("orders").partitions).toHaveLength(4);
  expect(cluster.describeConfig("orders")).toContainEqual(
    expect.objectContaining({ name: "retention_ms", value: 5 }),
  );
});

test("a topic that is deleted meanwhile does not grow, and leaves no folder", async () => {
  const { disk, cluster, grown } = await halfGrown();
  cluster.deleteTopic("orders");
  disk.releaseSyncs();
  expect(await rejection(grown)).toMatchObject({ code: "UNKNOWN_TOPIC" });
  for (const broker of [1, 2, 3]) {
    const names = disk.readFolder(`${FOLDER}/broker-${broker}`).map(({ name }) => name);
    expect(names.filter((name) => name.startsWith("orders"))).toEqual([]);
  }
  cluster.createTopic({ topic: "orders", partitions: 4 });
  expect(valuesOf(cluster, FIRST)).toEqual([]);
});

test("after a crash at any instant the topic has all of the new partitions or none, and can grow again", async () => {
  const world = memoryWorld();
  const cluster = await running(world);
  await cluster.steps.flushLogs();
  const instants: MemoryDisk[] = [];
  const end = world.disk.beforeChange(() => void instants.push(world.disk.clone()));
  await cluster.growTopic("orders", 4);
  end();
  instants.push(world.disk.clone());
  expect(instants.length).toBeGreaterThan(10);
  const seen = new Set<number>();
  for (const instant of instants) {
    for (const mode of ["kept", "lost"] as const) {
      const disk = instant.clone();
      disk.crash({ mode });
      const next = await reopened(disk);
      const { length } = next.metadata("orders").partitions;
      seen.add(length);
      if (length === 2) await next.growTopic("orders", 4);
      await append(next, NEW, "new", 1);
      await next.replicateOnce();
      await next.replicateOnce();
      expect([valuesOf(next, FIRST), valuesOf(next, NEW)]).toEqual([["before"], ["new"]]);
    }
  }
  expect([...seen].sort()).toEqual([2, 4]);
});

test.each(["topic.grow.before_folders", "topic.grow.after_folders"] as const)(
  "a refusal at %s leaves the topic as it was",
  async (point) => {
    const world = memoryWorld();
    const cluster = await running(world);
    const rule = world.faults.arm({ point, action: "error" });
    expect(await rejection(cluster.growTopic("orders", 4))).toMatchObject({ code: "STORAGE_ERROR" });
    expect(rule.fired).toBe(1);
    expect(cluster.metadata("orders").partitions).toHaveLength(2);
    expect(world.disk.stat(`${FOLDER}/broker-3/orders-2`)).toBeNull();
    await cluster.growTopic("orders", 4);
    expect(cluster.metadata("orders").partitions).toHaveLength(4);
  },
);

test("a refusal after the metadata counts is told, and the partitions are there", async () => {
  const world = memoryWorld();
  const cluster = await running(world);
  const rule = world.faults.arm({ point: "topic.grow.after_metadata", action: "error" });
  expect(await rejection(cluster.growTopic("orders", 4))).toMatchObject({ code: "STORAGE_ERROR" });
  expect(rule.fired).toBe(1);
  await append(cluster, NEW, "new", 1);
  world.disk.crash({ mode: "kept" });
  expect((await reopened(world.disk)).metadata("orders").partitions).toHaveLength(4);
});
