import { describe, expect, test } from "vitest";
import type { BrokerCluster } from "../src/cluster/cluster.ts";
import { BrokerError } from "../src/errors.ts";
import { openCluster } from "./cluster-world.ts";
import { counterRecord, countOf, decidedOn, increment, PLACE, shardOn } from "./coordinator-world.ts";
import { outcomeOf, settle } from "./replica-world.ts";
import { memoryWorld, rejection, type World } from "./world.ts";

async function openCounters(world: World, replicationFactor = 1): Promise<BrokerCluster> {
  const brokerIds = Array.from({ length: replicationFactor }, (_, index) => index + 1);
  const cluster = await openCluster(world, { brokerIds });
  if (!cluster.hasTopic("counters")) cluster.createTopic({ ...PLACE, partitions: 1, replicationFactor });
  return cluster;
}

describe("a shard", () => {
  test("decides on what was appended, acknowledged or not, in the order of the calls, and tells what is acknowledged", async () => {
    const world = memoryWorld();
    const cluster = await openCounters(world, 2);
    const shard = shardOn(cluster, world);
    await countOf(shard, "a");
    const counts = [increment(shard, "a"), increment(shard, "b"), increment(shard, "a")];
    expect(await countOf(shard, "a")).toBe(0);
    await cluster.replicateOnce();
    await cluster.replicateOnce();
    expect(await Promise.all(counts)).toEqual([1, 1, 2]);
    expect(await countOf(shard, "a")).toBe(2);
    await cluster.close();
  });

  test("an answer without records waits for the ones that it may rest on", async () => {
    const world = memoryWorld();
    const cluster = await openCounters(world, 2);
    const shard = shardOn(cluster, world);
    expect(await decidedOn(shard, "a")).toBe(0);
    const counted = increment(shard, "a");
    const decided = decidedOn(shard, "a");
    expect(await outcomeOf(decided)).toBe("pending");
    await cluster.replicateOnce();
    await cluster.replicateOnce();
    expect(await decided).toBe(1);
    expect(await counted).toBe(1);
    await cluster.close();
  });

  test("tells nothing of what a process wrote and did not live to sync before it is synced", async () => {
    const world = memoryWorld();
    const dying = await openCounters(world);
    world.disk.holdSyncs();
    const counted = rejection(increment(shardOn(dying, world), "a"));
    await settle();
    await dying.crash();
    world.disk.crash({ mode: "kept" });
    expect(await counted).toBeInstanceOf(BrokerError);
    const next = await openCounters(world);
    const told = await countOf(shardOn(next, world), "a");
    await next.crash();
    world.disk.crash({ mode: "lost" });
    const last = await openCounters(world);
    expect([told, await countOf(shardOn(last, world), "a")]).toEqual([1, 1]);
    await last.close();
  });

  test("asks again for an acknowledgement that was refused, so that nobody is stuck behind it", async () => {
    const world = memoryWorld();
    const cluster = await openCluster(world, { brokerIds: [1, 2] });
    const config = { min_insync_replicas: 2 };
    cluster.createTopic({ ...PLACE, partitions: 1, replicationFactor: 2, config });
    const shard = shardOn(cluster, world);
    const counted = rejection(increment(shard, "a"));
    await settle();
    cluster.removeFromIsr(PLACE, 2);
    expect(await counted).toMatchObject({ code: "NOT_ENOUGH_REPLICAS_AFTER_APPEND" });
    expect(await countOf(shard, "a")).toBe(0);
    expect(await rejection(increment(shard, "a"))).toMatchObject({ code: "NOT_ENOUGH_REPLICAS" });
    await cluster.rejoin(PLACE, 2);
    const decided = decidedOn(shard, "a");
    await cluster.replicateOnce();
    await cluster.replicateOnce();
    expect(await decided).toBe(1);
    expect(await countOf(shard, "a")).toBe(1);
    await cluster.close();
  });

  test("writes nothing for a decision that throws, or for a record that it would not understand", async () => {
    const world = memoryWorld();
    const cluster = await openCounters(world);
    const shard = shardOn(cluster, world);
    const refusing = shard.write(() => {
      throw new BrokerError("UNKNOWN_GROUP", "no");
    });
    expect(await rejection(refusing)).toMatchObject({ code: "UNKNOWN_GROUP" });
    const forged = { key: { kind: "counter", name: "a" }, value: {} };
    const wrong = shard.write(() => ({ records: [counterRecord("a", 1), forged], answer: 0 }));
    expect(String(await rejection(wrong))).toContain("it has no count");
    expect(cluster.describeOffsets(PLACE).logEndOffset).toBe(0);
    expect(await increment(shard, "a")).toBe(1);
    await cluster.close();
  });

  test("loads once for all who ask meanwhile, in slices that give way, with each record in its order", async () => {
    const world = memoryWorld();
    const cluster = await openCounters(world);
    const first = shardOn(cluster, world);
    for (let count = 1; count <= 30; count += 1) {
      await increment(first, `n${count % 3}`);
      if (count % 10 === 0) cluster.steps.rollSegment(PLACE);
    }
    const turns: string[] = [];
    const pause = async () => {
      turns.push("pause");
      await Promise.resolve();
    };
    const again = shardOn(cluster, { ...world, pause } as World);
    const answers = await Promise.all([countOf(again, "n0"), countOf(again, "n1"), increment(again, "n2")]);
    expect(answers).toEqual([10, 10, 11]);
    // A read ends with its segment.
    expect(turns).toHaveLength(3);
    expect(world.events.of("coordinator_loaded").at(-1)).toMatchObject({
      ...{ startOffset: 0, endOffset: 30, records: 30, leaderEpoch: 0, brokerId: 1 },
      ...PLACE,
    });
    const history = await again.read(({ counter }) => counter.history.slice(0, 4));
    expect(history).toEqual(["restore n1=1", "restore n2=1", "restore n0=1", "restore n1=2"]);
    await cluster.close();
  });

  test("begins its loading anew when the leadership moves in the middle of it", async () => {
    const world = memoryWorld();
    const cluster = await openCounters(world, 2);
    const shard = shardOn(cluster, world);
    const counted = [increment(shard, "a"), increment(shard, "a")];
    await settle();
    await cluster.replicateOnce();
    await cluster.replicateOnce();
    await Promise.all(counted);
    let pauses = 0;
    const pause = async () => {
      pauses += 1;
      if (pauses === 1) await cluster.promote(PLACE, 2);
    };
    const again = shardOn(cluster, { ...world, pause } as World);
    expect(await countOf(again, "a")).toBe(2);
    expect(pauses).toBe(2);
    expect(world.events.of("coordinator_loaded").map(({ brokerId }) => brokerId)).toEqual([1, 2]);
    await cluster.close();
  });

  test("a caller who gives up during the loading has changed nothing, and the others are served", async () => {
    const world = memoryWorld();
    const cluster = await openCounters(world);
    await increment(shardOn(cluster, world), "a");
    const time = new AbortController();
    const pause = async () => time.abort();
    const shard = shardOn(cluster, { ...world, pause } as World);
    const [given, kept] = await Promise.all([
      rejection(increment(shard, "a", time.signal)),
      increment(shard, "a"),
    ]);
    expect(given).toMatchObject({ code: "REQUEST_TIMED_OUT", message: "counters-0 did not end in time" });
    expect(kept).toBe(2);
    expect(await rejection(increment(shard, "a", AbortSignal.abort()))).toMatchObject({
      code: "REQUEST_TIMED_OUT",
    });
    expect(await decidedOn(shard, "a")).toBe(2);
    await cluster.close();
  });

  test("whoever waits for it while the cluster closes is told so", async () => {
    const world = memoryWorld();
    const cluster = await openCounters(world, 2);
    const shard = shardOn(cluster, world);
    const counted = rejection(increment(shard, "a"));
    await settle();
    let loading: Promise<unknown> | null = null;
    const pause = () => cluster.close();
    loading = rejection(countOf(shardOn(cluster, { ...world, pause } as World), "a"));
    expect(await loading).toMatchObject({ code: "SHUTTING_DOWN" });
    expect(await counted).toMatchObject({ code: "SHUTTING_DOWN" });
    expect(await rejection(increment(shard, "a"))).toMatchObject({ code: "SHUTTING_DOWN" });
  });
});
