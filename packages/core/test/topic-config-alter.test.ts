/** Settings that change while a topic is in use: at once, all or none, and for good. */
import { decodeRecords, readBatchHeader, splitFrames } from "@minikafka/record";
import { expect, test } from "vitest";
import type { BrokerCluster } from "../src/cluster/cluster.ts";
import { SeededRandom } from "../src/env/random.ts";
import { append, batchOf, openCluster, valuesOf } from "./cluster-world.ts";
import { memoryWorld, rejection, START_MS, type World, worldOn } from "./world.ts";

const ORDERS = { topic: "orders", partition: 0 };

async function opened(world: World, config = {}): Promise<BrokerCluster> {
  const cluster = await openCluster(world);
  cluster.createTopic({ topic: "orders", partitions: 2, config });
  return cluster;
}

/** What the topic says of its own. */
function ownConfig(cluster: BrokerCluster): object {
  return cluster.describeTopic("orders").config;
}

test("every setting is described, its own value before the default, with what Kafka calls it", async () => {
  const cluster = await opened(memoryWorld(), { retention_ms: 1000 });
  const described = cluster.describeConfig("orders");
  expect(described).toHaveLength(13);
  expect(described.filter(({ source }) => source === "topic")).toEqual([
    {
      name: "retention_ms",
      value: 1000,
      source: "topic",
      defaultValue: 604_800_000,
      kafkaName: "retention.ms",
      meaning: expect.any(String),
    },
  ]);
  expect(described.find(({ name }) => name === "segment_bytes")).toMatchObject({
    value: 1_048_576,
    source: "default",
  });
  expect(() => cluster.describeConfig("nowhere")).toThrow(expect.objectContaining({ code: "UNKNOWN_TOPIC" }));
});

test("the keys that are given change, null takes a value back, and the others stay", async () => {
  const world = memoryWorld();
  const cluster = await opened(world, { retention_ms: 1000, segment_ms: 5 });
  cluster.alterConfig("orders", { retention_ms: "2000", segment_ms: null, cleanup_policy: "delete,compact" });
  expect(ownConfig(cluster)).toEqual({ retention_ms: 2000, cleanup_policy: "compact,delete" });
  expect(world.events.of("config_altered")).toEqual([
    {
      kind: "config_altered",
      topic: "orders",
      changes: { retention_ms: 2000, segment_ms: null, cleanup_policy: "compact,delete" },
    },
  ]);
  cluster.alterConfig("orders", { retention_bytes: null });
  expect(ownConfig(cluster)).toEqual({ retention_ms: 2000, cleanup_policy: "compact,delete" });
});

test("one bad key or value refuses the whole change", async () => {
  const world = memoryWorld();
  const cluster = await opened(world, { retention_ms: 1000 });
  for (const bad of [{ segment_ms: 0 }, { nonsense: 1 }, { nonsense: null }, { "retention.ms": 5 }]) {
    expect(() => cluster.alterConfig("orders", { retention_ms: 2000, ...bad })).toThrow(
      expect.objectContaining({ code: "INVALID_CONFIG" }),
    );
  }
  expect(() => cluster.alterConfig("nowhere", {})).toThrow(
    expect.objectContaining({ code: "UNKNOWN_TOPIC" }),
  );
  expect(ownConfig(cluster)).toEqual({ retention_ms: 1000 });
  expect(world.events.of("config_altered")).toEqual([]);
});

test("a change holds at once: for the size of a batch and of a segment", async () => {
  const cluster = await opened(memoryWorld());
  const large = "x".repeat(2000);
  await append(cluster, ORDERS, large);
  cluster.alterConfig("orders", { max_message_bytes: 1000, segment_bytes: 1024 });
  expect(await rejection(append(cluster, ORDERS, large))).toMatchObject({
    code: "RECORD_TOO_LARGE",
    details: { batch_bytes_max: 1000 },
  });
  await append(cluster, ORDERS, "small");
  expect(cluster.describePartition(ORDERS).segments).toHaveLength(2);
  cluster.alterConfig("orders", { max_message_bytes: null });
  await append(cluster, ORDERS, large);
});

test("with fewer in sync than min_insync_replicas, acks all is refused before the append; acks 1 is not", async () => {
  const cluster = await opened(memoryWorld(), { min_insync_replicas: 2 });
  expect(await rejection(append(cluster, ORDERS, "refused", "all"))).toMatchObject({
    code: "NOT_ENOUGH_REPLICAS",
    message: "in sync at orders-0 are 1 (1); expected at least 2 (min_insync_replicas)",
    details: { in_sync_replicas: 1, min_insync_replicas: 2 },
  });
  expect(cluster.describeOffsets(ORDERS)).toEqual({ logEndOffset: 0, visibleEnd: 0 });
  await append(cluster, ORDERS, "taken", 1);
  cluster.alterConfig("orders", { min_insync_replicas: null });
  await append(cluster, ORDERS, "acknowledged", "all");
  expect(valuesOf(cluster, ORDERS)).toEqual(["taken", "acknowledged"]);
});

