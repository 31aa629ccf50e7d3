/** What was deleted of a transaction is no part of it: the rest counts alone, whenever it was written, and whoever reads the log again. */
import { expect, test } from "vitest";
import type { PartitionLog } from "../src/log/partition-log.ts";
import { batch, flipped, type LogWorld, newWorld, rewrite, segmentAt } from "./log-world.ts";
import { data, endTransaction } from "./transactions-world.ts";

/** In a log that has the first record of a transaction of 7, and another one's. */
async function beginning(world: LogWorld): Promise<PartitionLog> {
  const log = world.open();
  log.append(data(7, ["a"]), 0);
  log.append(batch(["plain"]), 0);
  log.followHighWatermark(2);
  return log;
}

function goOn(log: PartitionLog): void {
  log.append(batch(["plain"]), 0);
  log.append(data(8, ["c"]), 0);
  log.append(data(7, ["b"], { baseSequence: 1 }), 0);
}

test("a producer whose transaction was deleted wholly is forgotten for its silence as any other, one of which a record is left is not", async () => {
  const world = newWorld();
  const log = await beginning(world);
  goOn(log);
  await log.deleteRecords(4);
  // 8 has written at 3 alone, 7 at 0 and 4.
  expect(log.openTransactions.map(({ producerId }) => producerId)).toEqual([7]);
  expect(log.forgetIdleProducers(Number.MAX_SAFE_INTEGER)).toEqual([8]);
  expect([log.producer(7)?.producerId, log.producer(8)]).toEqual([7, undefined]);
  await log.close();
  expect(world.open({ create: false }).openTransactions.map(({ producerId }) => producerId)).toEqual([7]);
});

const ENDS = {
  "in the same life": async (_world: LogWorld, log: PartitionLog) => log,
  "after a clean end": async (world: LogWorld, log: PartitionLog) => {
    await log.close();
    return world.open({ create: false });
  },
  "after a kill": async (world: LogWorld, log: PartitionLog) => {
    log.abandon();
    return world.open({ create: false });
  },
  "after a power cut": async (world: LogWorld, log: PartitionLog) => {
    await log.flush();
    log.abandon();
    world.disk.crash({ mode: "lost" });
    return world.open({ create: false });
  },
};

const ORDERS = {
  "before the rest was written": async (log: PartitionLog) => {
    await log.deleteRecords(1);
    goOn(log);
  },
  "after the rest was written": async (log: PartitionLog) => {
    goOn(log);
    await log.deleteRecords(1);
  },
  "after the rest was written and noted in a snapshot": async (log: PartitionLog) => {
    goOn(log);
    log.roll();
    await log.flush();
    await log.deleteRecords(1);
  },
};

const CASES = Object.entries(ORDERS).flatMap(([order, deleted]) =>
  Object.entries(ENDS).map(([end, after]) => ({ order, end, deleted, after })),
);

test.for(CASES)(
  "a transaction whose beginning was deleted $order begins with the first batch that is left, $end",
  async ({ deleted, after }) => {
    const world = newWorld();
    const before = await beginning(world);
    await deleted(before);
    const log = await after(world, before);
    expect(log.openTransactions.map(({ producerId, firstOffset }) => [producerId, firstOffset])).toEqual([
      [8, 3],
      [7, 4],
    ]);
    expect([log.openTransaction(7)?.firstOffset, log.firstUnstableOffset(5)]).toEqual([4, 3]);
    endTransaction(log, 8, "commit");
    expect([log.firstUnstableOffset(5), log.firstUnstableOffset(6)]).toEqual([3, 4]);
    endTransaction(log, 7, "abort");
    expect(log.abortedTransactions(0, 7)).toEqual([{ producerId: 7, firstOffset: 4, lastOffset: 6 }]);
    log.followHighWatermark(7);
    expect(log.firstUnstableOffset(7)).toBeNull();
    await log.close();
  },
);

test("what is unstable begins at the log start where that lies within a batch of an open transaction, and goes on as it moves", async () => {
  const log = newWorld().open();
  log.append(data(7, ["a", "b", "c"]), 0);
  log.append(batch(["plain"]), 0);
  log.append(data(7, ["d"], { baseSequence: 3 }), 0);
  const unstable: (number | null)[] = [];
  for (const start of [1, 2, 3, 4]) {
    log.hideBelow(start);
    unstable.push(log.firstUnstableOffset(5));
  }
  await log.deleteRecords(5);
  expect([...unstable, log.firstUnstableOffset(5)]).toEqual([1, 2, 4, 4, null]);
});

test("one that has ended above the high watermark is unstable from its first batch that is left, and not at all where its marker alone is", async () => {
  const log = newWorld().open();
  log.append(data(7, ["a"]), 0);
  log.append(batch(["plain"]), 0);
  log.append(data(7, ["b"], { baseSequence: 1 }), 0);
  log.append(batch(["plain"]), 0);
  endTransaction(log, 7, "commit");
  log.append(data(7, ["c"], { producerEpoch: 1 }), 0);
  await log.deleteRecords(1);
  expect([log.firstUnstableOffset(4), log.firstUnstableOffset(5)]).toEqual([2, 5]);
  await log.deleteRecords(3);
  expect(log.firstUnstableOffset(4)).toBe(5);
});

test("where what is left cannot be read it may be all behind the log start, until it can be read again", async () => {
  const world = newWorld();
  const log = world.open();
  log.append(data(7, ["a"]), 0);
  const damage = () => rewrite(world.disk, segmentAt(0), (bytes) => flipped(bytes, bytes.length - 1, 1));
  log.append(batch(["plain", "plain"]), 0);
  log.append(data(7, ["b"], { baseSequence: 1 }), 0);
  damage();
  log.hideBelow(1);
  expect([log.firstUnstableOffset(4), log.openTransaction(7)?.firstOffset]).toEqual([1, 0]);
  damage();
  expect([log.firstUnstableOffset(4), log.openTransaction(7)?.firstOffset]).toEqual([3, 3]);
});
