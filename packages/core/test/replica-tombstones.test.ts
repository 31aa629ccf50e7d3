/** Tombstones and markers whose time is over, in a partition of which a replica may lack them (docs/decisions/0012). */
import { readBatchHeader } from "@minikafka/record";
import { describe, expect, test } from "vitest";
import type { BrokerCluster } from "../src/cluster/cluster.ts";
import type { ClusterConfig } from "../src/cluster/config.ts";
import type { ProducerIdentity } from "../src/replica/producer-identity.ts";
import { openCluster } from "./cluster-world.ts";
import { framesOf, keyed } from "./compaction-world.ts";
import { copyOfBroker, restoreBroker } from "./folder-copy.ts";
import { committedValues, end, replicated, write } from "./replica-transactions-world.ts";
import { ORDERS } from "./replica-world.ts";
import { memoryWorld, type World } from "./world.ts";

const DELETE_RETENTION_MS = 100;
const CONFIG = {
  cleanup_policy: "compact",
  min_cleanable_dirty_ratio: 0,
  delete_retention_ms: DELETE_RETENTION_MS,
};

async function openCompacted(world: World, config: Partial<ClusterConfig> = {}): Promise<BrokerCluster> {
  const { brokerIds = [1, 2, 3] } = config;
  const cluster = await openCluster(world, { brokerIds, ...config });
  if (cluster.hasTopic("orders")) return cluster;
  const replicationFactor = brokerIds.length;
  cluster.createTopic({ topic: "orders", partitions: 1, replicationFactor, config: CONFIG });
  return cluster;
}

const logOn = (cluster: BrokerCluster, brokerId: number) =>
  cluster.replicaSet(ORDERS).leadership.requireCopy(brokerId).log;

/** What begins at offset 0, with the value "ended", and is ended by what lies at offset 1. */
interface Kind {
  readonly begin: (cluster: BrokerCluster) => Promise<unknown>;
  readonly end: (cluster: BrokerCluster) => Promise<unknown>;
}

const send = (cluster: BrokerCluster, key: string, value: string | null) =>
  cluster.appendBatch(ORDERS, keyed([[key, value]]), { acks: "all" });

const TOMBSTONE: Kind = {
  begin: (cluster) => send(cluster, "a", "ended"),
  end: (cluster) => send(cluster, "a", null),
};

/** The marker would stay for its producer's epoch besides, until there is a batch of that. */
function marker(): Kind {
  let producer: ProducerIdentity = { producerId: -1, producerEpoch: -1 };
  return {
    begin: (cluster) => {
      producer = cluster.initProducer({});
      return write(cluster, { ...producer, key: "a", value: "ended" });
    },
    end: (cluster) => {
      const next = { ...producer, producerEpoch: producer.producerEpoch + 1 };
      const ended = end(cluster, producer, "abort");
      const written = write(cluster, { ...next, key: "b", value: "counts" });
      return Promise.all([ended, written, end(cluster, next, "commit")]);
    },
  };
}

/** Where what lies at offset 1 has gone, the batch there has no record. */
function hasEnd(cluster: BrokerCluster, brokerId: number): boolean {
  const headers = framesOf(logOn(cluster, brokerId)).map((frame) => readBatchHeader(frame));
  return headers.some(({ baseOffset, recordCount }) => baseOffset === 1 && recordCount > 0);
}

interface Passes {
  /** `null`: nothing was due. */
  readonly waitsFor: readonly number[] | null;
  readonly gaveWayTo: string | null;
}

/** One pass for each replica that is due; what was told of the log on `brokerId`. */
async function compacted(cluster: BrokerCluster, brokerId = 1): Promise<Passes> {
  const told = (await cluster.steps.compact(async () => {})).find(({ place }) => place.brokerId === brokerId);
  const { result, waitsFor = null } = told ?? { result: {} };
  return { waitsFor, gaveWayTo: "gaveWayTo" in result ? result.gaveWayTo : null };
}

