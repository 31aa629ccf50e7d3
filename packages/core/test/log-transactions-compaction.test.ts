/** Compaction of a log with transactions: what was aborted never comes back, and a marker stays until its records are gone. */
import { readBatchHeader, readMarker, splitFrames } from "@minikafka/record";
import { expect, test } from "vitest";
import type { PartitionLog } from "../src/log/partition-log.ts";
import { COMPACTED_CONFIG, compactedWorld, done, keyed, left, request } from "./compaction-world.ts";
import { newWorld, segmentAt } from "./log-world.ts";
import { snapshotsOn } from "./producers-world.ts";
import { readCommitted } from "./transactions-model.ts";
import { endTransaction, marker, txnIndexesOn } from "./transactions-world.ts";

/** One batch of a producer's transaction. */
function send(log: PartitionLog, producerId: number, key: string, value: string, producerEpoch = 0): void {
  const baseSequence = log.openTransaction(producerId) === undefined ? 0 : nextSequence(log, producerId);
  log.append(
    keyed([[key, value]], 1000, { producerId, producerEpoch, baseSequence, transactional: true }),
    0,
  );
}

function nextSequence(log: PartitionLog, producerId: number): number {
  const last = log.producer(producerId)?.batches.at(-1);
  return last === undefined ? 0 : last.baseSequence + last.nextOffset - last.baseOffset;
}

function plain(log: PartitionLog, key: string, value: string): void {
  log.append(keyed([[key, value]], 1000), 0);
}

/** Rolls and flushes, so that all so far may be compacted, and takes a pass. */
async function compacted(log: PartitionLog, nowMs = 10_000, cleanEnd = log.logEndOffset) {
  log.roll();
  await log.flush();
  return done(await log.compact(request(log, { nowMs, cleanEnd })));
}

/** The markers that are left, with what their values say. */
function markersOf(log: PartitionLog) {
  const found: object[] = [];
  for (let next = log.logStartOffset; next < log.logEndOffset; ) {
    const { batches, nextOffset } = log.read(next, { bytesMax: 1 << 20, endOffset: log.logEndOffset });
    for (const frame of splitFrames(batches)) {
      const { control, baseOffset, deleteHorizonMs } = readBatchHeader(frame);
      if (control !== null) found.push({ control, baseOffset, deleteHorizonMs, ...readMarker(frame) });
    }
    next = nextOffset;
  }
  return found;
}

test("records that were aborted go, and what they would have superseded stays", async () => {
  const log = compactedWorld().open();
  plain(log, "a", "kept");
  send(log, 7, "a", "aborted");
  send(log, 7, "b", "aborted");
  endTransaction(log, 7, "abort");
  send(log, 8, "c", "committed");
  endTransaction(log, 8, "commit");
  await compacted(log);
  expect(left(log).filter((line) => !/^[35] /.test(line))).toEqual(["0 a=kept", "4 c=committed"]);
  expect(readCommitted(log, log.logEndOffset)).toEqual(["0 a=kept", "4 c=committed"]);
});

test("nothing from the beginning of an open transaction on is touched, whatever the caller's clean point is", async () => {
  const log = compactedWorld().open();
  plain(log, "a", "old");
  log.roll();
  send(log, 7, "a", "open");
  plain(log, "a", "new");
  const result = await compacted(log);
  expect(result.firstDirtyOffset).toBe(1);
  expect(left(log)).toEqual(["0 a=old", "1 a=open", "2 a=new"]);
  endTransaction(log, 7, "abort");
  await compacted(log);
  expect(readCommitted(log, log.logEndOffset)).toEqual(["2 a=new"]);
});

test("a transaction over several segments, cleaned a part at a time, is one: its records do not come back with a part of it", async () => {
  const world = compactedWorld({ segmentBytes: 150 });
  const log = world.open();
  for (let n = 0; n < 6; n++) {
    plain(log, `p${n}`, "kept");
    send(log, 7, `k${n}`, "aborted");
  }
  endTransaction(log, 7, "abort");
  for (let n = 0; n < 3; n++) plain(log, `q${n}`, "kept");
  log.roll();
  await log.flush();
  const expected = readCommitted(log, log.logEndOffset);
  // Room for two keys: many passes, each of which covers a part.
  let passes = 0;
  for (; passes < 20; passes++) {
    const outcome = await log.compact(request(log, { bufferBytes: 64, nowMs: 10_000 + passes }));
    expect(readCommitted(log, log.logEndOffset)).toEqual(expected);
    expect(log.abortedTransactions(0, 5)).toEqual([{ producerId: 7, firstOffset: 1, lastOffset: 12 }]);
    if (outcome !== null && "isComplete" in outcome && outcome.isComplete) break;
  }
  expect(passes).toBeGreaterThan(3);
  expect(left(log).join()).not.toContain("aborted");
});

