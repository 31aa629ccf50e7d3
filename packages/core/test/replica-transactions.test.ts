/** Transactions in a partition that several brokers hold: the markers, the last stable offset, and what readers get. */
import { describe, expect, test } from "vitest";
import type { BrokerCluster } from "../src/cluster/cluster.ts";
import { batchOf, valuesOf } from "./cluster-world.ts";
import {
  committedValues,
  end,
  markersOn,
  replicated,
  transactional,
  write,
} from "./replica-transactions-world.ts";
import { ORDERS, openReplicated, outcomeOf, send } from "./replica-world.ts";
import { memoryWorld, rejection } from "./world.ts";

const stableOf = (cluster: BrokerCluster) => cluster.replicaSet(ORDERS).lastStableOffset;

describe("a batch of a transaction", () => {
  test("is taken only with its coordinator's word, and an ordinary append never gives it", async () => {
    const cluster = await openReplicated(memoryWorld(), { brokers: 1 });
    const producer = cluster.initProducer({});
    const frame = transactional({ ...producer, value: "a" });
    expect(await rejection(cluster.appendBatch(ORDERS, frame, { acks: "all" }))).toMatchObject({
      code: "INVALID_TRANSACTION_STATE",
      message: expect.stringContaining("expected transactional_id"),
    });
    const plain = cluster.appendBatch(ORDERS, batchOf(["a"]), { acks: "all", inTransaction: true });
    expect(await rejection(plain)).toMatchObject({ code: "INVALID_REQUEST" });
    expect(cluster.describeOffsets(ORDERS).logEndOffset).toBe(0);
    expect(await write(cluster, { ...producer, value: "a" })).toMatchObject({ baseOffset: 0 });
  });

  test("is not taken while the remains of an older transaction of its producer are open: an abort ends both", async () => {
    const cluster = await openReplicated(memoryWorld(), { brokers: 1 });
    const producer = cluster.initProducer({});
    await write(cluster, { ...producer, value: "old" });
    const next = { ...producer, producerEpoch: producer.producerEpoch + 1 };
    expect(await rejection(write(cluster, { ...next, value: "new" }))).toMatchObject({
      code: "INVALID_TRANSACTION_STATE",
      details: { open_epoch: producer.producerEpoch },
    });
    expect(await end(cluster, next, "abort")).toEqual({ offset: 1 });
    const third = { ...producer, producerEpoch: producer.producerEpoch + 2 };
    await write(cluster, { ...third, value: "third" });
    await end(cluster, third, "commit");
    expect(committedValues(cluster)).toEqual(["third"]);
  });

  test("of an epoch whose marker stands there is fenced, and the next transaction begins with sequence 0", async () => {
    const cluster = await openReplicated(memoryWorld(), { brokers: 1 });
    const producer = cluster.initProducer({});
    await write(cluster, { ...producer, value: "a" });
    await write(cluster, { ...producer, value: "b", baseSequence: 1 });
    await end(cluster, producer, "commit");
    const late = write(cluster, { ...producer, value: "late", baseSequence: 2 });
    expect(await rejection(late)).toMatchObject({ code: "PRODUCER_FENCED" });
    const next = { ...producer, producerEpoch: producer.producerEpoch + 1 };
    expect(await rejection(write(cluster, { ...next, value: "c", baseSequence: 2 }))).toMatchObject({
      code: "OUT_OF_ORDER_SEQUENCE",
      details: { expected: 0 },
    });
    expect(await write(cluster, { ...next, value: "c" })).toMatchObject({ baseOffset: 3 });
  });
});

