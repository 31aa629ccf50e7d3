/** A replica that has copied a part of a compacted log, and not the records for whose sake older ones had gone, when an unclean promotion ends that leadership. */
import { expect, test } from "vitest";
import type { BrokerCluster } from "../src/cluster/cluster.ts";
import { openCluster } from "./cluster-world.ts";
import { keyed, left } from "./compaction-world.ts";
import { instantsOf } from "./crash-instants.ts";
import { inSyncOf, ORDERS } from "./replica-world.ts";
import { memoryWorld, type World, worldOn } from "./world.ts";

/** A round copies one batch. */
const BROKERS = { brokerIds: [1, 2, 3], replicaFetchMaxBytes: 1 };
const KEPT = ["0 a=kept", "1 b=kept"];
/** The gap, then one batch for each round more. */
const COPIED_BY_3 = [[], ["1 b=kept"], ["1 b=kept", "2 c=later"]];

const logOn = (cluster: BrokerCluster, brokerId: number) =>
  cluster.replicaSet(ORDERS).leadership.requireCopy(brokerId).log;

const recordsOn = (cluster: BrokerCluster) => [1, 2, 3].map((brokerId) => left(logOn(cluster, brokerId)));

/**
 * Broker 1 has compacted for the sake of its last record, which nobody else has; broker 2 has what was there before, broker 3 what
 * `rounds` have copied since.
 */
async function openCopied(world: World, rounds: number): Promise<BrokerCluster> {
  const cluster = await openCluster(world, BROKERS);
  const config = { cleanup_policy: "compact", min_cleanable_dirty_ratio: 0 };
  cluster.createTopic({ topic: "orders", partitions: 1, replicationFactor: 3, config });
  cluster.removeFromIsr(ORDERS, 3);
  const send = (key: string, value: string) =>
    cluster.appendBatch(ORDERS, keyed([[key, value]]), { acks: 1 });
  await send("a", "kept");
  await send("b", "kept");
  for (let batch = 0; batch < 2; batch++) await cluster.replicateOnce({ brokerId: 2 });
  cluster.removeFromIsr(ORDERS, 2);
  await send("c", "later");
  await send("a", "lost");
  cluster.steps.rollSegment(ORDERS);
  await cluster.steps.flushLogs();
  await cluster.steps.compact(async () => {});
  for (let round = 0; round < rounds; round++) await cluster.replicateOnce({ brokerId: 3 });
  await cluster.steps.flushLogs();
  expect(recordsOn(cluster)).toEqual([["1 b=kept", "2 c=later", "3 a=lost"], KEPT, COPIED_BY_3[rounds - 1]]);
  return cluster;
}

async function rejoin(cluster: BrokerCluster, brokerIds: readonly number[]): Promise<void> {
  for (const brokerId of brokerIds) await cluster.rejoin(ORDERS, brokerId);
  for (let round = 0; round < 5; round++) await cluster.replicateOnce();
}

const COPIED = [
  ["more than that", 1],
  ["as much", 2],
  ["less", 3],
] as const;

test.each(COPIED)(
  "who has copied from a compacted log begins anew under an unclean leader, be it one that holds %s",
  async (_what, rounds) => {
    const world = memoryWorld();
    const cluster = await openCopied(world, rounds);
    await cluster.promote(ORDERS, 2, { unclean: true });
    expect(cluster.replicaSet(ORDERS).state.copyAnew).toEqual([1, 3]);
    await rejoin(cluster, [1, 3]);
    expect(recordsOn(cluster)).toEqual([KEPT, KEPT, KEPT]);
    expect(inSyncOf(cluster)).toEqual([1, 2, 3]);
    expect(cluster.replicaSet(ORDERS).state.copyAnew).toBeUndefined();
  },
);

test.each(COPIED)(
  "an unclean leader that has copied from a compacted log has all others begin anew, also one that holds %s",
  async (_what, rounds) => {
    const world = memoryWorld();
    const cluster = await openCopied(world, rounds);
    await cluster.promote(ORDERS, 3, { unclean: true });
    await rejoin(cluster, [1, 2]);
    const copied = COPIED_BY_3[rounds - 1];
    expect(recordsOn(cluster)).toEqual([copied, copied, copied]);
    expect(inSyncOf(cluster)).toEqual([1, 2, 3]);
  },
);

test("who is not in sync by then begins anew under the next leader as well", async () => {
  const world = memoryWorld();
  const cluster = await openCopied(world, 2);
  await cluster.promote(ORDERS, 2, { unclean: true });
  await cluster.rejoin(ORDERS, 1);
  for (let round = 0; round < 2; round++) await cluster.replicateOnce({ brokerId: 1 });
  await cluster.promote(ORDERS, 1);
  await rejoin(cluster, [2, 3]);
  expect(recordsOn(cluster)).toEqual([KEPT, KEPT, KEPT]);
});

test("at whatever instant the process or the power dies meanwhile, it comes to the same", async () => {
  const world = memoryWorld();
  const cluster = await openCopied(world, 3);
  await cluster.promote(ORDERS, 2, { unclean: true });
  const instants = await instantsOf(world.disk, () => rejoin(cluster, [1, 3]));
  expect(instants.length).toBeGreaterThan(10);
  for (const mode of ["kept", "lost"] as const)
    for (const [index, instant] of instants.entries()) {
      const disk = instant.clone();
      disk.crash({ mode });
      const again = await openCluster(worldOn(disk), BROKERS);
      if (again.replicaSet(ORDERS).leaderId === null) await again.promote(ORDERS, 2);
      await rejoin(again, [1, 3]);
      const where = `${mode} at instant ${index} of ${instants.length}`;
      expect(recordsOn(again), where).toEqual([KEPT, KEPT, KEPT]);
      expect(inSyncOf(again), where).toEqual([1, 2, 3]);
    }
});
