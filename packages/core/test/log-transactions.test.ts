/** Which transactions of a log are open, and which have ended: told by its batches, through restarts, cuts and crashes. */
import { expect, test } from "vitest";
import { batch, newWorld, readAll, rewrite, worldOn } from "./log-world.ts";
import { snapshotsOn } from "./producers-world.ts";
import { asVersionOne, data, endTransaction, facts, marker } from "./transactions-world.ts";

test("a producer's first batch of a transaction opens it, and its next marker ends it", () => {
  const log = newWorld().open();
  log.append(batch(["plain"]), 0);
  log.append(data(7, ["a", "b"]), 0);
  log.append(data(8, ["c"]), 0);
  log.append(data(7, ["d"], { baseSequence: 2 }), 0);
  expect(log.openTransactions).toEqual([
    { producerId: 7, producerEpoch: 0, firstOffset: 1, nextOffset: 5 },
    { producerId: 8, producerEpoch: 0, firstOffset: 3, nextOffset: 4 },
  ]);
  expect(log.openTransaction(8)?.firstOffset).toBe(3);
  endTransaction(log, 7, "commit");
  expect(log.openTransactions).toEqual([{ producerId: 8, producerEpoch: 0, firstOffset: 3, nextOffset: 4 }]);
  log.append(data(7, ["next"], { producerEpoch: 1 }), 0);
  expect(log.openTransaction(7)).toMatchObject({ producerEpoch: 1, firstOffset: 6 });
});

test("what is unstable begins with the oldest transaction that is open, or whose marker is not below the high watermark", () => {
  const log = newWorld().open();
  log.append(batch(["plain"]), 0);
  expect(log.firstUnstableOffset(0)).toBeNull();
  log.append(data(7, ["a"]), 0);
  log.append(data(8, ["b"]), 0);
  endTransaction(log, 7, "abort");
  endTransaction(log, 8, "commit");
  expect([0, 2, 3, 4, 5].map((highWatermark) => log.firstUnstableOffset(highWatermark))).toEqual([
    1,
    1,
    1,
    2,
    null,
  ]);
  log.followHighWatermark(4);
  expect([log.firstUnstableOffset(4), log.firstUnstableOffset(5)]).toEqual([2, null]);
});

test.for([
  ["in the same life", false],
  ["after a restart", true],
] as const)(
  "what had ended below a high watermark that goes back is unstable again from where its marker says, %s",
  async ([, isRestarted]) => {
    const world = newWorld({ segmentBytes: 300 });
    let log = world.open();
    const plain = (count: number) => {
      for (let n = 0; n < count; n++) log.append(batch(["plain"]), 0);
    };
    const restart = async () => {
      await log.close();
      log = world.open({ create: false });
    };
    plain(4);
    log.append(data(7, ["a"]), 0);
    log.append(data(8, ["b"]), 0);
    endTransaction(log, 7, "abort");
    plain(4);
    endTransaction(log, 8, "commit");
    plain(1);
    expect(log.logEndOffset).toBe(13);
    expect(log.segments().length).toBeGreaterThan(3);
    log.followHighWatermark(13);
    if (isRestarted) await restart();
    // Nobody knows where they began until somebody has looked.
    expect([3, 11, 12].map((highWatermark) => log.firstUnstableOffset(highWatermark))).toEqual([0, 0, null]);
    const firsts = [12, 11, 7, 6, 3].map((highWatermark) => {
      log.followHighWatermark(highWatermark);
      return log.firstUnstableOffset(highWatermark);
    });
    expect(firsts).toEqual([null, 5, 5, 4, 4]);
    plain(1);
    await restart();
    expect([3, 6, 7, 12].map((highWatermark) => log.firstUnstableOffset(highWatermark))).toEqual([
      4,
      4,
      5,
      null,
    ]);
  },
);

test("what ended, was forgotten and cannot be read holds what is stable at the log start, until the high watermark is back", async () => {
  const world = newWorld();
  const log = world.open();
  log.append(batch(["plain"]), 0);
  log.append(data(7, ["a"]), 0);
  endTransaction(log, 7, "commit");
  log.append(batch(["plain"]), 0);
  log.followHighWatermark(4);
  world.disk.fail({ operation: "read", code: "EIO", times: { nth: 1 } });
  log.followHighWatermark(2);
  expect([2, 3].map((highWatermark) => log.firstUnstableOffset(highWatermark))).toEqual([0, null]);
  log.followHighWatermark(2);
  expect(log.firstUnstableOffset(2)).toBe(1);
});

