import { describe, expect, test } from "vitest";
import { openCluster, valuesOf } from "./cluster-world.ts";
import { commit, committed, OFFSETS_TOPIC, openOffsets } from "./offsets-world.ts";
import { memoryWorld, rejection, START_MS } from "./world.ts";

describe("committed offsets", () => {
  test("a group reads back what it committed, by topic and partition, with its metadata", async () => {
    const world = memoryWorld();
    const cluster = await openOffsets(world);
    cluster.createTopic({ topic: "audit", partitions: 1 });
    await commit(cluster, "billing", "orders:1=7", "orders:0=3 after lunch", "audit:0=0");
    expect(await committed(cluster, "billing")).toEqual([
      "audit:0=0",
      "orders:0=3 after lunch",
      "orders:1=7",
    ]);
    const [first] = await cluster.groups.committed({ groupId: "billing" });
    expect(first?.committedMs).toBe(START_MS);
    await cluster.close();
  });

  test("a commit replaces the one before it, forwards and backwards, and leaves other partitions and groups alone", async () => {
    const cluster = await openOffsets(memoryWorld());
    await commit(cluster, "billing", "orders:0=3", "orders:1=5");
    await commit(cluster, "shipping", "orders:0=100");
    await commit(cluster, "billing", "orders:0=9");
    expect(await committed(cluster, "billing")).toEqual(["orders:0=9", "orders:1=5"]);
    await commit(cluster, "billing", "orders:0=1");
    expect(await committed(cluster, "billing")).toEqual(["orders:0=1", "orders:1=5"]);
    expect(await committed(cluster, "shipping")).toEqual(["orders:0=100"]);
    await cluster.close();
  });

  test("a negative offset is kept as it is, also after a restart, and in the place of what stood there", async () => {
    const world = memoryWorld();
    let cluster = await openOffsets(world);
    await commit(cluster, "billing", "orders:0=3", "orders:1=5");
    const offsets = [
      { topic: "orders", partition: 0, offset: -2, metadata: null },
      { topic: "orders", partition: 2, offset: -1, metadata: null },
    ];
    await cluster.groups.commit({ groupId: "billing", member: null, offsets });
    const kept = ["orders:0=-2", "orders:1=5", "orders:2=-1"];
    expect(await committed(cluster, "billing")).toEqual(kept);
    await cluster.close();
    cluster = await openOffsets(world);
    expect(await committed(cluster, "billing")).toEqual(kept);
    await commit(cluster, "billing", "orders:0=4");
    expect(await committed(cluster, "billing")).toEqual(["orders:0=4", ...kept.slice(1)]);
    await cluster.close();
  });

  test("of partitions that were asked for, each has an answer, also where nothing is committed", async () => {
    const cluster = await openOffsets(memoryWorld());
    await commit(cluster, "billing", "orders:2=4");
    const asked = [
      { topic: "orders", partition: 3 },
      { topic: "orders", partition: 2 },
      { topic: "nowhere", partition: 0 },
    ];
    expect(await committed(cluster, "billing", asked)).toEqual(["orders:3=-", "orders:2=4", "nowhere:0=-"]);
    await cluster.close();
  });

  test("survive a clean restart and a crash", async () => {
    const world = memoryWorld();
    let cluster = await openOffsets(world);
    await commit(cluster, "billing", "orders:0=3 note");
    await cluster.close();
    cluster = await openOffsets(world);
    expect(await committed(cluster, "billing")).toEqual(["orders:0=3 note"]);
    await commit(cluster, "billing", "orders:0=4");
    await cluster.crash();
    world.disk.crash({ mode: "lost" });
    cluster = await openOffsets(world);
    expect(await committed(cluster, "billing")).toEqual(["orders:0=4"]);
    await cluster.close();
  });

  test("the internal topic is made by the first commit, not by a question or a refused request", async () => {
    const cluster = await openCluster(memoryWorld(), { brokerIds: [1, 2] });
    cluster.createTopic({ topic: "orders", partitions: 1 });
    expect(await committed(cluster, "billing")).toEqual([]);
    expect(await rejection(commit(cluster, "billing", "nowhere:0=1"))).toMatchObject({
      code: "UNKNOWN_TOPIC",
    });
    expect(await cluster.groups.expireOffsets()).toEqual([]);
    await commit(cluster, "billing");
    expect(cluster.hasTopic(OFFSETS_TOPIC)).toBe(false);
    const both = Promise.all([
      commit(cluster, "billing", "orders:0=1"),
      commit(cluster, "shipping", "orders:0=2"),
    ]);
    while (cluster.describeCluster().topics < 2) await new Promise(setImmediate);
    await cluster.replicateOnce();
    await cluster.replicateOnce();
    await both;
    expect(cluster.describeTopic(OFFSETS_TOPIC)).toMatchObject({
      partitions: 4,
      replicationFactor: 2,
      config: { cleanup_policy: "compact" },
    });
    await cluster.close();
  });

  test("a commit is one batch of JSON records that anybody can read", async () => {
    const cluster = await openOffsets(memoryWorld());
    await commit(cluster, "billing", "orders:0=3", "orders:1=5");
    const { topicId } = cluster.describeTopic("orders");
    const values = valuesOf(cluster, { topic: OFFSETS_TOPIC, partition: 0 });
    expect(values).toEqual(
      [3, 5].map((offset) =>
        JSON.stringify({ version: 1, offset, metadata: null, committed_ms: START_MS, topic_id: topicId }),
      ),
    );
    await cluster.close();
  });
});
