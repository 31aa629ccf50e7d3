/** The background work of a cluster: over many logs, each by itself. */
import { encodeBatch } from "@minikafka/record";
import { expect, test } from "vitest";
import type { BrokerCluster } from "../src/cluster/cluster.ts";
import { openCluster, valuesOf } from "./cluster-world.ts";
import { memoryWorld, rejection } from "./world.ts";

const noPause = async () => {};

/** Appends a record with the key "k" for each value. */
async function appendKeyed(cluster: BrokerCluster, topic: string, partition: number, values: string[]) {
  for (const value of values) {
    const record = { key: Buffer.from("k"), value: Buffer.from(value), timestampMs: 1, headers: [] };
    await cluster.appendBatch({ topic, partition }, encodeBatch({ records: [record] }), { acks: 1 });
  }
}

/** A topic of two partitions, each with a closed segment in which "1" is replaced by "2". */
async function compactible(cluster: BrokerCluster, topic: string): Promise<void> {
  const config = { cleanup_policy: "compact", segment_bytes: 1024 };
  cluster.createTopic({ topic, partitions: 2, config });
  for (const partition of [0, 1]) await appendKeyed(cluster, topic, partition, ["1", "2", "3".repeat(1000)]);
  await cluster.steps.flushLogs();
}

function lengthsOf(cluster: BrokerCluster, topic: string): number[] {
  return [0, 1].map((partition) => valuesOf(cluster, { topic, partition }).length);
}

test("a log that fails stops no other's step, and is told after all were tried", async () => {
  const world = memoryWorld();
  const cluster = await openCluster(world);
  await compactible(cluster, "orders");
  const rule = world.faults.arm({
    point: "log.compact.before_create",
    action: "error",
    site: { topic: "orders", partition: 0 },
  });
  expect(await rejection(cluster.steps.compact(noPause))).toMatchObject({ code: "STORAGE_ERROR" });
  expect(rule.hits).toBe(1);
  expect(lengthsOf(cluster, "orders")).toEqual([3, 2]);
  expect(await cluster.steps.compact(noPause)).toMatchObject([{ place: { topic: "orders", partition: 0 } }]);
  expect(lengthsOf(cluster, "orders")).toEqual([2, 2]);
});

test("a step is for the topic that it is given, and for those that there are", async () => {
  const cluster = await openCluster(memoryWorld());
  await compactible(cluster, "orders");
  await compactible(cluster, "payments");
  expect(await rejection(cluster.steps.compact(noPause, "nowhere"))).toMatchObject({ code: "UNKNOWN_TOPIC" });
  expect(await cluster.steps.compact(noPause, "payments")).toHaveLength(2);
  expect([lengthsOf(cluster, "orders"), lengthsOf(cluster, "payments")]).toEqual([
    [3, 3],
    [2, 2],
  ]);
});

/** Lets everything run that needs no disk. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 50; turn++) await Promise.resolve();
}

test("a topic that is deleted during a step spoils it for no other", async () => {
  const world = memoryWorld();
  const cluster = await openCluster(world);
  for (const topic of ["a", "b"]) await compactible(cluster, topic);
  world.disk.holdSyncs();
  const step = cluster.steps.compact(noPause);
  await settle();
  expect(world.events.of("compaction_started")).toMatchObject([{ topic: "a", partition: 0 }]);
  cluster.deleteTopic("a");
  world.disk.releaseSyncs();
  expect((await step).map(({ place }) => [place.topic, place.partition])).toEqual([
    ["b", 0],
    ["b", 1],
  ]);
});

test("a close during a step ends it, and the step tells of no problem", async () => {
  const world = memoryWorld();
  const cluster = await openCluster(world);
  await compactible(cluster, "orders");
  world.disk.holdSyncs();
  const step = cluster.steps.compact(noPause);
  await settle();
  expect(world.events.of("compaction_started")).toHaveLength(1);
  const closed = cluster.close();
  world.disk.releaseSyncs();
  expect(await step).toEqual([]);
  await closed;
  expect(cluster.state).toBe("closed");
  expect(await rejection(cluster.steps.compact(noPause))).toMatchObject({ code: "SHUTTING_DOWN" });
});

/** Steps that go over every log, and which log's disk they wait for with the syncs held back. */
const STEPS: Record<string, (cluster: BrokerCluster) => Promise<unknown>> = {
  apply_retention: (cluster) => cluster.steps.applyRetention(),
  compact: (cluster) => cluster.steps.compact(noPause),
  flush_logs: (cluster) => cluster.steps.flushLogs(),
};

