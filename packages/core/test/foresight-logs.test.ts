/** When time alone makes retention or compaction due, to the millisecond; and what a damaged leader's log foretells. */
import { expect, test } from "vitest";
import type { BrokerCluster } from "../src/cluster/cluster.ts";
import type { RawTopicConfig } from "../src/cluster/topic-config.ts";
import { batchOf, FOLDER, openCluster } from "./cluster-world.ts";
import { keyed } from "./compaction-world.ts";
import { ORDERS, openReplicated, send } from "./replica-world.ts";
import { memoryWorld, START_MS, type World } from "./world.ts";

async function openTopic(world: World, config: RawTopicConfig): Promise<BrokerCluster> {
  const cluster = await openCluster(world);
  cluster.createTopic({ topic: "orders", partitions: 1, config });
  return cluster;
}

const operationsOf = (cluster: BrokerCluster) => cluster.foresight.steps().map(({ operation }) => operation);

/** Moves the clock to the first deadline, and returns in how many ms that was; nothing is due a millisecond before. */
function toDeadline({ clock }: World, cluster: BrokerCluster, what: string): number {
  const [next] = cluster.foresight.deadlines("orders");
  expect(next?.what).toBe(what);
  const inMs = (next?.dueMs ?? 0) - clock.nowMs();
  clock.advance(inMs - 1);
  expect(operationsOf(cluster)).toEqual([]);
  clock.advance(1);
  return inMs;
}

test("a segment is foretold to be closed when it is older than segment_ms, and to go when it is past retention_ms", async () => {
  const world = memoryWorld();
  const cluster = await openTopic(world, { segment_ms: 1000, retention_ms: 5000 });
  await cluster.appendBatch(ORDERS, batchOf(["a"], START_MS), { acks: "all" });
  expect(toDeadline(world, cluster, "retention")).toBe(1001);
  const [rolling] = cluster.foresight.steps();
  expect(rolling).toMatchObject({
    operation: "apply_retention",
    would: { logs: [{ rolls: true, segments: [] }] },
  });
  expect(await cluster.steps.applyRetention()).toMatchObject([
    { closed: { baseOffset: 0, nextOffset: 1 }, deleted: [] },
  ]);
  await cluster.steps.flushLogs();
  expect(toDeadline(world, cluster, "retention")).toBe(4000);
  const [removing] = cluster.foresight.steps();
  const gone = { baseOffset: 0, nextOffset: 1, reason: "time" };
  expect(removing).toMatchObject({
    would: { logs: [{ rolls: false, segments: [gone], logStartOffset: 1 }] },
  });
  expect(await cluster.steps.applyRetention()).toMatchObject([{ closed: null, deleted: [gone] }]);
  expect(cluster.foresight.deadlines("orders")).toEqual([]);
  await cluster.close();
});

test.each([
  ["min_compaction_lag_ms", { min_compaction_lag_ms: 1000, min_cleanable_dirty_ratio: 0 }, 1000],
  ["max_compaction_lag_ms", { max_compaction_lag_ms: 1000, min_cleanable_dirty_ratio: 1 }, 1001],
])("a compaction that waits for %s has a deadline, and is due then", async (_name, config, inMs) => {
  const world = memoryWorld();
  const cluster = await openTopic(world, { cleanup_policy: "compact", ...config });
  await cluster.appendBatch(ORDERS, keyed([["a", "1"]], START_MS), { acks: "all" });
  await cluster.steps.flushLogs();
  cluster.steps.rollSegment(ORDERS);
  await cluster.steps.flushLogs();
  await cluster.steps.compact(async () => {});
  await cluster.appendBatch(ORDERS, keyed([["a", "2"]], START_MS), { acks: "all" });
  cluster.steps.rollSegment(ORDERS);
  await cluster.steps.flushLogs();
  expect(toDeadline(world, cluster, "compaction")).toBe(inMs);
  expect(operationsOf(cluster)).toEqual(["compact"]);
  await cluster.close();
});

test("a round that the leader's damaged log refuses is foretold with the same words, and stays pending", async () => {
  const world = memoryWorld();
  const cluster = await openReplicated(world);
  await send(cluster, ["a", "b"]);
  const path = `${FOLDER}/broker-1/orders-0/00000000000000000000.log`;
  const file = world.disk.openFile(path);
  file.writeAt(20, Buffer.from([255, 255, 255, 255]));
  file.close();
  const [step] = cluster.foresight.steps("orders");
  if (step?.operation !== "replicate_once") throw new Error("a round is pending");
  const { problem } = step.would;
  expect(problem).toContain(path);
  expect(await cluster.replicateOnce(step.fields)).toMatchObject([{ problem, batches: 0 }]);
  expect(cluster.foresight.steps("orders")[0]).toMatchObject({ would: { problem } });
  await cluster.crash();
});

test("a member that lags is foretold to leave when its time is over, and the high watermark that moves thereby", async () => {
  const world = memoryWorld();
  const cluster = await openReplicated(world, { config: { replicaLagTimeMs: 500 } });
  await cluster.replicateOnce();
  await cluster.replicateOnce();
  await send(cluster, ["a"]);
  const lag = cluster.foresight.deadlines("orders").filter(({ what }) => what === "replica_lag_time");
  expect(lag).toMatchObject([{ brokerId: 2 }, { brokerId: 3 }]);
  await cluster.replicateOnce({ brokerId: 2 });
  world.clock.set(lag[0]?.dueMs ?? 0);
  const isr = cluster.foresight.steps("orders").find(({ operation }) => operation === "refresh_isr");
  expect(isr).toMatchObject({ would: { from: [1, 2, 3], to: [1, 2], highWatermark: 1 } });
  expect(cluster.refreshIsr()).toMatchObject([{ from: [1, 2, 3], to: [1, 2] }]);
  expect(cluster.replicaSet(ORDERS).highWatermark).toBe(1);
  await cluster.close();
});

test("after a start each follower has a round left in which it only tells its leader where it ends, and then none", async () => {
  const world = memoryWorld();
  const before = await openReplicated(world);
  await send(before, ["a"]);
  for (let round = 0; round < 2; round++) await before.replicateOnce();
  await before.close();
  const cluster = await openReplicated(world);
  const pending = () =>
    cluster.foresight.steps("orders").filter(({ operation }) => operation === "replicate_once");
  const same = { fromOffset: 1, logEndOffset: 1, batches: 0, highWatermark: 1, leaderHighWatermark: 1 };
  expect(pending()).toMatchObject([2, 3].map((brokerId) => ({ fields: { brokerId }, would: same })));
  await cluster.replicateOnce();
  expect(pending()).toEqual([]);
  await cluster.close();
});
