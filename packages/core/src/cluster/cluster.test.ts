import { crc32 } from "node:zlib";
import { decodeRecords, encodeBatch } from "@minikafka/record";
import { expect, test } from "vitest";
import { append, batchOf, FOLDER, openCluster, valuesOf } from "../../test/cluster-world.ts";
import { memoryWorld, rejection } from "../../test/world.ts";

const ORDERS_0 = { topic: "orders", partition: 0 };
const ORDERS_1 = { topic: "orders", partition: 1 };

test("the first record: alice goes to partition 1, gets offset 0 and is fetched from there", async () => {
  const cluster = await openCluster(memoryWorld());
  cluster.createTopic({ topic: "orders", partitions: 2, replicationFactor: 1 });
  const key = Buffer.from("alice");
  const place = { topic: "orders", partition: crc32(key) % 2 };
  const record = { key, value: Buffer.from("created"), timestampMs: 1_700_000_000_000, headers: [] };
  const appended = await cluster.appendBatch(place, encodeBatch({ records: [record] }), { acks: 1 });
  expect([place.partition, appended]).toEqual([
    1,
    { baseOffset: 0, nextOffset: 1, appendTimeMs: null, duplicate: false },
  ]);
  const fetched = cluster.fetch(place, 0, { bytesMax: 1 << 20 });
  expect(decodeRecords(fetched.batches)).toEqual([{ offset: 0, ...record }]);
  expect(fetched).toMatchObject({ highWatermark: 1, lastStableOffset: 1, logStartOffset: 0, nextOffset: 1 });
  expect(cluster.describeOffsets(place)).toEqual({ logEndOffset: 1, visibleEnd: 1 });
  expect(cluster.describeOffsets(ORDERS_0)).toEqual({ logEndOffset: 0, visibleEnd: 0 });
  await cluster.close();
});

test("everything is there again after a close and an opening", async () => {
  const world = memoryWorld();
  const first = await openCluster(world);
  const created = first.createTopic({ topic: "orders", partitions: 2, config: { segment_bytes: "4096" } });
  for (let index = 0; index < 200; index++)
    await append(first, ORDERS_1, `value ${index}`, index % 50 === 0 ? "all" : 1);
  const values = valuesOf(first, ORDERS_1);
  expect(values).toHaveLength(200);
  await first.close();
  expect(first.state).toBe("closed");
  world.disk.crash({ mode: "lost" });
  world.events.clear();

  const second = await openCluster(world);
  expect(second.clusterId).toBe(first.clusterId);
  expect(second.listTopics()).toEqual([created]);
  expect(valuesOf(second, ORDERS_1)).toEqual(values);
  expect(await append(second, ORDERS_1, "next")).toEqual({
    baseOffset: 200,
    nextOffset: 201,
    appendTimeMs: null,
    duplicate: false,
  });
  expect(world.events.of("cluster_opened")).toMatchObject([{ clean: true, topics: 1, partitions: 2 }]);
});

test("a fetch starts with the batch that holds the offset and stops at the byte limit, but never before one batch", async () => {
  const cluster = await openCluster(memoryWorld());
  cluster.createTopic({ topic: "orders", partitions: 1 });
  await cluster.appendBatch(ORDERS_0, batchOf(["a", "b", "c"]), { acks: 1 });
  await cluster.appendBatch(ORDERS_0, batchOf(["d"]), { acks: 1 });
  const fetch = (offset: number, bytesMax: number) => {
    const { batches, nextOffset } = cluster.fetch(ORDERS_0, offset, { bytesMax });
    return { batches: batches.length, nextOffset };
  };
  const [first, second] = [batchOf(["a", "b", "c"]).length, batchOf(["d"]).length];
  expect(fetch(2, 1 << 20)).toEqual({ batches: first + second, nextOffset: 4 });
  expect(fetch(2, 1)).toEqual({ batches: first, nextOffset: 3 });
  expect(fetch(3, 1)).toEqual({ batches: second, nextOffset: 4 });
  expect(fetch(2, 0)).toEqual({ batches: 0, nextOffset: 2 });
  expect(fetch(4, 1 << 20)).toEqual({ batches: 0, nextOffset: 4 });
});