test("aborted transactions are told by what overlaps the range that is asked for, however far behind the marker lies", () => {
  const log = newWorld({ segmentBytes: 300 }).open();
  log.append(data(7, ["a"]), 0);
  log.append(data(8, ["b"]), 0);
  for (let n = 0; n < 10; n++) log.append(batch(["plain"]), 0);
  endTransaction(log, 8, "abort");
  log.append(data(9, ["c"]), 0);
  endTransaction(log, 9, "commit");
  endTransaction(log, 7, "abort");
  expect(log.segments().length).toBeGreaterThan(3);
  const [seven, eight] = [
    { producerId: 7, firstOffset: 0, lastOffset: 15 },
    { producerId: 8, firstOffset: 1, lastOffset: 12 },
  ];
  expect(log.abortedTransactions(0, 16)).toEqual([seven, eight]);
  expect(log.abortedTransactions(0, 1)).toEqual([seven]);
  expect(log.abortedTransactions(12, 13)).toEqual([seven, eight]);
  expect(log.abortedTransactions(13, 14)).toEqual([seven]);
  expect(log.abortedTransactions(15, 16)).toEqual([seven]);
});

test("a transaction whose records were all deleted is open no more, as for a follower that never had them, nor after a restart", async () => {
  const world = newWorld();
  const log = world.open();
  log.append(data(7, ["a"]), 0);
  log.append(data(8, ["a"]), 0);
  log.append(batch(["plain"]), 0);
  log.hideBelow(1);
  expect(log.openTransactions.map(({ producerId }) => producerId)).toEqual([8]);
  expect([log.openTransaction(7), log.firstUnstableOffset(3)]).toEqual([undefined, 1]);
  await log.deleteRecords(2);
  expect([log.openTransactions, log.firstUnstableOffset(3)]).toEqual([[], null]);
  await log.close();
  const again = world.open({ create: false });
  expect(again.openTransactions).toEqual([]);
  again.append(data(7, ["b"], { producerEpoch: 1 }), 0);
  expect(again.openTransaction(7)).toMatchObject({ producerEpoch: 1, firstOffset: 3, nextOffset: 4 });
  again.append(data(8, ["b"], { baseSequence: 1 }), 0);
  expect(again.openTransaction(8)).toMatchObject({ producerEpoch: 0, firstOffset: 4, nextOffset: 5 });
  expect(again.firstUnstableOffset(5)).toBe(3);
});

test.each(["a clean close", "a kill", "a power cut"] as const)(
  "after %s the open transactions are the same, and so is what has ended",
  async (end) => {
    const world = newWorld({ segmentBytes: 300 });
    const log = world.open();
    log.append(data(7, ["a"]), 0);
    log.append(data(8, ["b"]), 0);
    endTransaction(log, 8, "abort");
    log.append(data(9, ["c"]), 0);
    await log.flush();
    const known = facts(log);
    if (end === "a clean close") await log.close();
    else log.abandon();
    if (end === "a power cut") world.disk.crash({ mode: "lost" });
    const again = world.open({ create: false });
    expect(facts(again)).toEqual(known);
    expect(again.firstUnstableOffset(2)).toBe(0);
    endTransaction(again, 7, "commit");
    endTransaction(again, 9, "commit");
    expect(again.firstUnstableOffset(2)).toBe(0);
    expect(again.firstUnstableOffset(again.logEndOffset)).toBeNull();
  },
);

test("a transaction that ended and is not settled is still known after a restart without a batch behind it", async () => {
  const world = newWorld();
  const log = world.open();
  log.append(data(7, ["a"]), 0);
  endTransaction(log, 7, "commit");
  await log.close();
  const again = world.open({ create: false });
  expect(again.firstUnstableOffset(1)).toBe(0);
  again.followHighWatermark(2);
  await again.close();
  expect(world.open({ create: false }).firstUnstableOffset(1)).toBe(0);
  again.abandon();
});