test("an abort marker stays through the pass that drops its records, and delete_retention_ms from the next one on", async () => {
  const world = compactedWorld();
  const log = world.open();
  send(log, 7, "a", "aborted");
  endTransaction(log, 7, "abort");
  // The producer goes on, so that no batch of the old epoch says where its sequence stands.
  send(log, 7, "b", "committed", 1);
  endTransaction(log, 7, "commit");
  send(log, 7, "c", "committed", 2);
  endTransaction(log, 7, "commit");
  const aborted = { control: "abort", baseOffset: 1, coordinatorEpoch: 0, firstOffset: 0 };
  await compacted(log, 1000);
  expect(markersOf(log)[0]).toEqual({ ...aborted, deleteHorizonMs: null });
  plain(log, "d", "1");
  await compacted(log, 2000);
  expect(markersOf(log)[0]).toEqual({ ...aborted, deleteHorizonMs: 2100 });
  expect(log.abortedTransactions(0, 2)).toEqual([{ producerId: 7, firstOffset: 0, lastOffset: 1 }]);
  plain(log, "e", "1");
  await compacted(log, 2099);
  expect(markersOf(log)[0]).toEqual({ ...aborted, deleteHorizonMs: 2100 });
  // Its time alone makes a pass due.
  expect(done(await log.compact(request(log, { nowMs: 2100 })))).toMatchObject({ recordsDropped: 1 });
  expect(markersOf(log)).toHaveLength(2);
  expect(log.abortedTransactions(0, log.logEndOffset)).toEqual([]);
  expect(readCommitted(log, log.logEndOffset).map((line) => line.split(" ")[1])).toEqual([
    "b=committed",
    "c=committed",
    "d=1",
    "e=1",
  ]);
});

test("an abort marker behind the covered part stays, though all that is before it was dropped already (KAFKA-13727)", async () => {
  const log = compactedWorld({ segmentBytes: 10_000 }).open();
  plain(log, "a", "1");
  send(log, 7, "b", "aborted");
  log.roll();
  send(log, 7, "c", "aborted");
  plain(log, "d", "1");
  plain(log, "e", "1");
  endTransaction(log, 7, "abort");
  log.roll();
  plain(log, "f", "1");
  await log.flush();
  // Room for two keys: the pass ends before the marker.
  const first = done(await log.compact(request(log, { bufferBytes: 64, nowMs: 1000 })));
  expect(first.isComplete).toBe(false);
  expect(first.firstDirtyOffset).toBeLessThan(5);
  expect(log.abortedTransactions(0, 6)).toHaveLength(1);
  for (let nowMs = 1050; nowMs < 1400; nowMs += 50) {
    await log.compact(request(log, { bufferBytes: 64, nowMs }));
    expect(readCommitted(log, log.logEndOffset)).toEqual(["0 a=1", "3 d=1", "4 e=1", "6 f=1"]);
  }
});

test("a transaction that a truncation opens again in a segment that was cleaned in part supersedes nothing", async () => {
  const log = compactedWorld({ segmentBytes: 10_000 }).open();
  for (const key of ["a", "b", "c"]) plain(log, key, "kept");
  send(log, 7, "a", "open again");
  log.roll();
  endTransaction(log, 7, "commit");
  log.roll();
  await log.flush();
  const first = done(await log.compact(request(log, { bufferBytes: 64 })));
  expect(first).toMatchObject({ isComplete: false, firstDirtyOffset: 2 });
  await log.truncateTo(4);
  expect(log.openTransaction(7)?.firstOffset).toBe(3);
  log.roll();
  await log.flush();
  await log.compact(request(log));
  expect(left(log)).toEqual(["0 a=kept", "1 b=kept", "2 c=kept", "3 a=open again"]);
  endTransaction(log, 7, "abort");
  await compacted(log);
  expect(readCommitted(log, log.logEndOffset)).toEqual(["0 a=kept", "1 b=kept", "2 c=kept"]);
});

