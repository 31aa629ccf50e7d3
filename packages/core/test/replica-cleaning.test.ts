/** Followers of logs from which records have gone, and producers that retry at another leader. */
import { decodeRecords, encodeBatch, splitFrames } from "@minikafka/record";
import { expect, test } from "vitest";
import type { BrokerCluster } from "../src/cluster/cluster.ts";
import type { PartitionLog } from "../src/log/partition-log.ts";
import { done } from "./compaction-world.ts";
import { inSyncOf, ORDERS, openReplicated, send } from "./replica-world.ts";
import { memoryWorld } from "./world.ts";

function keyed(key: string, value: string): Buffer {
  const record = {
    key: Buffer.from(key),
    value: Buffer.from(value.padEnd(100, ".")),
    timestampMs: 0,
    headers: [],
  };
  return encodeBatch({ records: [record] });
}

function recordsOf(log: PartitionLog): string[] {
  const records: string[] = [];
  for (let offset = log.logStartOffset; offset < log.logEndOffset; ) {
    const { batches, nextOffset } = log.read(offset, { bytesMax: 1 << 20, endOffset: log.logEndOffset });
    for (const record of splitFrames(batches).flatMap((frame) => decodeRecords(frame)))
      records.push(
        `${record.offset} ${record.key?.toString()} ${record.value?.toString().replaceAll(".", "")}`,
      );
    offset = nextOffset;
  }
  return records;
}

function logOn(cluster: BrokerCluster, brokerId: number): PartitionLog {
  const copy = cluster.replicaSet(ORDERS).copies.find((each) => each.brokerId === brokerId);
  if (copy === undefined) throw new Error(`no copy on broker ${brokerId}`);
  return copy.log;
}

test.each([0, 1, 3, 6, 11])(
  "a follower that ends at %d of a log that is compacted meanwhile comes to hold what is left of it",
  async (held) => {
    const cluster = await openReplicated(memoryWorld(), {
      brokers: 2,
      config: { segmentBytes: 1024, replicaFetchMaxBytes: 1 },
    });
    cluster.alterConfig("orders", { cleanup_policy: "compact" });
    cluster.removeFromIsr(ORDERS, 2);
    for (let n = 0; n < 40; n++) {
      await cluster.appendBatch(ORDERS, keyed(`k${n % 3}`, `v${n}`), { acks: 1 });
      if (n < held) await cluster.replicateOnce();
    }
    const leader = logOn(cluster, 1);
    await leader.flush();
    const request = { nowMs: 0, bufferBytes: 1 << 20, pause: async () => {}, minCleanableDirtyRatio: 0 };
    const cleanEnd = cluster.visibleEnd(ORDERS);
    const compacted = await leader.compact({ ...request, cleanEnd, copiedEnd: 0 });
    expect(done(compacted).recordsDropped).toBeGreaterThan(20);
    await cluster.rejoin(ORDERS, 2);
    for (let round = 0; round < 60; round++) await cluster.replicateOnce();
    expect(inSyncOf(cluster)).toEqual([1, 2]);
    const follower = logOn(cluster, 2);
    expect(follower.logEndOffset).toBe(leader.logEndOffset);
    const behind = (records: string[]) => records.filter((record) => Number(record.split(" ")[0]) >= held);
    expect(behind(recordsOf(follower))).toEqual(behind(recordsOf(leader)));
  },
);

test("what was deleted at the leader goes at its followers with their next round, and one below the log's start begins there", async () => {
  const world = memoryWorld();
  const cluster = await openReplicated(world, { config: { segmentBytes: 1024 } });
  cluster.removeFromIsr(ORDERS, 3);
  await cluster.stopBroker(3);
  await send(
    cluster,
    Array.from({ length: 60 }, (_, n) => `value ${n}`),
  );
  await cluster.replicateOnce();
  expect(await logOn(cluster, 1).deleteRecords(50)).toBe(50);
  await cluster.replicateOnce();
  expect(logOn(cluster, 2).logStartOffset).toBe(50);
  await cluster.startBroker(3);
  world.events.clear();
  await cluster.rejoin(ORDERS, 3);
  expect(world.events.of("reconciled")).toMatchObject([
    { brokerId: 3, fromOffset: 0, logEndOffset: 50, reconciliation: "log-start" },
  ]);
  expect(recordsOf(logOn(cluster, 3))).toEqual(recordsOf(logOn(cluster, 1)));
  expect(inSyncOf(cluster)).toEqual([1, 2, 3]);
});

test("a retry of an idempotent producer at a new leader is told where the first one went, and waits for all as that did", async () => {
  const cluster = await openReplicated(memoryWorld());
  const { producerId, producerEpoch } = cluster.initProducer({});
  const batch = (baseSequence: number, value: string) =>
    encodeBatch({
      records: [{ key: null, value: Buffer.from(value), timestampMs: 0, headers: [] }],
      producerId,
      producerEpoch,
      baseSequence,
    });
  const first = cluster.appendBatch(ORDERS, batch(0, "a"), { acks: "all" });
  const refused = expect(first).rejects.toMatchObject({ code: "FENCED_LEADER_EPOCH" });
  await cluster.replicateOnce({ brokerId: 2 });
  await cluster.promote(ORDERS, 2);
  await refused;
  const retry = cluster.appendBatch(ORDERS, batch(0, "a"), { acks: "all" });
  await cluster.replicateOnce();
  expect(await retry).toMatchObject({ baseOffset: 0, nextOffset: 1, duplicate: true });
  await send(cluster, ["b"]);
  await expect(cluster.appendBatch(ORDERS, batch(2, "gap"), { acks: 1 })).rejects.toMatchObject({
    code: "OUT_OF_ORDER_SEQUENCE",
  });
});