/** So much is compacted by those brokers, and the time of what lies at offset 1 is over. */
async function comeOfAge(world: World, cluster: BrokerCluster, brokerIds: readonly number[]): Promise<void> {
  // A marker gets its horizon by the second pass, once its transaction has no record.
  for (const key of ["later", "latest"]) {
    await done(cluster, send(cluster, key, "counts"));
    for (const brokerId of brokerIds) {
      const log = logOn(cluster, brokerId);
      log.roll();
      await log.flush();
    }
    await compacted(cluster);
  }
  world.clock.advance(DELETE_RETENTION_MS);
}

async function done(cluster: BrokerCluster, acting: Promise<unknown>): Promise<void> {
  await replicated(cluster);
  await acting;
}

/** All have what is to be ended. */
async function begun(newKind: () => Kind, config: Partial<ClusterConfig> = {}) {
  const world = memoryWorld();
  const cluster = await openCompacted(world, config);
  const kind = newKind();
  await done(cluster, kind.begin(cluster));
  return { world, cluster, kind };
}

/** Broker 3 is away since then, out of sync, and the time of what it has missed is over at the others. */
async function missedBy3(newKind: () => Kind) {
  const { world, cluster, kind } = await begun(newKind);
  await cluster.stopBroker(3);
  cluster.removeFromIsr(ORDERS, 3);
  await done(cluster, kind.end(cluster));
  await comeOfAge(world, cluster, [1, 2]);
  return { world, cluster };
}

/** Whoever leads, and whoever has compacted what: a reader gets nothing that was ended, or its tombstone behind it. */
async function expectEnded(cluster: BrokerCluster, brokerIds: readonly number[]): Promise<void> {
  for (const brokerId of brokerIds) {
    await cluster.promote(ORDERS, brokerId);
    await replicated(cluster);
    const values = committedValues(cluster);
    expect(values.lastIndexOf("ended"), `led by ${brokerId}`).toBeLessThanOrEqual(values.lastIndexOf(""));
  }
}

