/** One broker whose disk has failed: what needs it is refused, and nothing else. */
import { expect, test } from "vitest";
import type { BrokerCluster } from "../src/cluster/cluster.ts";
import { append, FOLDER, openCluster } from "./cluster-world.ts";
import { rewrite } from "./log-world.ts";
import { ORDERS, openReplicated, send } from "./replica-world.ts";
import { memoryWorld, rejection, type World, worldOn } from "./world.ts";

const MAIL = { topic: "mail", partition: 0 };

/** Three brokers with a topic on all, of which broker 2 fails. */
async function withFailedBroker(world: World): Promise<BrokerCluster> {
  const cluster = await openReplicated(world);
  await send(cluster, ["a"]);
  for (let round = 0; round < 2; round++) await cluster.replicateOnce();
  world.disk.fail({ operation: "sync", code: "EIO", path: /broker-2.*log$/, times: { nth: 1 } });
  expect(await rejection(cluster.steps.flushLogs())).toMatchObject({ code: "BROKER_FAILED" });
  expect(cluster.describeCluster().brokers.map(({ state }) => state)).toEqual([
    "running",
    "failed",
    "running",
  ]);
  return cluster;
}

test("one failed broker keeps nobody from a topic, a setting or a producer id that does without it", async () => {
  const world = memoryWorld();
  const cluster = await withFailedBroker(world);
  cluster.createTopic({ topic: "mail", partitions: 1, replicationFactor: 1 });
  await cluster.createTopicLater({ topic: "more", partitions: 1, replicationFactor: 1 });
  await append(cluster, { topic: "mail", partition: 0 }, "m", "all");
  cluster.alterConfig("orders", { retention_bytes: 5000 });
  cluster.deleteTopic("more");
  expect(cluster.initProducer({ name: "billing" })).toEqual({ producerId: 0, producerEpoch: 0 });
  expect(() => cluster.createTopic({ topic: "wide", partitions: 1, replicationFactor: 3 })).toThrow(
    expect.objectContaining({ code: "BROKER_FAILED" }),
  );
});

test("a topic on a failed broker is deleted at once, and its name is free when the broker has started again", async () => {
  const world = memoryWorld();
  const cluster = await withFailedBroker(world);
  cluster.deleteTopic("orders");
  expect(cluster.listTopics()).toEqual([]);
  expect(() => cluster.createTopic({ topic: "orders", partitions: 1 })).toThrow(
    expect.objectContaining({ code: "BROKER_FAILED" }),
  );
  expect(world.disk.stat(`${FOLDER}/broker-2/orders-0`)).not.toBeNull();
  await cluster.stopBroker(2);
  await cluster.startBroker(2);
  cluster.createTopic({ topic: "orders", partitions: 1 });
  expect(world.disk.stat(`${FOLDER}/broker-2/orders-0`)).toBeNull();
  world.disk.crash({ mode: "lost" });
  const again = await openCluster(worldOn(world.disk), { brokerIds: [1, 2, 3] });
  expect(again.visibleEnd(ORDERS)).toBe(0);
});

test("what one broker could not flush keeps no other broker from noting its high watermarks", async () => {
  const world = memoryWorld();
  await withFailedBroker(world);
  const noted = [1, 2, 3].map(
    (brokerId) => world.disk.stat(`${FOLDER}/broker-${brokerId}/replication-offset-checkpoint.json`) !== null,
  );
  expect(noted).toEqual([true, false, true]);
});

test("nor does a note that one broker's disk refuses", async () => {
  const world = memoryWorld();
  const cluster = await openReplicated(world);
  await send(cluster, ["a"]);
  for (let round = 0; round < 2; round++) await cluster.replicateOnce();
  world.disk.fail({ operation: "change", code: "ENOSPC", path: /broker-1.*checkpoint/, times: { nth: 1 } });
  expect(await rejection(cluster.steps.flushLogs())).toMatchObject({ code: "STORAGE_ERROR" });
  for (const brokerId of [2, 3])
    expect(world.disk.stat(`${FOLDER}/broker-${brokerId}/replication-offset-checkpoint.json`)).not.toBeNull();
});

test.each([
  ["with the next write that is refused", async (cluster: BrokerCluster) => send(cluster, ["b"])],
  ["with the next flush", async (cluster: BrokerCluster) => cluster.steps.flushLogs()],
  ["when it is stopped", async (cluster: BrokerCluster) => void (await cluster.stopBroker(1))],
])(
  "a failed sync that the disk let nobody note is noted %s, so that the next start writes anew what may be lost",
  async (_when, act) => {
    const world = memoryWorld();
    const cluster = await openReplicated(world, { brokers: 1 });
    await send(cluster, ["a"]);
    const mark = `${FOLDER}/broker-1/orders-0/sync-failed`;
    world.disk.fail({ operation: "sync", code: "ENOSPC", path: /orders-0.*log$/ });
    world.disk.fail({ operation: "create", code: "EIO", path: mark });
    expect(await rejection(cluster.steps.flushLogs())).toMatchObject({
      code: "BROKER_FAILED",
      message: expect.stringContaining("nor could it be noted for the next start yet"),
    });
    expect(world.disk.stat(mark)).toBeNull();
    // Whether anybody is told is another matter.
    await act(cluster).catch(() => {});
    expect(world.disk.stat(mark)).not.toBeNull();
    world.disk.crash({ mode: "kept" });
    const next = worldOn(world.disk);
    const again = await openCluster(next, { brokerIds: [1] });
    await again.steps.flushLogs();
    expect(next.events.of("renewed")).not.toHaveLength(0);
    next.disk.crash({ mode: "lost" });
    const last = await openCluster(worldOn(world.disk), { brokerIds: [1] });
    expect(last.describePartition(ORDERS)).toMatchObject({ leaderId: 1, logEndOffset: 1 });
  },
);