test("what compaction writes is read the same without its index, its snapshots, or both", async () => {
  const world = compactedWorld({ segmentBytes: 200 });
  const log = world.open();
  for (let n = 0; n < 8; n++) {
    send(log, 7, `k${n % 3}`, `${n}`, n);
    endTransaction(log, 7, n % 3 === 1 ? "abort" : "commit");
    send(log, 8, `m${n}`, "held");
    plain(log, "x", `${n}`);
    if (n === 5) endTransaction(log, 8, "abort");
  }
  log.configure({ ...COMPACTED_CONFIG, segmentBytes: 4000 });
  await compacted(log);
  const expected = readCommitted(log, log.logEndOffset);
  const told = [log.abortedTransactions(0, log.logEndOffset), log.openTransactions];
  expect(told[0]?.length).toBeGreaterThan(2);
  await log.close();
  expect(txnIndexesOn(world.disk).length).toBeGreaterThan(0);
  for (const path of [...txnIndexesOn(world.disk), ...snapshotsOn(world.disk)]) {
    world.disk.remove(path);
    const again = world.open({ create: false });
    expect(readCommitted(again, again.logEndOffset)).toEqual(expected);
    expect([again.abortedTransactions(0, again.logEndOffset), again.openTransactions]).toEqual(told);
    again.abandon();
  }
});

test("an emptied batch that is left of an aborted transaction opens none when the log is read anew", async () => {
  const world = compactedWorld();
  const log = world.open();
  send(log, 7, "a", "aborted");
  // Of the same epoch, as Kafka wrote markers before KIP-890: the batch stays to say where the sequence stands.
  log.append(marker(7, "abort", { firstOffset: 0, producerEpoch: 0 }), 0);
  for (const nowMs of [1000, 2000, 3000]) {
    plain(log, "c", "1");
    await compacted(log, nowMs);
  }
  expect(markersOf(log)).toEqual([]);
  const { batches } = log.read(0, { bytesMax: 1, endOffset: 1 });
  expect(readBatchHeader(batches)).toMatchObject({ producerId: 7, transactional: true, recordCount: 0 });
  await log.close();
  for (const path of snapshotsOn(world.disk)) world.disk.remove(path);
  expect(world.open({ create: false }).openTransactions).toEqual([]);
});

test("a follower that copies a compacted log knows the same of it", async () => {
  const leader = compactedWorld({ segmentBytes: 200 }).open();
  for (let n = 0; n < 6; n++) {
    send(leader, 7, "a", `${n}`, n);
    endTransaction(leader, 7, n % 2 === 0 ? "abort" : "commit");
    plain(leader, "b", `${n}`);
  }
  send(leader, 9, "c", "open");
  await compacted(leader);
  const follower = newWorld({ segmentBytes: 500 }).open();
  for (let next = 0; next < leader.logEndOffset; next = follower.logEndOffset)
    follower.appendAsFollower(leader.read(next, { bytesMax: 4096, endOffset: leader.logEndOffset }).batches);
  const stable = leader.firstUnstableOffset(leader.logEndOffset) ?? 0;
  expect(readCommitted(follower, stable)).toEqual(readCommitted(leader, stable));
  expect(follower.openTransactions).toEqual(leader.openTransactions);
  expect(follower.abortedTransactions(0, stable)).toEqual(leader.abortedTransactions(0, stable));
});

test("retention keeps the segment in which an open transaction began, and all behind it; so it does with one that ended above the high watermark", async () => {
  const world = newWorld({ segmentBytes: 150, retentionMs: 0 });
  const log = world.open();
  for (let n = 0; n < 4; n++) plain(log, "a", "1");
  send(log, 7, "b", "1");
  for (let n = 0; n < 4; n++) plain(log, "a", "1");
  await log.flush();
  const begins = log.segments().findLast(({ baseOffset }) => baseOffset <= 4)?.baseOffset ?? 0;
  const apply = () => log.applyRetention({ nowMs: 1e9, highWatermark: 9 });
  expect((await apply()).logStartOffset).toBe(begins);
  endTransaction(log, 7, "commit");
  await log.flush();
  expect((await apply()).logStartOffset).toBe(begins);
  const { logStartOffset } = await log.applyRetention({ nowMs: 1e9, highWatermark: 10 });
  expect(logStartOffset).toBe(10);
  expect(world.disk.stat(segmentAt(begins))).toBeNull();
});

test("records that are deleted in the middle of an open transaction take their segments along", async () => {
  const world = newWorld({ segmentBytes: 150 });
  const log = world.open();
  send(log, 7, "b", "1");
  for (let n = 0; n < 6; n++) plain(log, "a", "1");
  send(log, 7, "b", "2");
  await log.flush();
  expect(await log.deleteRecords(5)).toBe(5);
  expect(log.segments()[0]?.baseOffset).toBeGreaterThan(0);
  expect(log.firstUnstableOffset(8)).toBe(7);
  await log.close();
  const again = world.open({ create: false });
  expect(again.openTransaction(7)?.firstOffset).toBe(7);
  endTransaction(again, 7, "abort");
  expect(again.abortedTransactions(5, 9)).toEqual([{ producerId: 7, firstOffset: 7, lastOffset: 8 }]);
});
