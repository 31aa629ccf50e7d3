/** The index of aborted transactions: made with the segment, made anew when it is missing or wrong, never needed by others. */
import { expect, test } from "vitest";
import { IndexMemory } from "../src/log/context/index-memory.ts";
import type { PartitionLog } from "../src/log/partition-log.ts";
import {
  batch,
  flipped,
  type LogWorld,
  MANIFEST,
  newWorld,
  refusal,
  rewrite,
  segmentAt,
} from "./log-world.ts";
import { data, endTransaction, txnIndexAt, txnIndexesOn } from "./transactions-world.ts";

const SEVEN = { producerId: 7, firstOffset: 0, lastOffset: 9 };
const EIGHT = { producerId: 8, firstOffset: 1, lastOffset: 2 };

/** A few segments; transactions of 7 and 8 are aborted in different ones. */
async function written(world: LogWorld): Promise<PartitionLog> {
  const log = world.open();
  log.append(data(7, ["a"]), 0);
  log.append(data(8, ["b"]), 0);
  endTransaction(log, 8, "abort");
  for (let n = 0; n < 6; n++) log.append(batch(["plain"]), 0);
  endTransaction(log, 7, "abort");
  log.append(data(9, ["c"]), 0);
  endTransaction(log, 9, "commit");
  for (let n = 0; n < 6; n++) log.append(batch(["plain"]), 0);
  await log.flush();
  return log;
}

const small = { segmentBytes: 300 };

test("a file is made for each segment with an abort marker when it is sealed, and for no other", async () => {
  const world = newWorld(small);
  const log = await written(world);
  const bases = log.segments().map(({ baseOffset }) => baseOffset);
  const holding = (offset: number) => bases.findLast((base) => base <= offset) ?? -1;
  expect(txnIndexesOn(world.disk)).toEqual([txnIndexAt(holding(2)), txnIndexAt(holding(9))]);
  await log.close();
  expect(txnIndexesOn(world.disk)).toEqual([txnIndexAt(holding(2)), txnIndexAt(holding(9))]);
});

test("a log without aborted transactions reads nothing to say so, and its manifest says nothing of them", async () => {
  const world = newWorld(small);
  const log = world.open();
  for (let n = 0; n < 12; n++) log.append(batch(["plain"]), 0);
  log.append(data(9, ["c"]), 0);
  endTransaction(log, 9, "commit");
  await log.close();
  expect(txnIndexesOn(world.disk)).toEqual([]);
  expect(world.disk.files().get(MANIFEST)?.toString()).not.toContain("aborted");
  const again = world.open({ create: false });
  const refused = world.disk.fail({ operation: "open", code: "EIO", times: "always" });
  expect(again.abortedTransactions(0, again.logEndOffset)).toEqual([]);
  expect(refused.fired).toBe(0);
});

test("after a clean end one small file is read for each segment that has to be asked, and no segment is gone over", async () => {
  const world = newWorld(small);
  await (await written(world)).close();
  const log = world.open({ create: false });
  world.trace.clear();
  expect(log.abortedTransactions(0, 3)).toEqual([SEVEN, EIGHT]);
  expect(world.trace.of("index_rebuilt")).toEqual([]);
  const refused = world.disk.fail({ operation: "open", code: "EIO", times: "always" });
  expect(log.abortedTransactions(3, 5)).toEqual([SEVEN]);
  expect(log.abortedTransactions(10, 20)).toEqual([]);
  expect(refused.fired).toBe(0);
});

test.each([
  ["missing", null],
  ["empty", () => Buffer.alloc(0)],
  ["cut short", (bytes: Buffer) => bytes.subarray(0, bytes.length - 1)],
  ["damaged", (bytes: Buffer) => flipped(bytes, 30, 3)],
] as const)("an index that is %s is made anew from the segment, and written", async (_what, change) => {
  const world = newWorld(small);
  await (await written(world)).close();
  const sound = world.disk.files();
  for (const path of txnIndexesOn(world.disk)) {
    if (change === null) world.disk.remove(path);
    else rewrite(world.disk, path, change);
  }
  const log = world.open({ create: false });
  expect(log.abortedTransactions(0, log.logEndOffset)).toEqual([SEVEN, EIGHT]);
  expect(world.trace.of("index_rebuilt").length).toBe(2);
  for (const path of txnIndexesOn(world.disk)) expect(world.disk.files().get(path)).toEqual(sound.get(path));
});

test("an index of another segment, or of an earlier life of this one, is told by its last marker, and made anew", async () => {
  const world = newWorld({ segmentBytes: 4000 });
  const log = world.open();
  log.append(data(7, ["a"]), 0);
  endTransaction(log, 7, "abort");
  await log.close();
  const stale = world.disk.files().get(txnIndexAt(0)) ?? Buffer.alloc(0);
  const again = world.open({ create: false });
  await again.truncateTo(0);
  again.append(data(8, ["b"]), 0);
  endTransaction(again, 8, "abort");
  await again.close();
  rewrite(world.disk, txnIndexAt(0), () => stale);
  const third = world.open({ create: false });
  expect(third.abortedTransactions(0, 2)).toEqual([{ producerId: 8, firstOffset: 0, lastOffset: 1 }]);
});