test.each([-1, 2, Number.MAX_SAFE_INTEGER])(
  "offset %d of a partition that ends at 1 is OFFSET_OUT_OF_RANGE",
  async (offset) => {
    const cluster = await openCluster(memoryWorld());
    cluster.createTopic({ topic: "orders", partitions: 1 });
    await append(cluster, ORDERS_0, "only");
    expect(() => cluster.fetch(ORDERS_0, offset, { bytesMax: 1 })).toThrow(
      expect.objectContaining({
        code: "OFFSET_OUT_OF_RANGE",
        message: `offset ${offset} of orders-0 is not there; expected 0 to 1`,
        details: { offset, log_start_offset: 0, log_end_offset: 1 },
      }),
    );
  },
);

test("offsets are found by time: the earliest, the end, the first that is late enough, or none", async () => {
  const cluster = await openCluster(memoryWorld());
  cluster.createTopic({ topic: "orders", partitions: 1 });
  for (const timestampMs of [10, 30, 20, 40]) {
    await cluster.appendBatch(ORDERS_0, batchOf([`at ${timestampMs}`], timestampMs), { acks: 1 });
  }
  expect(cluster.listOffsets(ORDERS_0, -2)).toEqual({ offset: 0, timestampMs: null });
  expect(cluster.listOffsets(ORDERS_0, -1)).toEqual({ offset: 4, timestampMs: null });
  expect(cluster.listOffsets(ORDERS_0, 0)).toEqual({ offset: 0, timestampMs: 10 });
  expect(cluster.listOffsets(ORDERS_0, 11)).toEqual({ offset: 1, timestampMs: 30 });
  expect(cluster.listOffsets(ORDERS_0, 35)).toEqual({ offset: 3, timestampMs: 40 });
  expect(cluster.listOffsets(ORDERS_0, 41)).toEqual({ offset: null, timestampMs: null });
  expect(() => cluster.listOffsets(ORDERS_0, -3)).toThrow(
    expect.objectContaining({ code: "INVALID_REQUEST" }),
  );
});

test("what is not there is said by name", async () => {
  const cluster = await openCluster(memoryWorld());
  cluster.createTopic({ topic: "orders", partitions: 2 });
  for (const topic of ["payments", "\u001b[2J", "__proto__", "toString"]) {
    expect(cluster.hasTopic(topic)).toBe(false);
    expect(() => cluster.metadata(topic)).toThrow(expect.objectContaining({ code: "UNKNOWN_TOPIC" }));
    expect(() => cluster.deleteTopic(topic)).toThrow(expect.objectContaining({ code: "UNKNOWN_TOPIC" }));
    expect(await rejection(append(cluster, { topic, partition: 0 }, "x"))).toMatchObject({
      code: "UNKNOWN_TOPIC",
    });
  }
  for (const partition of [2, -1, 0.5]) {
    expect(() => cluster.fetch({ topic: "orders", partition }, 0, { bytesMax: 1 })).toThrow(
      expect.objectContaining({
        code: "UNKNOWN_PARTITION",
        message: `there is no partition ${partition} in "orders"; expected 0 to 1`,
      }),
    );
  }
});

test("a refused batch leaves the partition as it was", async () => {
  const cluster = await openCluster(memoryWorld());
  cluster.createTopic({ topic: "orders", partitions: 1, config: { max_message_bytes: 200 } });
  await append(cluster, ORDERS_0, "kept");
  const damaged = batchOf(["damaged"]);
  damaged.writeUInt8(damaged.readUInt8(70) ^ 1, 70);
  const refusals = [
    cluster.appendBatch(ORDERS_0, damaged, { acks: 1 }),
    cluster.appendBatch(ORDERS_0, batchOf(["x".repeat(200)]), { acks: 1 }),
    cluster.appendBatch(ORDERS_0, batchOf(["late"]), { acks: 1, leaderEpoch: 1 }),
  ];
  expect(await Promise.all(refusals.map(rejection))).toMatchObject([
    { code: "CORRUPT_BATCH" },
    { code: "RECORD_TOO_LARGE", details: { batch_bytes_max: 200 } },
    { code: "FENCED_LEADER_EPOCH", details: { requested: 1, leader_epoch: 0 } },
  ]);
  await cluster.appendBatch(ORDERS_0, batchOf(["after"]), { acks: 1, leaderEpoch: 0 });
  expect(valuesOf(cluster, ORDERS_0)).toEqual(["kept", "after"]);
});