describe("a marker", () => {
  test("is written once for each transaction, however often it is asked for, and nowhere else", async () => {
    const world = memoryWorld();
    const cluster = await openReplicated(world, { brokers: 1 });
    const [one, other] = [cluster.initProducer({}), cluster.initProducer({})];
    await send(cluster, ["plain"]);
    await write(cluster, { ...one, value: "a" });
    expect(await end(cluster, other, "commit")).toEqual({ offset: null });
    expect(await Promise.all([end(cluster, one, "commit"), end(cluster, one, "commit")])).toEqual([
      { offset: 2 },
      { offset: null },
    ]);
    expect(await end(cluster, one, "abort")).toEqual({ offset: null });
    expect(markersOn(cluster, 1)).toEqual([`2 commit ${one.producerId}:${one.producerEpoch + 1} from 1`]);
    expect(world.events.of("marker_written")).toMatchObject([
      { producerId: one.producerId, coordinatorEpoch: 3, control: "commit", firstOffset: 1, offset: 2 },
    ]);
  });

  test("of a transaction that began later is not written by a late end of the one before", async () => {
    const cluster = await openReplicated(memoryWorld(), { brokers: 1 });
    const producer = cluster.initProducer({});
    await write(cluster, { ...producer, value: "a" });
    await end(cluster, producer, "commit");
    const next = { ...producer, producerEpoch: producer.producerEpoch + 1 };
    await write(cluster, { ...next, value: "b" });
    expect(await end(cluster, producer, "abort")).toEqual({ offset: null });
    expect(stableOf(cluster)).toBe(2);
    await end(cluster, next, "commit");
    expect(committedValues(cluster)).toEqual(["a", "b"]);
  });

  test("waits for every replica in sync, as its records do, and a repeated end waits for the first one's marker", async () => {
    const cluster = await openReplicated(memoryWorld());
    const producer = cluster.initProducer({});
    const written = write(cluster, { ...producer, value: "a" });
    expect(await outcomeOf(written)).toBe("pending");
    await replicated(cluster);
    await written;
    const ended = end(cluster, producer, "commit");
    const again = end(cluster, producer, "commit");
    await cluster.replicateOnce({ brokerId: 2 });
    expect([await outcomeOf(ended), await outcomeOf(again)]).toEqual(["pending", "pending"]);
    expect(committedValues(cluster)).toEqual([]);
    await cluster.replicateOnce({ brokerId: 3 });
    expect([await ended, await again]).toEqual([{ offset: 1 }, { offset: null }]);
    expect(committedValues(cluster)).toEqual(["a"]);
  });

  test("is refused while too few replicas are in sync, and can be asked for again", async () => {
    const cluster = await openReplicated(memoryWorld(), { brokers: 2, minInSyncReplicas: 2 });
    const producer = cluster.initProducer({});
    const written = write(cluster, { ...producer, value: "a" });
    await replicated(cluster);
    await written;
    cluster.removeFromIsr(ORDERS, 2);
    expect(await rejection(end(cluster, producer, "commit"))).toMatchObject({ code: "NOT_ENOUGH_REPLICAS" });
    await cluster.rejoin(ORDERS, 2);
    const ended = end(cluster, producer, "commit");
    await replicated(cluster);
    expect(await ended).toEqual({ offset: 1 });
  });

  test("is written by the promoted leader when the first one had copied none, and not again when it had", async () => {
    const cluster = await openReplicated(memoryWorld());
    const producer = cluster.initProducer({});
    const written = write(cluster, { ...producer, value: "a" });
    await replicated(cluster);
    await written;
    const lost = end(cluster, producer, "commit");
    expect(await outcomeOf(lost)).toBe("pending");
    await cluster.promote(ORDERS, 2);
    expect(await rejection(lost)).toMatchObject({ code: "FENCED_LEADER_EPOCH" });
    const again = end(cluster, producer, "commit");
    await cluster.replicateOnce({ brokerId: 3 });
    await cluster.promote(ORDERS, 3);
    expect(await rejection(again)).toMatchObject({ code: "FENCED_LEADER_EPOCH" });
    const third = end(cluster, producer, "commit");
    await replicated(cluster);
    expect(await third).toEqual({ offset: null });
    for (const brokerId of [1, 2, 3])
      expect(markersOn(cluster, brokerId)).toEqual([
        `1 commit ${producer.producerId}:${producer.producerEpoch + 1} from 0`,
      ]);
    expect(committedValues(cluster)).toEqual(["a"]);
  });

  test("is not written a second time after a restart, also one that the process did not live to tell of", async () => {
    for (const point of ["transaction.marker.before_append", "transaction.marker.after_append"] as const) {
      const world = memoryWorld();
      let cluster = await openReplicated(world, { brokers: 1 });
      const producer = cluster.initProducer({});
      await write(cluster, { ...producer, value: "a" });
      const fault = world.faults.arm({ point, action: "crash" });
      await expect(end(cluster, producer, "abort")).rejects.toThrow("crashed");
      expect(fault.fired, point).toBe(1);
      await cluster.crash();
      world.disk.crash({ mode: "kept" });
      cluster = await openReplicated(world, { brokers: 1 });
      expect(stableOf(cluster)).toBe(point.endsWith("before_append") ? 0 : 2);
      await end(cluster, producer, "abort");
      expect(markersOn(cluster, 1)).toHaveLength(1);
      expect([committedValues(cluster), stableOf(cluster)]).toEqual([[], 2]);
    }
  });

  test("that a disk refuses leaves the transaction open, and the end can be asked for again", async () => {
    const world = memoryWorld();
    const cluster = await openReplicated(world, { brokers: 1 });
    const producer = cluster.initProducer({});
    await write(cluster, { ...producer, value: "a" });
    for (const point of ["transaction.marker.before_append", "log.append.before_write"] as const) {
      const fault = world.faults.arm({ point, action: "error" });
      expect(await rejection(end(cluster, producer, "commit"))).toMatchObject({ code: "STORAGE_ERROR" });
      expect(fault.fired, point).toBe(1);
      expect(markersOn(cluster, 1)).toEqual([]);
    }
    const fault = world.faults.arm({ point: "transaction.marker.after_append", action: "error" });
    expect(await rejection(end(cluster, producer, "commit"))).toMatchObject({ code: "STORAGE_ERROR" });
    expect(fault.fired).toBe(1);
    expect(await end(cluster, producer, "commit")).toEqual({ offset: null });
    expect(markersOn(cluster, 1)).toHaveLength(1);
  });
});