test("an index that lacks the last markers, as it could not be written since, is made anew", async () => {
  const world = newWorld({ segmentBytes: 4000 });
  const log = world.open();
  log.append(data(7, ["a"]), 0);
  endTransaction(log, 7, "abort");
  await log.close();
  const again = world.open({ create: false });
  again.append(data(8, ["b"]), 0);
  endTransaction(again, 8, "abort");
  const fault = world.faults.arm({ point: "log.txn_index.before_write", action: "error", times: "always" });
  again.roll();
  await again.flush();
  expect(fault.fired).toBeGreaterThan(0);
  world.faults.disarm();
  expect(again.abortedTransactions(0, 4).map(({ lastOffset }) => lastOffset)).toEqual([1, 3]);
});

test("where the index is lost and damage hides an abort marker, who asks is refused: its records might be shown", async () => {
  const world = newWorld(small);
  await (await written(world)).close();
  world.disk.remove(txnIndexAt(0));
  const headers = await positionsOf(world, 0);
  rewrite(world.disk, segmentAt(0), (bytes) => flipped(bytes, (headers.get(2) ?? 0) + 70, 0));
  const log = world.open({ create: false });
  expect(refusal(() => log.abortedTransactions(0, 2))).toMatchObject({ code: "STORAGE_ERROR" });
  expect(log.abortedTransactions(3, 9)).toEqual([SEVEN]);
});

test("where somebody has removed the files, who asks takes the log off line, as a read does", async () => {
  const world = newWorld(small);
  await (await written(world)).close();
  world.disk.remove(txnIndexAt(0));
  const log = world.open({ create: false });
  for (const { baseOffset } of log.segments()) world.disk.remove(segmentAt(baseOffset));
  expect(refusal(() => log.abortedTransactions(0, 2))).toMatchObject({ code: "STORAGE_ERROR" });
  expect(log.offlineProblem?.message).toContain("somebody has removed it");
});

test("damage elsewhere in a segment does not hide its aborted transactions", async () => {
  const world = newWorld(small);
  await (await written(world)).close();
  world.disk.remove(txnIndexAt(0));
  rewrite(world.disk, segmentAt(0), (bytes) => flipped(bytes, 70, 0));
  const log = world.open({ create: false });
  expect(log.abortedTransactions(1, 2)).toEqual([SEVEN, EIGHT]);
});

test.each(["log.txn_index.before_write", "log.txn_index.after_write"] as const)(
  "an index that the disk refuses at %s costs no append, flush or seal",
  async (point) => {
    const world = newWorld(small);
    const fault = world.faults.arm({ point, action: "error", times: "always" });
    const log = await written(world);
    await log.close();
    expect(fault.fired).toBeGreaterThan(0);
    world.faults.disarm();
    const again = world.open({ create: false });
    expect(again.abortedTransactions(0, again.logEndOffset)).toEqual([SEVEN, EIGHT]);
  },
);

test.each([0, 1, 2, 3, 9, 10])(
  "what a truncation to %i cuts is not among the aborted any more, at once and after a restart",
  async (offset) => {
    for (const state of ["flushed", "reopened"]) {
      const world = newWorld(small);
      const first = await written(world);
      if (state === "reopened") await first.close();
      const log = state === "reopened" ? world.open({ create: false }) : first;
      await log.truncateTo(offset);
      const expected = [SEVEN, EIGHT].filter(({ lastOffset }) => lastOffset < offset);
      expect(log.abortedTransactions(0, log.logEndOffset)).toEqual(expected);
      log.append(batch(["behind"]), 0);
      await log.close();
      expect(txnIndexesOn(world.disk)).toHaveLength(expected.length);
      const again = world.open({ create: false });
      expect(again.abortedTransactions(0, again.logEndOffset)).toEqual(expected);
    }
  },
);

test.each(["deleted", "begun anew"])(
  "segments that were %s have no aborted transactions any more",
  async (what) => {
    const world = newWorld(small);
    const log = await written(world);
    expect(log.abortedTransactions(0, log.logEndOffset)).toEqual([SEVEN, EIGHT]);
    if (what === "deleted") await log.deleteRecords(log.logEndOffset);
    else await log.restartAt(0);
    for (let n = 0; n < 12; n++) log.append(batch(["plain"]), 0);
    expect(log.abortedTransactions(0, log.logEndOffset)).toEqual([]);
  },
);

test("entries give way to those of other logs, and are there when they are asked for", async () => {
  const world = newWorld({ ...small, indexMemory: new IndexMemory(1) });
  const log = await written(world);
  expect(log.abortedTransactions(0, log.logEndOffset)).toEqual([SEVEN, EIGHT]);
  await log.close();
  const again = world.open({ create: false });
  expect(again.abortedTransactions(0, again.logEndOffset)).toEqual([SEVEN, EIGHT]);
});

/** Where the batches of a segment begin, by offset. */
async function positionsOf(world: LogWorld, baseOffset: number): Promise<ReadonlyMap<number, number>> {
  const log = world.open({ create: false });
  const dumped = log.dump(baseOffset, { batchesMax: 100, bytesMax: 1 << 20, withRecords: false });
  log.abandon();
  return new Map(
    dumped.batches
      .filter(({ segmentBaseOffset }) => segmentBaseOffset === baseOffset)
      .map(({ header, position }) => [header?.baseOffset ?? -1, position]),
  );
}