test("partitions spread over the brokers, each in its broker's folder, and are described with their state", async () => {
  const world = memoryWorld();
  const cluster = await openCluster(world, { brokerIds: [1, 2] });
  cluster.createTopic({ topic: "orders", partitions: 3 });
  expect(cluster.metadata("orders")).toEqual({
    topic: "orders",
    partitions: [1, 2, 1].map((leaderId, partition) => ({
      partition,
      leaderId,
      leaderEpoch: 0,
      replicas: [leaderId],
      inSyncReplicas: [leaderId],
    })),
  });
  expect(world.disk.readFolder(`${FOLDER}/broker-1`).map(({ name }) => name)).toEqual([
    "broker-epoch.json",
    "orders-0",
    "orders-2",
  ]);
  expect(world.disk.readFolder(`${FOLDER}/broker-2`).map(({ name }) => name)).toEqual([
    "broker-epoch.json",
    "orders-1",
  ]);
  expect(cluster.describeCluster()).toEqual({
    clusterId: cluster.clusterId,
    brokers: [
      { brokerId: 1, state: "running", partitions: 2, offlinePartitions: 0, replicas: 2 },
      { brokerId: 2, state: "running", partitions: 1, offlinePartitions: 0, replicas: 1 },
    ],
    topics: 1,
    partitions: 3,
  });
  await append(cluster, ORDERS_1, "seen");
  expect(cluster.describePartition(ORDERS_1)).toMatchObject({
    ...ORDERS_1,
    leaderId: 2,
    leaderEpoch: 0,
    logStartOffset: 0,
    logEndOffset: 1,
    highWatermark: 1,
    lastStableOffset: 1,
    inSyncReplicas: [2],
    replicas: [{ brokerId: 2, logEndOffset: 1, isInSync: true, lastCaughtUpMs: null, isOnline: true }],
    segments: [{ baseOffset: 0, nextOffset: 1, active: true }],
    epochs: [{ epoch: 0, startOffset: 0 }],
  });
});

test("whoever waits at a partition is told of each append, and for the last time when it goes away", async () => {
  const cluster = await openCluster(memoryWorld());
  cluster.createTopic({ topic: "orders", partitions: 2 });
  const told: (number | string)[] = [];
  const look = () => {
    try {
      told.push(cluster.visibleEnd(ORDERS_0));
    } catch (problem) {
      told.push(problem instanceof Error && "code" in problem ? String(problem.code) : "?");
    }
  };
  const end = cluster.onVisible(ORDERS_0, look);
  await append(cluster, ORDERS_1, "elsewhere");
  await append(cluster, ORDERS_0, "here");
  end();
  await append(cluster, ORDERS_0, "unheard");
  cluster.onVisible(ORDERS_0, look);
  cluster.deleteTopic("orders");
  cluster.createTopic({ topic: "orders", partitions: 1 });
  await append(cluster, ORDERS_0, "another topic");
  cluster.onVisible(ORDERS_0, look);
  await cluster.close();
  expect(told).toEqual([1, "UNKNOWN_TOPIC", "SHUTTING_DOWN"]);
});

test("a deleted topic is gone with its files, and one created under its name is empty", async () => {
  const world = memoryWorld();
  const cluster = await openCluster(world);
  const first = cluster.createTopic({ topic: "orders", partitions: 2 });
  await append(cluster, ORDERS_0, "old", "all");
  cluster.deleteTopic("orders");
  expect(cluster.hasTopic("orders")).toBe(false);
  expect(world.disk.readFolder(`${FOLDER}/broker-1`).map(({ name }) => name)).toEqual(["broker-epoch.json"]);
  const second = cluster.createTopic({ topic: "orders", partitions: 1 });
  expect(second.topicId).not.toBe(first.topicId);
  expect(valuesOf(cluster, ORDERS_0)).toEqual([]);
  await append(cluster, ORDERS_0, "new", "all");
  world.disk.crash({ mode: "lost" });
  const again = await openCluster(world);
  expect(valuesOf(again, ORDERS_0)).toEqual(["new"]);
});
