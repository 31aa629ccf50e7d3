/** A replica whose compaction has dropped records for the sake of later ones, which it then has to give up. */
import { expect, test } from "vitest";
import type { BrokerCluster } from "../src/cluster/cluster.ts";
import { openCluster } from "./cluster-world.ts";
import { keyed, left } from "./compaction-world.ts";
import { instantsOf } from "./crash-instants.ts";
import { inSyncOf, ORDERS } from "./replica-world.ts";
import { memoryWorld, type World, worldOn } from "./world.ts";

const BROKERS = { brokerIds: [1, 2] };
const KEPT = ["0 a=kept", "1 b=kept"];

const logOn = (cluster: BrokerCluster, brokerId: number) =>
  cluster.replicaSet(ORDERS).leadership.requireCopy(brokerId).log;

const recordsOn = (cluster: BrokerCluster) => [1, 2].map((brokerId) => left(logOn(cluster, brokerId)));

/** Broker 1 has compacted for the sake of a record that broker 2, which leads after an unclean promotion, does not have. */
async function openUnclean(world: World): Promise<BrokerCluster> {
  const cluster = await openCluster(world, BROKERS);
  const config = { cleanup_policy: "compact", min_cleanable_dirty_ratio: 0 };
  cluster.createTopic({ topic: "orders", partitions: 1, replicationFactor: 2, config });
  const sent = ["a", "b"].map((key) => cluster.appendBatch(ORDERS, keyed([[key, "kept"]]), { acks: "all" }));
  await cluster.replicateOnce();
  await Promise.all(sent);
  cluster.removeFromIsr(ORDERS, 2);
  await cluster.appendBatch(ORDERS, keyed([["a", "lost"]]), { acks: "all" });
  cluster.steps.rollSegment(ORDERS);
  await cluster.steps.flushLogs();
  await cluster.steps.compact(async () => {});
  expect(recordsOn(cluster)).toEqual([["1 b=kept", "2 a=lost"], KEPT]);
  await cluster.promote(ORDERS, 2, { unclean: true });
  return cluster;
}

async function rejoin(cluster: BrokerCluster): Promise<void> {
  await cluster.rejoin(ORDERS, 1);
  await cluster.replicateOnce();
}

test("it begins anew, so that it holds what its new leader does, and loses nothing that all had acknowledged", async () => {
  const world = memoryWorld();
  const cluster = await openUnclean(world);
  await rejoin(cluster);
  expect(recordsOn(cluster)).toEqual([KEPT, KEPT]);
  expect(inSyncOf(cluster)).toEqual([1, 2]);
  expect(world.events.of("reconciled")).toMatchObject([
    { brokerId: 1, fromOffset: 3, logEndOffset: 0, reconciliation: "log-start" },
  ]);
});

test.each([0, 5])(
  "at whatever instant the process or the power dies meanwhile, it comes to the same, and to what the leader has written since: %i records",
  async (more) => {
    const world = memoryWorld();
    const cluster = await openUnclean(world);
    const instants = await instantsOf(world.disk, () => rejoin(cluster));
    expect(instants.length).toBeGreaterThan(10);
    const written = Array.from({ length: more }, (_, n) => `${2 + n} more=${n}`);
    for (const mode of ["kept", "lost"] as const) {
      for (const [index, instant] of instants.entries()) {
        const disk = instant.clone();
        disk.crash({ mode });
        const again = await openCluster(worldOn(disk), BROKERS);
        if (again.replicaSet(ORDERS).leaderId === null) await again.promote(ORDERS, 2);
        for (let n = 0; n < more; n++)
          await again.appendBatch(ORDERS, keyed([["more", `${n}`]]), { acks: 1 });
        await rejoin(again);
        const where = `${mode} at instant ${index} of ${instants.length}`;
        const expected = [...KEPT, ...written];
        expect(recordsOn(again), where).toEqual([expected, expected]);
        expect(inSyncOf(again), where).toEqual([1, 2]);
      }
    }
  },
);