test("without any snapshot the batches tell the same", async () => {
  const world = newWorld({ segmentBytes: 300 });
  const log = world.open();
  log.append(data(7, ["a"]), 0);
  for (let n = 0; n < 8; n++) log.append(batch(["plain"]), 0);
  log.append(data(8, ["b"]), 0);
  const known = facts(log);
  await log.close();
  const spoilt = snapshotsOn(world.disk);
  expect(spoilt.length).toBeGreaterThan(0);
  for (const path of spoilt) rewrite(world.disk, path, (bytes) => bytes.subarray(0, 20));
  expect(facts(world.open({ create: false }))).toEqual(known);
});

test("a truncation into a transaction opens it again, also when its producer was forgotten and its end was settled", async () => {
  const world = newWorld({ segmentBytes: 300 });
  const log = world.open();
  log.append(batch(["plain"]), 0);
  log.append(data(7, ["a"]), 0);
  log.append(data(7, ["b"], { baseSequence: 1 }), 0);
  endTransaction(log, 7, "abort");
  for (let n = 0; n < 8; n++) log.append(batch(["plain"]), 0);
  log.followHighWatermark(log.logEndOffset);
  expect(log.forgetIdleProducers(Number.MAX_SAFE_INTEGER)).toEqual([7]);
  await log.close();
  const again = world.open({ create: false });
  expect(again.producers()).toEqual([]);
  await again.truncateTo(3);
  expect(again.openTransactions).toEqual([
    { producerId: 7, producerEpoch: 0, firstOffset: 1, nextOffset: 3 },
  ]);
  expect(again.abortedTransactions(0, 3)).toEqual([]);
  await again.truncateTo(1);
  expect(again.openTransactions).toEqual([]);
  again.append(batch(["behind"]), 0);
  await again.close();
  expect(facts(world.open({ create: false })).open).toEqual([]);
});

test("a log that begins anew has no transaction", async () => {
  const world = newWorld();
  const log = world.open();
  log.append(data(7, ["a"]), 0);
  log.append(data(8, ["b"]), 0);
  endTransaction(log, 8, "abort");
  await log.restartAt(100);
  expect(facts(log)).toEqual({ open: [], unstable: null, aborted: [] });
  await log.close();
  expect(facts(world.open({ create: false }))).toEqual({ open: [], unstable: null, aborted: [] });
});

test("a producer whose transaction is open is not forgotten, however long nothing is heard of it", () => {
  const log = newWorld().open();
  log.append(data(7, ["a"]), 0);
  log.append(data(8, ["b"]), 0);
  endTransaction(log, 8, "commit");
  expect(log.forgetIdleProducers(Number.MAX_SAFE_INTEGER)).toEqual([8]);
  expect(log.producer(7)?.batches.length).toBe(1);
});

test("a follower knows the same of the transactions that it copies", () => {
  const leader = newWorld({ segmentBytes: 300 }).open();
  leader.append(data(7, ["a"]), 0);
  leader.append(data(8, ["b"]), 0);
  endTransaction(leader, 8, "abort");
  leader.append(data(9, ["c"]), 0);
  endTransaction(leader, 9, "commit");
  const follower = newWorld({ segmentBytes: 500 }).open();
  for (let next = 0; next < leader.logEndOffset; next = follower.logEndOffset)
    follower.appendAsFollower(leader.read(next, { bytesMax: 4096, endOffset: leader.logEndOffset }).batches);
  expect(facts(follower)).toEqual(facts(leader));
  expect(readAll(follower)).toEqual(readAll(leader));
});

test("a marker of a producer without an open transaction opens nothing and ends nothing", () => {
  const log = newWorld().open();
  log.append(marker(7, "abort"), 0);
  expect(log.openTransactions).toEqual([]);
  expect(log.firstUnstableOffset(0)).toBeNull();
});

test("a snapshot of a version that knew no transactions is still read", async () => {
  const world = newWorld();
  const log = world.open();
  log.append(data(7, ["a"], { transactional: false }), 0);
  await log.close();
  const [path = ""] = snapshotsOn(world.disk);
  rewrite(world.disk, path, asVersionOne);
  const again = worldOn(world.disk);
  expect(again.open({ create: false }).producer(7)?.batches.length).toBe(1);
  expect(again.trace.of("producer_snapshot_unusable")).toEqual([]);
});