describe("the last stable offset", () => {
  test("stays where the first open transaction began, and passes each that has ended once its marker is visible", async () => {
    const world = memoryWorld();
    const cluster = await openReplicated(world, { brokers: 2 });
    const [one, other] = [cluster.initProducer({}), cluster.initProducer({})];
    const steps: [string, () => Promise<unknown>, number, number][] = [
      ["plain", () => send(cluster, ["p0"]), 1, 1],
      ["one", () => write(cluster, { ...one, value: "a" }), 1, 2],
      ["other", () => write(cluster, { ...other, value: "b" }), 1, 3],
      ["plain", () => send(cluster, ["p3"]), 1, 4],
      ["one ends", () => end(cluster, one, "commit"), 2, 5],
      ["other ends", () => end(cluster, other, "abort"), 6, 6],
      ["plain", () => send(cluster, ["p6"]), 7, 7],
    ];
    for (const [what, act, stable, highWatermark] of steps) {
      const before = stableOf(cluster);
      const acted = act();
      expect(stableOf(cluster), `${what}, of which the follower has not heard`).toBe(before);
      await replicated(cluster);
      await acted;
      expect([stableOf(cluster), cluster.visibleEnd(ORDERS)], what).toEqual([stable, highWatermark]);
    }
    expect(committedValues(cluster)).toEqual(["p0", "a", "p3", "p6"]);
    expect(valuesOf(cluster, ORDERS)).toHaveLength(7);
    const moves = world.events.of("last_stable_offset_moved");
    expect(moves.map(({ from, to, highWatermark }) => [from, to, highWatermark])).toEqual([
      [1, 2, 5],
      [2, 6, 6],
    ]);
  });

  test("moves without an event where there are no transactions", async () => {
    const world = memoryWorld();
    const cluster = await openReplicated(world);
    await send(cluster, ["a", "b"]);
    await replicated(cluster);
    expect(stableOf(cluster)).toBe(2);
    expect(world.events.of("last_stable_offset_moved")).toEqual([]);
  });

  test("tells those who wait for more, and no reader of committed records gets any of an open transaction", async () => {
    const cluster = await openReplicated(memoryWorld(), { brokers: 1 });
    const producer = cluster.initProducer({});
    const seen: number[] = [];
    cluster.onVisible(ORDERS, () => seen.push(cluster.visibleEnd(ORDERS, "read_committed")));
    await send(cluster, ["p"]);
    await write(cluster, { ...producer, value: "a" });
    expect(cluster.fetch(ORDERS, 1, { bytesMax: 100, isolation: "read_committed" })).toMatchObject({
      batches: Buffer.alloc(0),
      ...{ nextOffset: 1, lastStableOffset: 1, highWatermark: 2 },
    });
    await end(cluster, producer, "commit");
    expect(seen).toEqual([1, 1, 3]);
    expect(cluster.listOffsets(ORDERS, -1, "read_committed")).toMatchObject({ offset: 3 });
  });

  test("is the same at a promoted leader, for which what it had not heard of is open again", async () => {
    const cluster = await openReplicated(memoryWorld());
    const [one, other] = [cluster.initProducer({}), cluster.initProducer({})];
    const written = [write(cluster, { ...one, value: "a" }), write(cluster, { ...other, value: "b" })];
    await replicated(cluster);
    await Promise.all(written);
    const ended = end(cluster, one, "commit");
    await replicated(cluster);
    await ended;
    expect(stableOf(cluster)).toBe(1);
    const lost = rejection(end(cluster, other, "commit"));
    await cluster.promote(ORDERS, 3);
    await lost;
    expect([stableOf(cluster), cluster.visibleEnd(ORDERS)]).toEqual([1, 3]);
    await replicated(cluster);
    expect([stableOf(cluster), cluster.visibleEnd(ORDERS)]).toEqual([1, 3]);
    expect(cluster.describePartition(ORDERS)).toMatchObject({
      lastStableOffset: 1,
      openTransactions: [{ ...other, firstOffset: 1 }],
    });
    const again = end(cluster, other, "abort");
    await replicated(cluster);
    await again;
    expect([stableOf(cluster), committedValues(cluster)]).toEqual([4, ["a"]]);
  });

  test("counts an end that a leader knows to have been visible, though the one before it had lost it", async () => {
    for (const control of ["commit", "abort"] as const) {
      const cluster = await openReplicated(memoryWorld(), { minInSyncReplicas: 2 });
      const producer = cluster.initProducer({});
      const written = write(cluster, { ...producer, value: "a" });
      await replicated(cluster);
      await written;
      cluster.removeFromIsr(ORDERS, 2);
      const ended = end(cluster, producer, control);
      await cluster.replicateOnce({ brokerId: 3 });
      await cluster.replicateOnce({ brokerId: 3 });
      await ended;
      const marks = () => [stableOf(cluster), cluster.visibleEnd(ORDERS)];
      expect(marks()).toEqual([2, 2]);
      await cluster.promote(ORDERS, 2, { unclean: true });
      expect(marks()).toEqual([0, 1]);
      await cluster.promote(ORDERS, 3, { unclean: true });
      expect([marks(), committedValues(cluster)]).toEqual([[2, 2], control === "commit" ? ["a"] : []]);
    }
  });

  test("is where an open transaction goes on, when records were deleted in its midst", async () => {
    const cluster = await openReplicated(memoryWorld(), { brokers: 1 });
    const producer = cluster.initProducer({});
    await write(cluster, { ...producer, value: "a" });
    await write(cluster, { ...producer, value: "b", baseSequence: 1 });
    await send(cluster, ["p"]);
    await write(cluster, { ...producer, value: "c", baseSequence: 2 });
    let told = 0;
    cluster.onVisible(ORDERS, () => {
      told += 1;
    });
    await cluster.deleteRecords(ORDERS, 2);
    expect([stableOf(cluster), told]).toEqual([3, 1]);
    await end(cluster, producer, "abort");
    expect([stableOf(cluster), committedValues(cluster)]).toEqual([5, ["p"]]);
  });

  test("is the high watermark when all that an open transaction has written was deleted, at every replica that may lead next", async () => {
    const cluster = await openReplicated(memoryWorld());
    const producer = cluster.initProducer({});
    const written = write(cluster, { ...producer, value: "a" });
    await replicated(cluster);
    await written;
    await cluster.stopBroker(3);
    const sent = send(cluster, ["p"], "all");
    cluster.refreshIsr();
    cluster.removeFromIsr(ORDERS, 3);
    await replicated(cluster);
    await sent;
    expect(stableOf(cluster)).toBe(0);
    await cluster.deleteRecords(ORDERS, 1);
    expect([stableOf(cluster), cluster.visibleEnd(ORDERS)]).toEqual([2, 2]);
    expect(await end(cluster, producer, "commit")).toEqual({ offset: null });
    await cluster.startBroker(3);
    await cluster.rejoin(ORDERS, 3);
    for (const brokerId of [3, 2]) {
      await replicated(cluster);
      await cluster.promote(ORDERS, brokerId);
      expect([stableOf(cluster), committedValues(cluster)], `led by ${brokerId}`).toEqual([2, ["p"]]);
    }
    const next = { ...producer, producerEpoch: producer.producerEpoch + 1, value: "b" };
    const later = write(cluster, next);
    await replicated(cluster);
    await later;
    expect([stableOf(cluster), cluster.visibleEnd(ORDERS)]).toEqual([2, 3]);
  });
});

