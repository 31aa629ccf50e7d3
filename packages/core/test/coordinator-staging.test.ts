/** Records that transactions write to a coordinator's partition: they count from the commit marker on, by their own offset. */
import { describe, expect, test } from "vitest";
import type { BrokerCluster } from "../src/cluster/cluster.ts";
import type { CoordinatorShard } from "../src/coordinator/coordinator-shard.ts";
import { openCluster } from "./cluster-world.ts";
import {
  type CounterKinds,
  counterRecord,
  decidedOn,
  endIn,
  PLACE,
  set,
  shardOn,
  stage,
  told,
} from "./coordinator-world.ts";
import { markersOn } from "./replica-transactions-world.ts";
import { outcomeOf, settle } from "./replica-world.ts";
import { memoryWorld, rejection, type World } from "./world.ts";

const ONE = { producerId: 11, producerEpoch: 0 };
const OTHER = { producerId: 12, producerEpoch: 4 };

async function openCounters(world: World, replicationFactor = 1): Promise<BrokerCluster> {
  const brokerIds = Array.from({ length: replicationFactor }, (_, index) => index + 1);
  const cluster = await openCluster(world, { brokerIds, segmentBytes: 1024 });
  const config = { cleanup_policy: "compact", min_cleanable_dirty_ratio: 0 };
  if (!cluster.hasTopic("counters"))
    cluster.createTopic({ ...PLACE, partitions: 1, replicationFactor, config });
  return cluster;
}

/** What a shard that is loaded now tells. */
const toldAnew = (cluster: BrokerCluster, world: World) => told(shardOn(cluster, world));

describe("a record of a transaction", () => {
  test("is told once the commit marker is acknowledged, and never when it is aborted", async () => {
    const world = memoryWorld();
    const cluster = await openCounters(world);
    const shard = shardOn(cluster, world);
    await set(shard, "a", 1);
    await stage(shard, ONE, ["a", 2], ["b", 2]);
    await stage(shard, OTHER, ["c", 3]);
    expect(await told(shard)).toBe("a=1 a? b? c?");
    expect(await decidedOn(shard, "a")).toBe(1);
    expect(await toldAnew(cluster, world)).toBe("a=1 a? b? c?");
    expect(await endIn(shard, ONE, "commit")).toEqual({ offset: 4 });
    expect(await told(shard)).toBe("a=2 b=2 c?");
    expect(await endIn(shard, OTHER, "abort")).toEqual({ offset: 5 });
    expect(await told(shard)).toBe("a=2 b=2");
    expect(await toldAnew(cluster, world)).toBe("a=2 b=2");
  });

  test("counts for the next decision as soon as the marker is written, and is told when every replica in sync has it", async () => {
    const world = memoryWorld();
    const cluster = await openCounters(world, 2);
    const shard = shardOn(cluster, world);
    const staged = stage(shard, ONE, ["a", 2]);
    await settle();
    await cluster.replicateOnce();
    await cluster.replicateOnce();
    await staged;
    const ended = endIn(shard, ONE, "commit");
    const decided = decidedOn(shard, "a");
    expect([await outcomeOf(ended), await outcomeOf(decided), await told(shard)]).toEqual([
      "pending",
      "pending",
      "a?",
    ]);
    await cluster.replicateOnce();
    await cluster.replicateOnce();
    expect([await ended, await decided, await told(shard)]).toEqual([{ offset: 1 }, 2, "a=2"]);
  });

  test("is replaced by the transaction's own later one of its key", async () => {
    const world = memoryWorld();
    const cluster = await openCounters(world);
    const shard = shardOn(cluster, world);
    await stage(shard, ONE, ["a", 1], ["b", 1], ["a", 2]);
    await stage(shard, ONE, ["a", 3]);
    await endIn(shard, ONE, "commit");
    expect(await told(shard)).toBe("a=3 b=1");
    expect(await toldAnew(cluster, world)).toBe("a=3 b=1");
  });
});

describe("which of a key's records is the latest is said by their own places", () => {
  const orders: [string, (shard: CoordinatorShard<CounterKinds>) => Promise<unknown>[], string][] = [
    [
      "a plain one behind a staged one stays the latest when that commits",
      (shard) => [stage(shard, ONE, ["a", 1]), set(shard, "a", 2), endIn(shard, ONE, "commit")],
      "a=2",
    ],
    [
      "a plain one behind the marker, too",
      (shard) => [stage(shard, ONE, ["a", 1]), endIn(shard, ONE, "commit"), set(shard, "a", 2)],
      "a=2",
    ],
    [
      "a staged one behind a plain one becomes the latest",
      (shard) => [set(shard, "a", 2), stage(shard, ONE, ["a", 1]), endIn(shard, ONE, "commit")],
      "a=1",
    ],
    [
      "of two transactions the one that wrote later counts, also when it commits first",
      (shard) => [
        stage(shard, ONE, ["a", 1], ["b", 1]),
        stage(shard, OTHER, ["a", 2]),
        endIn(shard, OTHER, "commit"),
        endIn(shard, ONE, "commit"),
      ],
      "a=2 b=1",
    ],
    [
      "and when it commits last",
      (shard) => [
        stage(shard, ONE, ["a", 1]),
        stage(shard, OTHER, ["a", 2]),
        endIn(shard, ONE, "commit"),
        endIn(shard, OTHER, "commit"),
      ],
      "a=2",
    ],
    [
      "an aborted one makes nobody's older",
      (shard) => [
        stage(shard, ONE, ["a", 1]),
        stage(shard, OTHER, ["a", 2]),
        endIn(shard, OTHER, "abort"),
        endIn(shard, ONE, "commit"),
      ],
      "a=1",
    ],
    [
      "a transaction's own later record counts where its earlier one was outdated",
      (shard) => [
        stage(shard, ONE, ["a", 1]),
        set(shard, "a", 2),
        stage(shard, ONE, ["a", 3]),
        endIn(shard, ONE, "commit"),
      ],
      "a=3",
    ],
    [
      "the producer's next transaction is another one",
      (shard) => [
        stage(shard, ONE, ["a", 1]),
        endIn(shard, ONE, "abort"),
        stage(shard, { ...ONE, producerEpoch: 1 }, ["b", 2]),
        endIn(shard, { ...ONE, producerEpoch: 1 }, "commit"),
      ],
      "b=2",
    ],
  ];

  test.each(orders)("%s", async (_what, act, expected) => {
    const world = memoryWorld();
    let cluster = await openCounters(world);
    const shard = shardOn(cluster, world);
    await Promise.all(act(shard));
    expect(await told(shard)).toBe(expected);
    expect(await toldAnew(cluster, world), "loaded anew").toBe(expected);
    cluster.steps.rollSegment(PLACE);
    await cluster.steps.flushLogs();
    const [compacted] = await cluster.steps.compact(() => Promise.resolve());
    expect(compacted?.result).toMatchObject({ isComplete: true });
    expect(await toldAnew(cluster, world), "after compaction").toBe(expected);
    await cluster.close();
    cluster = await openCounters(world);
    expect(await toldAnew(cluster, world), "after a restart").toBe(expected);
  });
});