describe.each([
  ["a tombstone", () => TOMBSTONE],
  ["an abort marker", marker],
] as const)("%s whose time is over", (_name, newKind) => {
  test("stays while a follower is away that lacks it, and goes once that has it on its disk", async () => {
    const { cluster } = await missedBy3(newKind);
    expect(await compacted(cluster)).toEqual({ waitsFor: [3], gaveWayTo: "replicas" });
    expect([1, 2].map((brokerId) => hasEnd(cluster, brokerId))).toEqual([true, true]);
    await cluster.startBroker(3);
    await cluster.rejoin(ORDERS, 3);
    await replicated(cluster);
    await cluster.steps.flushLogs();
    await compacted(cluster);
    expect([1, 2, 3].map((brokerId) => hasEnd(cluster, brokerId))).toEqual([false, false, true]);
    await expectEnded(cluster, [3, 2, 1]);
  });

  test.each([
    ["a follower", 3, [1, 2]],
    ["the leader", 1, [2, 3]],
  ] as const)(
    "stays while %s has not flushed it: a power cut takes it from that one",
    async (_who, unflushed, others) => {
      const { world, cluster, kind } = await begun(newKind, { flush: "interval" });
      await cluster.steps.flushLogs();
      await done(cluster, kind.end(cluster));
      await comeOfAge(world, cluster, others);
      expect(await compacted(cluster, 2)).toEqual({ waitsFor: [unflushed], gaveWayTo: "replicas" });
      await cluster.crash();
      world.disk.crash({ mode: "lost" });
      const again = await openCompacted(world, { flush: "interval" });
      expect([1, 2, 3].filter((brokerId) => hasEnd(again, brokerId))).toEqual(others);
      if (again.replicaSet(ORDERS).leaderId === null) await again.promote(ORDERS, 2);
      await again.rejoin(ORDERS, unflushed);
      await replicated(again);
      await again.steps.flushLogs();
      await compacted(again);
      expect([1, 2, 3].filter((brokerId) => hasEnd(again, brokerId))).toEqual([unflushed]);
      await expectEnded(again, [unflushed, ...others]);
    },
  );

  test("stays under a new leader until everybody has fetched from that one", async () => {
    const { world, cluster, kind } = await begun(newKind);
    await done(cluster, kind.end(cluster));
    await comeOfAge(world, cluster, [1, 2, 3]);
    await cluster.promote(ORDERS, 2);
    expect(await compacted(cluster)).toEqual({ waitsFor: [1, 3], gaveWayTo: "replicas" });
    await cluster.replicateOnce({ brokerId: 1 });
    expect(await compacted(cluster)).toEqual({ waitsFor: [3], gaveWayTo: "replicas" });
    expect([1, 2, 3].map((brokerId) => hasEnd(cluster, brokerId))).toEqual([true, true, true]);
    await cluster.replicateOnce({ brokerId: 3 });
    expect(await compacted(cluster)).toEqual({ waitsFor: [], gaveWayTo: null });
    expect([1, 2, 3].map((brokerId) => hasEnd(cluster, brokerId))).toEqual([false, false, false]);
  });

  test.each([1, 2])(
    "has not gone in vain when a folder is put back that is older: that one's log begins anew, be it in its broker's start no. %i",
    async (starts) => {
      const { world, cluster, kind } = await begun(newKind);
      await cluster.stopBroker(3);
      const copy = copyOfBroker(world.disk, 3);
      await cluster.startBroker(3);
      await done(cluster, kind.end(cluster));
      await comeOfAge(world, cluster, [1, 2, 3]);
      await compacted(cluster);
      expect([1, 2, 3].map((brokerId) => hasEnd(cluster, brokerId))).toEqual([false, false, false]);
      await cluster.stopBroker(3);
      restoreBroker(world.disk, 3, copy);
      for (let start = 1; start <= starts; start++) {
        await cluster.stopBroker(3);
        await cluster.startBroker(3);
      }
      expect(cluster.replicaSet(ORDERS).state.copyAnew).toEqual([3]);
      await cluster.rejoin(ORDERS, 3);
      expect(cluster.replicaSet(ORDERS).state.copyAnew).toBeUndefined();
      await expectEnded(cluster, [3, 2, 1]);
    },
  );

  test("goes by time alone where one broker holds all", async () => {
    const { world, cluster, kind } = await begun(newKind, { brokerIds: [1] });
    await done(cluster, kind.end(cluster));
    await comeOfAge(world, cluster, [1]);
    expect(hasEnd(cluster, 1)).toBe(true);
    expect(await compacted(cluster)).toEqual({ waitsFor: [], gaveWayTo: null });
    expect(hasEnd(cluster, 1)).toBe(false);
  });

  test("makes no pass due while it is held, which is told once; one that is due by its dirty bytes keeps it", async () => {
    const { world, cluster } = await missedBy3(newKind);
    world.events.clear();
    for (let step = 0; step < 3; step++) await compacted(cluster);
    expect(world.events.of("compaction_started")).toEqual([]);
    const facts = { ...ORDERS, firstDirtyOffset: logOn(cluster, 1).firstDirtyOffset, copiedEnd: 0 };
    expect(world.events.of("tombstones_held")).toMatchObject([
      { brokerId: 1, ...facts },
      { brokerId: 2, ...facts },
    ]);
    await done(cluster, send(cluster, "more", "counts"));
    logOn(cluster, 1).roll();
    await logOn(cluster, 1).flush();
    expect(await compacted(cluster)).toEqual({ waitsFor: [3], gaveWayTo: null });
    expect(world.events.of("compacted")).toMatchObject([
      { brokerId: 1, recordsHeld: 1, tombstonesDropped: 0 },
    ]);
    expect(hasEnd(cluster, 1)).toBe(true);
    await compacted(cluster);
    expect(world.events.of("compaction_started")).toHaveLength(1);
  });
});