test.each([
  [
    "with the next write on that broker",
    async (cluster: BrokerCluster) => void (await append(cluster, MAIL, "m", 1)),
  ],
  ["with the next flush", async (cluster: BrokerCluster) => cluster.steps.flushLogs()],
  ["when it is stopped", async (cluster: BrokerCluster) => void (await cluster.stopBroker(1))],
])(
  "a failed sync of a recovery that the disk let nobody note is noted %s, so that the next one writes anew what may be lost",
  async (_when, act) => {
    const world = memoryWorld();
    const cluster = await openReplicated(world, { brokers: 1 });
    cluster.createTopic({ topic: "mail", partitions: 1, replicationFactor: 1 });
    await send(cluster, ["a"]);
    await cluster.steps.flushLogs();
    const log = `${FOLDER}/broker-1/orders-0/00000000000000000000.log`;
    await cluster.crash();
    rewrite(world.disk, log, (bytes) => Buffer.concat([bytes, Buffer.from("torn")]));
    const mark = `${FOLDER}/broker-1/orders-0/sync-failed`;
    const once = worldOn(world.disk);
    once.disk.fail({ operation: "sync", code: "EIO", path: log });
    once.disk.fail({ operation: "create", code: "EIO", path: mark });
    const half = await openCluster(once, { brokerIds: [1] });
    const problem = `nor could it be noted for the next start yet (create of ${mark}`;
    expect(once.events.of("log_offline")).toMatchObject([
      { topic: "orders", problem: expect.stringContaining(problem) },
    ]);
    expect(once.disk.stat(mark)).toBeNull();
    await act(half);
    expect(once.disk.stat(mark)).not.toBeNull();
    once.disk.crash({ mode: "kept" });
    const next = worldOn(once.disk);
    await openCluster(next, { brokerIds: [1] });
    expect(next.events.of("renewed")).not.toHaveLength(0);
    next.disk.crash({ mode: "lost" });
    const last = await openCluster(worldOn(next.disk), { brokerIds: [1] });
    expect(last.describePartition(ORDERS)).toMatchObject({ leaderId: 1, logEndOffset: 1 });
  },
);

test("what could not be noted of a failed sync by the stop either is tried again before the broker starts", async () => {
  const world = memoryWorld();
  const cluster = await openReplicated(world, { brokers: 1 });
  await send(cluster, ["a"]);
  const mark = `${FOLDER}/broker-1/orders-0/sync-failed`;
  world.disk.fail({ operation: "sync", code: "EIO", path: /orders-0.*log$/, times: { nth: 1 } });
  const refusal = world.disk.fail({ operation: "create", code: "EIO", path: mark, times: { first: 2 } });
  expect(await rejection(cluster.steps.flushLogs())).toMatchObject({ code: "BROKER_FAILED" });
  expect(await cluster.stopBroker(1)).toMatchObject({ clean: false });
  expect(world.disk.stat(mark)).toBeNull();
  expect(refusal.fired).toBe(2);
  await cluster.startBroker(1);
  expect(world.events.of("renewed")).not.toHaveLength(0);
});

test("a failed sync in a folder that is gone is not noted any more", async () => {
  const world = memoryWorld();
  const cluster = await openReplicated(world, { brokers: 1 });
  await send(cluster, ["a"]);
  world.disk.fail({ operation: "sync", code: "EIO", path: /orders-0.*log$/, times: { nth: 1 } });
  const refusal = world.disk.fail({ operation: "create", code: "EIO", path: /sync-failed$/ });
  expect(await rejection(cluster.steps.flushLogs())).toMatchObject({ code: "BROKER_FAILED" });
  expect(await rejection(send(cluster, ["b"]))).toMatchObject({ code: "BROKER_FAILED" });
  const folder = `${FOLDER}/broker-1/orders-0`;
  for (const { name } of world.disk.readFolder(folder)) world.disk.remove(`${folder}/${name}`);
  world.disk.removeFolder(folder);
  const { hits } = refusal;
  for (let round = 0; round < 2; round++)
    expect(await rejection(send(cluster, ["b"]))).toMatchObject({ code: "BROKER_FAILED" });
  expect([refusal.hits, world.disk.stat(folder)]).toEqual([hits, null]);
});