describe("the end of a transaction in a shard", () => {
  test("writes nothing where nothing was staged, and a repeated one waits for what the first one waits for", async () => {
    const world = memoryWorld();
    const cluster = await openCounters(world, 2);
    const shard = shardOn(cluster, world);
    expect(await endIn(shard, ONE, "commit")).toEqual({ offset: null });
    const staged = stage(shard, ONE, ["a", 1]);
    const ends = [endIn(shard, ONE, "commit"), endIn(shard, ONE, "commit")];
    expect(await Promise.all(ends.map(outcomeOf))).toEqual(["pending", "pending"]);
    await cluster.replicateOnce();
    await cluster.replicateOnce();
    await staged;
    expect(await Promise.all(ends)).toEqual([{ offset: 1 }, { offset: null }]);
    expect(await told(shard)).toBe("a=1");
    expect(markersOn(cluster, 1, PLACE)).toEqual(["1 commit 11:1 from 0"]);
  });

  test("that a fault follows counts all the same, and is told with whatever is acknowledged next", async () => {
    const world = memoryWorld();
    const cluster = await openCounters(world);
    const shard = shardOn(cluster, world);
    await stage(shard, ONE, ["a", 1]);
    const fault = world.faults.arm({ point: "transaction.marker.after_append", action: "error" });
    expect(await rejection(endIn(shard, ONE, "commit"))).toMatchObject({ code: "STORAGE_ERROR" });
    expect(fault.fired).toBe(1);
    expect(await endIn(shard, ONE, "commit")).toEqual({ offset: null });
    expect(await told(shard)).toBe("a=1");
    expect(markersOn(cluster, 1, PLACE)).toHaveLength(1);
  });

  test("that a new leader did not get is asked for anew, and the staged records count there once", async () => {
    const world = memoryWorld();
    const cluster = await openCounters(world, 2);
    const shard = shardOn(cluster, world);
    const staged = stage(shard, ONE, ["a", 1]);
    await settle();
    await cluster.replicateOnce();
    await cluster.replicateOnce();
    await staged;
    const lost = rejection(endIn(shard, ONE, "commit"));
    await settle();
    await cluster.promote(PLACE, 2);
    expect(await lost).toMatchObject({ code: "FENCED_LEADER_EPOCH" });
    expect(await told(shard)).toBe("a?");
    const ended = endIn(shard, ONE, "commit");
    await settle();
    await cluster.replicateOnce();
    await cluster.replicateOnce();
    expect(await ended).toEqual({ offset: 1 });
    expect(await told(shard)).toBe("a=1");
    for (const brokerId of [1, 2]) expect(markersOn(cluster, brokerId, PLACE)).toHaveLength(1);
  });

  test("a marker at or above the high watermark is open at a load as it is without one", async () => {
    const world = memoryWorld();
    const cluster = await openCounters(world, 2);
    const shard = shardOn(cluster, world);
    const staged = stage(shard, ONE, ["a", 1], ["b", 1]);
    await settle();
    await cluster.replicateOnce();
    await cluster.replicateOnce();
    await staged;
    const ended = endIn(shard, ONE, "commit");
    await settle();
    const again = shardOn(cluster, world);
    expect(await told(again)).toBe("a? b?");
    const decided = decidedOn(again, "a");
    await settle();
    await cluster.replicateOnce();
    await cluster.replicateOnce();
    await ended;
    expect([await decided, await told(again)]).toEqual([1, "a=1 b=1"]);
  });
});

test("a staged record of a producer whose marker stands there is refused, and nothing of it is kept", async () => {
  const world = memoryWorld();
  const cluster = await openCounters(world);
  const shard = shardOn(cluster, world);
  await stage(shard, ONE, ["a", 1]);
  await endIn(shard, ONE, "abort");
  expect(await rejection(stage(shard, ONE, ["a", 2]))).toMatchObject({ code: "PRODUCER_FENCED" });
  expect(await told(shard)).toBe("");
  const frozen = shard.write(() => ({ records: [counterRecord("a", 5)], answer: 5 }));
  expect(await frozen).toBe(5);
  expect(await toldAnew(cluster, world)).toBe("a=5");
});
