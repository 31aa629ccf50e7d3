/** Compacted logs under replication: each replica compacts its own, and copies what its leader has left. */
import { expect, test } from "vitest";
import type { BrokerCluster } from "../src/cluster/cluster.ts";
import { framesOf, type KeyValue, keyed, left, request } from "./compaction-world.ts";
import { inSyncOf, marksOf, ORDERS, openReplicated } from "./replica-world.ts";
import { memoryWorld, type World } from "./world.ts";

const CONFIG = { cleanup_policy: "compact", segment_bytes: 1024, min_cleanable_dirty_ratio: 0 };

async function openCompacted(world: World): Promise<BrokerCluster> {
  const cluster = await openReplicated(world);
  cluster.deleteTopic("orders");
  cluster.createTopic({ topic: "orders", partitions: 1, replicationFactor: 3, config: CONFIG });
  return cluster;
}

const send = (cluster: BrokerCluster, pairs: readonly KeyValue[]) =>
  cluster.appendBatch(ORDERS, keyed(pairs), { acks: 1 });

const logOf = (cluster: BrokerCluster, brokerId: number) => {
  const copy = cluster.replicaSet(ORDERS).copies.find((each) => each.brokerId === brokerId);
  if (copy === undefined) throw new Error(`no copy on broker ${brokerId}`);
  return copy.log;
};

test("a follower that ends in the middle of what compaction made one gap follows on, and is in sync again", async () => {
  const world = memoryWorld();
  const cluster = await openCompacted(world);
  const leader = logOf(cluster, 1);
  for (let number = 0; number < 3; number++) await send(cluster, [["a", `${number}`]]);
  await cluster.replicateOnce();
  expect(marksOf(cluster)).toEqual(["3/3", "3/0", "3/0"]);
  for (let number = 3; number < 9; number++) await send(cluster, [["a", `${number}`]]);
  await send(cluster, [["b", "x".repeat(900)]]);
  await cluster.replicateOnce({ brokerId: 2 });
  world.clock.advance(60_000);
  await cluster.replicateOnce({ brokerId: 2 });
  cluster.refreshIsr();
  expect(inSyncOf(cluster)).toEqual([1, 2]);
  expect(marksOf(cluster)).toEqual(["10/10", "10/3", "3/0"]);
  await leader.flush();
  expect(await leader.compact(request(leader, { cleanEnd: 10 }))).toMatchObject({ recordsDropped: 8 });
  expect(framesOf(leader)).toHaveLength(3);
  const [round] = await cluster.replicateOnce({ brokerId: 3 });
  expect(round).toMatchObject({ brokerId: 3, batches: 3, truncatedTo: null, problem: null });
  expect(left(logOf(cluster, 3)).slice(3)).toEqual(left(leader));
  await cluster.replicateOnce();
  cluster.refreshIsr();
  expect(inSyncOf(cluster)).toEqual([1, 2, 3]);
});

test("replicas that were compacted each for itself stay one log: a new leader cuts nobody, and all go on", async () => {
  const cluster = await openCompacted(memoryWorld());
  for (let number = 0; number < 30; number++)
    await send(cluster, [["abc".charAt(number % 3), `${number}`.padEnd(90, ".")]]);
  await cluster.replicateOnce();
  await cluster.replicateOnce();
  const logs = [1, 2, 3].map((brokerId) => logOf(cluster, brokerId));
  for (const log of logs) await log.flush();
  // Two of three, and one of those in parts.
  await logs[0]?.compact(request(logs[0], { cleanEnd: 30 }));
  await logs[1]?.compact(request(logs[1], { cleanEnd: 30, bufferBytes: 64 }));
  await cluster.promote(ORDERS, 2);
  await send(cluster, [["a", "of the new leader"]]);
  const rounds = await cluster.replicateOnce();
  expect(rounds.map(({ truncatedTo, problem }) => [truncatedTo, problem])).toEqual([
    [null, null],
    [null, null],
  ]);
  const tables = logs.map(
    (log) => new Map(left(log).map((record) => record.replace(/^\d+ /, "").split("=") as [string, string])),
  );
  expect(tables[0]).toEqual(
    new Map([
      ["a", "of the new leader"],
      ["b", "28"],
      ["c", "29"],
    ]),
  );
  expect(tables[1]).toEqual(tables[0]);
  expect(tables[2]).toEqual(tables[0]);
});