test("with LogAppendTime every record of a batch has the leader's time, and is found by it", async () => {
  const world = memoryWorld();
  const cluster = await opened(world, { message_timestamp_type: "LogAppendTime" });
  const appended = await cluster.appendBatch(ORDERS, batchOf(["a", "b"], 5), { acks: 1 });
  expect(appended).toEqual({ baseOffset: 0, nextOffset: 2, appendTimeMs: START_MS, duplicate: false });
  world.clock.advance(1000);
  await append(cluster, ORDERS, "c");
  cluster.alterConfig("orders", { message_timestamp_type: "CreateTime" });
  expect(await cluster.appendBatch(ORDERS, batchOf(["d"], 7), { acks: 1 })).toMatchObject({
    appendTimeMs: null,
    duplicate: false,
  });

  const frames = splitFrames(cluster.fetch(ORDERS, 0, { bytesMax: 1 << 20 }).batches);
  expect(frames.map((frame) => readBatchHeader(frame).timestampType)).toEqual(["append", "append", "create"]);
  expect(frames.flatMap(decodeRecords).map(({ timestampMs }) => timestampMs)).toEqual([
    START_MS,
    START_MS,
    START_MS + 1000,
    7,
  ]);
  expect(cluster.listOffsets(ORDERS, 8)).toEqual({ offset: 0, timestampMs: START_MS });
  expect(cluster.listOffsets(ORDERS, START_MS + 1)).toEqual({ offset: 2, timestampMs: START_MS + 1000 });
  expect(cluster.listOffsets(ORDERS, START_MS + 1001)).toEqual({ offset: null, timestampMs: null });
});

test("whatever instant a change dies at, the old settings hold or the new, and all of them", async () => {
  const world = memoryWorld();
  const before = { retention_ms: 1000, segment_ms: 5 };
  const after = { retention_ms: 2000, min_insync_replicas: 2 };
  const cluster = await opened(world, before);
  await append(cluster, ORDERS, "durable", "all");
  const instants = [];
  const end = world.disk.beforeChange(() => void instants.push(world.disk.clone()));
  cluster.alterConfig("orders", { retention_ms: 2000, segment_ms: null, min_insync_replicas: 2 });
  end();
  instants.push(world.disk.clone());
  expect(instants.length).toBeGreaterThan(3);
  const seen = new Set<string>();
  for (const [index, instant] of instants.entries()) {
    const modes = [
      { mode: "kept" },
      { mode: "lost" },
      { mode: "torn", random: new SeededRandom(1) },
      { mode: "scattered", random: new SeededRandom(2) },
    ] as const;
    for (const crash of modes) {
      const disk = instant.clone();
      disk.crash(crash);
      const reopened = await openCluster(worldOn(disk, 9));
      const own = ownConfig(reopened);
      const isLast = index === instants.length - 1;
      expect(isLast ? [after] : [before, after], `instant ${index}, ${crash.mode}`).toContainEqual(own);
      expect(valuesOf(reopened, ORDERS)).toEqual(["durable"]);
      seen.add(JSON.stringify(own));
      reopened.alterConfig("orders", { retention_ms: null });
    }
  }
  expect(seen.size).toBe(2);
});

test("a change that the disk refuses is not made, and can be tried again", async () => {
  const world = memoryWorld();
  const cluster = await opened(world, { retention_ms: 1000 });
  world.faults.arm({ point: "topic.alter.before_metadata", action: "error" });
  const failure = world.disk.fail({ operation: "write", code: "ENOSPC", path: /metadata/ });
  for (const _attempt of ["at the point", "at the file"]) {
    expect(() => cluster.alterConfig("orders", { retention_ms: 2000 })).toThrow(
      expect.objectContaining({ code: "STORAGE_ERROR" }),
    );
    expect(ownConfig(cluster)).toEqual({ retention_ms: 1000 });
  }
  failure.assertFired();
  expect(world.events.of("fault_fired")).toHaveLength(1);
  cluster.alterConfig("orders", { retention_ms: 2000 });
  expect(ownConfig(cluster)).toEqual({ retention_ms: 2000 });
});

test("a process that dies after the metadata comes back with the change, which was not answered", async () => {
  const world = memoryWorld();
  const cluster = await opened(world);
  const rule = world.faults.arm({ point: "topic.alter.after_metadata", action: "crash" });
  expect(() => cluster.alterConfig("orders", { retention_ms: 2000 })).toThrow("crashed at");
  expect(rule.hits).toBe(1);
  const disk = world.disk.clone();
  disk.crash({ mode: "lost" });
  expect(ownConfig(await openCluster(worldOn(disk)))).toEqual({ retention_ms: 2000 });
});

test("a change by which a topic's settings would contradict each other is refused, and changes nothing", async () => {
  const cluster = await opened(memoryWorld(), { max_compaction_lag_ms: 1000 });
  for (const min_compaction_lag_ms of [1001, "5000"]) {
    const change = () => cluster.alterConfig("orders", { min_compaction_lag_ms, retention_ms: 1 });
    expect(change).toThrow("expected at most 1000, which max_compaction_lag_ms is");
  }
  const own = () => cluster.describeConfig("orders").filter(({ source }) => source === "topic");
  expect(own()).toMatchObject([{ name: "max_compaction_lag_ms", value: 1000 }]);
  cluster.alterConfig("orders", { min_compaction_lag_ms: 1001, max_compaction_lag_ms: null });
  expect(own()).toMatchObject([{ name: "min_compaction_lag_ms", value: 1001 }]);
});