test.each(
  Object.keys(STEPS).flatMap((step) =>
    [1, 2].flatMap((brokerId) => [true, false].map((first) => [step, brokerId, first] as const)),
  ),
)(
  "the step %s and a stop of broker %i in one turn (the step first: %s) are no failure of the step",
  async (name, brokerId, isFirst) => {
    const world = memoryWorld();
    const cluster = await openCluster(world, { brokerIds: [1, 2], segmentBytes: 1024 });
    const config = { cleanup_policy: "compact,delete", retention_bytes: 1 };
    cluster.createTopic({ topic: "orders", partitions: 3, replicationFactor: 2, config });
    for (const partition of [0, 1, 2])
      await appendKeyed(cluster, "orders", partition, ["1", "2", "3".repeat(1000)]);
    for (let round = 0; round < 3; round++) await cluster.replicateOnce();
    await cluster.steps.flushLogs();
    for (const partition of [0, 1, 2]) await appendKeyed(cluster, "orders", partition, ["4"]);
    world.disk.holdSyncs();
    const act = () => STEPS[name]?.(cluster);
    const stop = () => cluster.stopBroker(brokerId);
    const [one, two] = isFirst ? [act(), stop()] : [stop(), act()];
    await settle();
    world.disk.releaseSyncs();
    await expect(isFirst ? one : two).resolves.not.toThrow();
    expect(await (isFirst ? two : one)).toEqual({ brokerId, clean: true });
  },
);

/** Three replicas of a log with work for every step. Broker 3 led last, and alone has a record that it must give up. */
async function withOneToCut(): Promise<BrokerCluster> {
  const cluster = await openCluster(memoryWorld(), { brokerIds: [1, 2, 3], segmentBytes: 1024 });
  const config = { cleanup_policy: "compact,delete", retention_bytes: 1 };
  const place = { topic: "orders", partition: 0 };
  cluster.createTopic({ topic: "orders", partitions: 1, replicationFactor: 3, config });
  await appendKeyed(cluster, "orders", 0, ["1", "2", "3".repeat(1000), "4"]);
  for (let round = 0; round < 3; round++) await cluster.replicateOnce();
  await cluster.steps.flushLogs();
  await cluster.promote(place, 3);
  await appendKeyed(cluster, "orders", 0, ["of broker 3 alone"]);
  await cluster.promote(place, 1);
  return cluster;
}

test.each(Object.keys(STEPS))(
  "a replica that begins to cut its log while the step %s works on others', at whatever turn, is no failure of the step",
  async (name) => {
    for (let turns = 0; turns <= 200; turns += 10) {
      const cluster = await withOneToCut();
      const step = Promise.allSettled([STEPS[name]?.(cluster)]);
      for (let turn = 0; turn < turns; turn++) await Promise.resolve();
      const round = cluster.replicateOnce({ brokerId: 3 });
      expect([turns, ...(await step)]).toMatchObject([turns, { status: "fulfilled" }]);
      expect(await round).toMatchObject([{ brokerId: 3, truncatedTo: 4, problem: null }]);
    }
  },
);

test("delete_records at a leader whose broker stops meanwhile is LEADER_NOT_AVAILABLE, which may be tried again", async () => {
  const world = memoryWorld();
  const place = { topic: "orders", partition: 0 };
  const cluster = await openCluster(world);
  cluster.createTopic({ topic: "orders", partitions: 1 });
  await appendKeyed(cluster, "orders", 0, ["1", "2"]);
  world.disk.holdSyncs();
  const deleted = rejection(cluster.deleteRecords(place, "high_watermark"));
  const stopped = cluster.stopBroker(1);
  await settle();
  world.disk.releaseSyncs();
  expect(await deleted).toMatchObject({ code: "LEADER_NOT_AVAILABLE" });
  await stopped;
  await cluster.startBroker(1);
  expect(await cluster.deleteRecords(place, "high_watermark")).toBe(2);
});
