/** Follower-fetch rounds: what is copied, what each replica knows, and what one follower's trouble does to others. */
import { expect, test } from "vitest";
import { batchOf } from "./cluster-world.ts";
import { inSyncOf, marksOf, ORDERS, openReplicated, send, valuesOn } from "./replica-world.ts";
import { memoryWorld } from "./world.ts";

test("what only the leader has is not visible, and one round makes it so", async () => {
  const cluster = await openReplicated(memoryWorld(), { brokers: 2 });
  await send(cluster, ["created"]);
  expect(cluster.describeOffsets(ORDERS)).toEqual({ logEndOffset: 1, visibleEnd: 0 });
  expect(cluster.fetch(ORDERS, 0, { bytesMax: 1 << 20 }).batches).toHaveLength(0);
  const [round] = await cluster.replicateOnce();
  expect(round).toMatchObject({ ...ORDERS, brokerId: 2, batches: 1, truncatedTo: null, problem: null });
  expect(cluster.describeOffsets(ORDERS)).toEqual({ logEndOffset: 1, visibleEnd: 1 });
  expect(valuesOn(cluster, 2)).toEqual(["created"]);
});

test("a follower hears of the high watermark only with its next fetch", async () => {
  const cluster = await openReplicated(memoryWorld());
  await send(cluster, ["a", "b"]);
  expect(marksOf(cluster)).toEqual(["2/0", "0/0", "0/0"]);
  await cluster.replicateOnce();
  expect(marksOf(cluster)).toEqual(["2/2", "2/0", "2/0"]);
  expect(await cluster.replicateOnce()).toEqual([]);
  expect(marksOf(cluster)).toEqual(["2/2", "2/2", "2/2"]);
});

test("followers hold the leader's bytes, segment borders and epochs included", async () => {
  const world = memoryWorld();
  const cluster = await openReplicated(world, { config: { segmentBytes: 1024 } });
  for (let n = 0; n < 100; n++) await send(cluster, [`value ${n}`]);
  await cluster.replicateOnce();
  const filesOf = (brokerId: number) =>
    [...world.disk.files()]
      .filter(([path]) => path.includes(`broker-${brokerId}/orders-0/`) && path.endsWith(".log"))
      .map(([path, bytes]) => [path.split("/").at(-1), Buffer.from(bytes).toString("hex")]);
  expect(filesOf(1).length).toBeGreaterThan(5);
  expect(filesOf(2)).toEqual(filesOf(1));
  expect(filesOf(3)).toEqual(filesOf(1));
});

test("a round copies whole batches up to its budget, over segment borders, and always one", async () => {
  const batchBytes = batchOf(["x".repeat(100)]).length;
  const cluster = await openReplicated(memoryWorld(), {
    brokers: 2,
    config: { replicaFetchMaxBytes: 3 * batchBytes + 10, segmentBytes: 1024 },
  });
  for (let n = 0; n < 10; n++) await send(cluster, ["x".repeat(100)]);
  const copied = async () => (await cluster.replicateOnce()).map(({ batches, bytes }) => [batches, bytes]);
  expect(await copied()).toEqual([[3, 3 * batchBytes]]);
  expect(await copied()).toEqual([[3, 3 * batchBytes]]);
  expect(marksOf(cluster)).toEqual(["10/6", "6/3"]);
  await send(cluster, ["y".repeat(1000)]);
  expect(await copied()).toEqual([[3, 3 * batchBytes]]);
  expect(await copied()).toEqual([[1, batchBytes]]);
  expect(await copied()).toEqual([[1, batchOf(["y".repeat(1000)]).length]]);
  expect(await copied()).toEqual([]);
});

test("a step is for all partitions and followers, or for those that it names", async () => {
  const cluster = await openReplicated(memoryWorld());
  cluster.createTopic({ topic: "other", partitions: 2, replicationFactor: 2 });
  const other = { topic: "other", partition: 1 };
  await send(cluster, ["a"]);
  await send(cluster, ["b"], 1, other);
  const places = async (filter: object) =>
    (await cluster.replicateOnce(filter)).map((each) => `${each.topic}-${each.partition}@${each.brokerId}`);
  expect(await places({ topic: "orders", partition: 0, brokerId: 3 })).toEqual(["orders-0@3"]);
  expect(await places({ topic: "other", partition: 0 })).toEqual([]);
  expect(await places({ brokerId: 3 })).toEqual(["other-1@3"]);
  expect(await places({})).toEqual(["orders-0@2"]);
  await expect(cluster.replicateOnce({ topic: "gone" })).rejects.toMatchObject({ code: "UNKNOWN_TOPIC" });
  await expect(cluster.replicateOnce({ topic: "orders", partition: 7 })).rejects.toMatchObject({
    code: "UNKNOWN_PARTITION",
  });
});

test("one follower's trouble stops neither the other follower nor the other partition", async () => {
  const world = memoryWorld();
  const cluster = await openReplicated(world);
  cluster.createTopic({ topic: "zeta", partitions: 1, replicationFactor: 3 });
  await send(cluster, ["a"]);
  await send(cluster, ["b"], 1, { topic: "zeta", partition: 0 });
  const site = { brokerId: 2, topic: "orders", partition: 0 };
  const fault = world.faults.arm({ point: "log.append.before_write", action: "error", site });
  const rounds = await cluster.replicateOnce();
  expect(fault.hits).toBe(1);
  expect(
    rounds.map(({ topic, brokerId, batches, problem }) => [topic, brokerId, batches, problem !== null]),
  ).toEqual([
    ["orders", 2, 0, true],
    ["orders", 3, 1, false],
    ["zeta", 2, 1, false],
    ["zeta", 3, 1, false],
  ]);
  expect(world.events.of("replication_failed")).toMatchObject([{ ...site, leaderId: 1 }]);
  expect(marksOf(cluster)).toEqual(["1/0", "0/0", "1/0"]);
  await cluster.replicateOnce();
  expect(marksOf(cluster)).toEqual(["1/1", "1/0", "1/0"]);
});

test("damage on the leader's disk is not copied, and followers keep what they have", async () => {
  const world = memoryWorld();
  const cluster = await openReplicated(world, { brokers: 2 });
  await send(cluster, ["whole"]);
  await cluster.replicateOnce();
  await send(cluster, ["damaged"]);
  const path = [...world.disk.files().keys()].find((each) => each.includes("broker-1/orders-0/0"));
  const file = world.disk.openFile(path ?? "");
  const position = file.sizeBytes() - 3;
  const [byte = 0] = file.readAt(position, 1);
  file.writeAt(position, Buffer.from([byte ^ 1]));
  const [round] = await cluster.replicateOnce();
  expect(round?.problem).toMatch(/CRC/);
  expect(valuesOn(cluster, 2)).toEqual(["whole"]);
  expect([marksOf(cluster), inSyncOf(cluster)]).toEqual([
    ["2/1", "1/1"],
    [1, 2],
  ]);
});