describe("what keeps the logs in shape", () => {
  const padded = (value: string) => value.padEnd(200, ".");
  const SMALL = { segmentBytes: 1024 };

  test("retention removes nothing that an open transaction has written, nor anything behind its beginning", async () => {
    const world = memoryWorld();
    const cluster = await openReplicated(world, { brokers: 1, config: SMALL });
    cluster.alterConfig("orders", { retention_ms: 10 });
    const producer = cluster.initProducer({});
    const filled = (values: number) =>
      send(
        cluster,
        Array.from({ length: values }, (_, n) => padded(`p${n}`)),
      );
    await filled(10);
    const { baseOffset } = await write(cluster, { ...producer, value: padded("a") });
    await filled(20);
    world.clock.advance(1000);
    await cluster.steps.applyRetention();
    const { logStartOffset } = cluster.replicaSet(ORDERS).leaderLog;
    expect(logStartOffset).toBeGreaterThan(0);
    expect(logStartOffset).toBeLessThanOrEqual(baseOffset);
    await end(cluster, producer, "commit");
    world.clock.advance(1000);
    await cluster.steps.applyRetention();
    expect(cluster.replicaSet(ORDERS).leaderLog.logStartOffset).toBe(32);
  });

  test("a follower that has not heard of an abort does not take its records for the latest of their keys", async () => {
    const config = { ...SMALL, replicaFetchMaxBytes: 1 };
    const cluster = await openReplicated(memoryWorld(), { brokers: 2, config });
    cluster.removeFromIsr(ORDERS, 2);
    const [one, other] = [cluster.initProducer({}), cluster.initProducer({})];
    await write(cluster, { ...one, key: "k", value: padded("kept") });
    await end(cluster, one, "commit");
    await write(cluster, { ...other, key: "k", value: padded("aborted") });
    await send(
      cluster,
      Array.from({ length: 20 }, (_, n) => padded(`p${n}`)),
    );
    // What has no key was written before the topic was compacted.
    cluster.alterConfig("orders", { cleanup_policy: "compact", min_cleanable_dirty_ratio: 0 });
    for (let round = 0; round < 20; round++) await cluster.replicateOnce();
    await end(cluster, other, "abort");
    const { leaderLog } = cluster.replicaSet(ORDERS);
    const { log } = cluster.replicaSet(ORDERS).leadership.requireCopy(2);
    expect([log.logEndOffset, log.openTransactions.length]).toEqual([20, 1]);
    await cluster.steps.flushLogs();
    await cluster.steps.compact(() => Promise.resolve());
    await cluster.rejoin(ORDERS, 2);
    for (let round = 0; round < 20; round++) await cluster.replicateOnce();
    expect(log.logEndOffset).toBe(leaderLog.logEndOffset);
    await cluster.promote(ORDERS, 2);
    expect(committedValues(cluster)[0]).toBe(padded("kept"));
    expect(committedValues(cluster)).toHaveLength(21);
  });
});
