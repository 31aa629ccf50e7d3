/** Segments are closed when they are old, and the beginning of a log moves forward: by its retention, or on request. */
import { describe, expect, test } from "vitest";
import type { MemoryDisk } from "../src/env/memory-disk.ts";
import type { LogConfig } from "../src/log/context/log-config.ts";
import type { PartitionLog } from "../src/log/partition-log.ts";
import {
  batch,
  FOLDER,
  indexAt,
  type LogWorld,
  newWorld,
  PLACE,
  readAll,
  refusal,
  segmentAt,
  worldOn,
} from "./log-world.ts";

const DAY = 24 * 60 * 60 * 1000;
const basesOf = (log: PartitionLog) => log.segments().map(({ baseOffset }) => baseOffset);
const logFiles = (disk: MemoryDisk) => [...disk.files().keys()].filter((path) => path.endsWith(".log"));

/** One batch of one record for each time. */
function appendAt(log: PartitionLog, ...timestamps: number[]): void {
  for (const timestampMs of timestamps) log.append(batch([`at ${timestampMs}`], timestampMs), 0);
}

describe("a segment is closed by age", () => {
  test("when a batch is later than its first by more than segment_ms, whatever lies between", () => {
    const log = newWorld({ segmentMs: 100 }).open();
    appendAt(log, 1000, 900, 1100, 1050, 1101, 1200, 1202);
    expect(basesOf(log)).toEqual([0, 4, 6]);
  });

  test("counted from the latest record of its first batch", () => {
    const log = newWorld({ segmentMs: 100 }).open();
    log.append(batch(["a", "b", "c"], 1000), 0);
    appendAt(log, 1102);
    expect(basesOf(log)).toEqual([0]);
    appendAt(log, 1103);
    expect(basesOf(log)).toEqual([0, 4]);
  });

  test.each(["closed", "crashed", "cut"])("also after the log was %s", async (how) => {
    const { open, disk } = newWorld({ segmentMs: 100 });
    let log = open();
    appendAt(log, 1000, 1010, 1020);
    if (how === "cut") await log.truncateTo(1);
    else {
      await (how === "closed" ? log.close() : log.flush());
      log.abandon();
      disk.crash({ mode: "lost" });
      log = open({ create: false });
    }
    const { logEndOffset } = log;
    appendAt(log, 1100, 1101);
    expect(basesOf(log)).toEqual([0, logEndOffset + 1]);
  });

  test("at a follower too, between the batches of one answer", () => {
    const leader = newWorld({ segmentMs: DAY }).open();
    appendAt(leader, 1000, 1050, 1150, 1160, 1300);
    const { batches } = leader.read(0, { bytesMax: 10_000, endOffset: 5 });
    const follower = newWorld({ segmentMs: 100 }).open();
    follower.appendAsFollower(batches);
    expect(basesOf(follower)).toEqual([0, 2, 4]);
    expect(readAll(follower)).toEqual(readAll(leader));
  });

  test("by the config of the moment", () => {
    const world = newWorld({ segmentMs: 100 });
    const log = world.open();
    appendAt(log, 1000);
    const config: LogConfig = { ...CONFIG, segmentMs: 10_000 };
    log.configure(config);
    appendAt(log, 2000);
    log.configure({ ...config, segmentMs: 999 });
    appendAt(log, 2001);
    expect(basesOf(log)).toEqual([0, 2]);
  });

  test("by the clock, when a step asks, and only when there is something in it", () => {
    const log = newWorld({ segmentMs: 100 }).open();
    expect(log.rollByAge(5000)).toBe(false);
    appendAt(log, 1000);
    expect(log.rollByAge(1100)).toBe(false);
    expect(log.rollByAge(1101)).toBe(true);
    expect(log.rollByAge(9999)).toBe(false);
    expect(basesOf(log)).toEqual([0, 1]);
  });
});

const CONFIG: LogConfig = {
  segmentBytes: 600,
  segmentMs: DAY,
  deletes: true,
  compacts: false,
  retentionMs: null,
  retentionBytes: null,
  deleteRetentionMs: DAY,
  minCleanableDirtyRatio: 0.5,
  minCompactionLagMs: 0,
  maxCompactionLagMs: Number.MAX_SAFE_INTEGER,
};

test("a roll on request begins a new segment, unless the active one is empty", async () => {
  const { open } = newWorld();
  const log = open();
  expect(log.roll()).toBe(false);
  appendAt(log, 1);
  expect(log.roll()).toBe(true);
  expect(log.roll()).toBe(false);
  expect(basesOf(log)).toEqual([0, 1]);
  appendAt(log, 2);
  await log.close();
  const again = open({ create: false });
  expect(basesOf(again)).toEqual([0, 1]);
  expect(readAll(again)).toEqual(["at 1", "at 2"]);
});

/** Segments of two batches, at 1000, 1001, … */
function twoEach(options: Partial<LogConfig> = {}, count = 9): [LogWorld, PartitionLog] {
  const world = newWorld({ retentionMs: null, segmentBytes: 160, ...options });
  const log = world.open();
  appendAt(log, ...Array.from({ length: count }, (_, n) => 1000 + n));
  expect(basesOf(log)).toEqual([0, 2, 4, 6, 8]);
  world.trace.clear();
  return [world, log];
}

describe("retention", () => {
  test("removes what is too old, with its files, for good", async () => {
    const [world, log] = twoEach({ retentionMs: 100 });
    const result = await log.applyRetention({ nowMs: 1104, highWatermark: 9 });
    expect(result).toMatchObject({
      segments: [
        { baseOffset: 0, nextOffset: 2, reason: "time" },
        { baseOffset: 2, nextOffset: 4, reason: "time" },
      ],
      logStartOffset: 4,
    });
    expect(log.logStartOffset).toBe(4);
    expect(basesOf(log)).toEqual([4, 6, 8]);
    expect(readAll(log)).toEqual([1004, 1005, 1006, 1007, 1008].map((at) => `at ${at}`));
    expect(logFiles(world.disk)).toEqual([segmentAt(4), segmentAt(6), segmentAt(8)]);
    expect(world.disk.stat(indexAt(0))).toBeNull();
    expect(refusal(() => log.read(3, { bytesMax: 1, endOffset: 9 })).code).toBe("OFFSET_OUT_OF_RANGE");
    expect(world.trace.of("segment_deleted")).toMatchObject([
      { segmentBaseOffset: 0, nextOffset: 2, reason: "time" },
      { segmentBaseOffset: 2, nextOffset: 4, reason: "time" },
    ]);
    expect(world.trace.of("log_start_moved")).toMatchObject([{ from: 0, to: 4 }]);
    log.abandon();
    world.disk.crash({ mode: "lost" });
    const again = world.open({ create: false });
    expect([again.logStartOffset, again.logEndOffset]).toEqual([4, 9]);
    expect(again.leaderEpochs).toEqual([{ leaderEpoch: 0, startOffset: 4 }]);
  });

  test("removes what is too much, and leaves as much as may be", async () => {
    const [, log] = twoEach({ retentionBytes: 400 });
    const before = log.segments().reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
    const { segments } = await log.applyRetention({ nowMs: 0, highWatermark: 9 });
    expect(segments).toMatchObject([{ baseOffset: 0, nextOffset: 2, reason: "size" }]);
    const bytes = segments[0]?.sizeBytes ?? 0;
    expect(before - bytes).toBeGreaterThanOrEqual(400);
    expect(before - bytes - bytes).toBeLessThan(400);
  });

  test("does nothing when nothing is due", async () => {
    const [world, log] = twoEach({ retentionMs: 100 });
    await log.flush();
    const { changeCount } = world.disk;
    const result = await log.applyRetention({ nowMs: 1100, highWatermark: 9 });
    expect(result).toEqual({ closed: null, segments: [], logStartOffset: 0 });
    expect(world.disk.changeCount).toBe(changeCount);
  });

  test("never goes above the high watermark", async () => {
    const [, log] = twoEach({ retentionMs: 0 });
    await log.applyRetention({ nowMs: 9999, highWatermark: 5 });
    expect(log.logStartOffset).toBe(4);
  });

  test("empties an idle log, which goes on where it was", async () => {
    const [world, log] = twoEach({ retentionMs: 100 });
    const result = await log.applyRetention({ nowMs: 5000, highWatermark: 9 });
    expect(result).toMatchObject({ logStartOffset: 9 });
    expect(result.segments).toHaveLength(5);
    expect(basesOf(log)).toEqual([9]);
    expect(readAll(log)).toEqual([]);
    await log.applyRetention({ nowMs: 9999, highWatermark: 9 });
    expect(basesOf(log)).toEqual([9]);
    appendAt(log, 6000);
    await log.close();
    const again = world.open({ create: false });
    expect(readAll(again)).toEqual(["at 6000"]);
    expect(logFiles(world.disk)).toEqual([segmentAt(9)]);
  });

  test("closes an active segment that is older than segment_ms", async () => {
    const [, log] = twoEach({ segmentMs: 50 });
    await log.applyRetention({ nowMs: 1059, highWatermark: 9 });
    expect(basesOf(log)).toEqual([0, 2, 4, 6, 8, 9]);
  });

  test("of a log that is only compacted removes what lies below its start, and nothing else", async () => {
    const [, log] = twoEach({ deletes: false, compacts: true, retentionMs: 0, retentionBytes: 0 });
    await log.applyRetention({ nowMs: 9999, highWatermark: 9 });
    expect(log.logStartOffset).toBe(0);
    await log.deleteRecords(5);
    expect(basesOf(log)).toEqual([4, 6, 8]);
  });

  test("goes on while a producer appends, and loses nothing", async () => {
    const [world, log] = twoEach({ retentionMs: 100 });
    world.disk.holdSyncs();
    const applied = log.applyRetention({ nowMs: 1104, highWatermark: 9 });
    for (let turn = 0; turn < 5; turn++) {
      await Promise.resolve();
      appendAt(log, 1105 + turn);
    }
    const flushed = log.flush();
    world.disk.releaseSyncs();
    await Promise.all([applied, flushed]);
    expect([log.logStartOffset, log.logEndOffset, log.flushedOffset]).toEqual([4, 14, 14]);
    expect(readAll(log)).toHaveLength(10);
  });
});

describe("records are deleted on request", () => {
  test("up to any offset, with the segments that end below it, for good", async () => {
    for (let offset = 1; offset <= 9; offset++) {
      const [world, log] = twoEach();
      expect(await log.deleteRecords(offset)).toBe(offset);
      const crashed = world.disk.clone();
      crashed.crash({ mode: "lost" });
      const again = worldOn(crashed, { segmentBytes: 160 }).open({ create: false });
      for (const one of [log, again]) {
        expect(one.logStartOffset).toBe(offset);
        expect(basesOf(one)).toEqual([0, 2, 4, 6, 8].filter((base) => base + 2 > offset || base === 8));
        expect(readAll(one)).toHaveLength(9 - offset);
      }
      expect(logFiles(world.disk)).toEqual(basesOf(log).map(segmentAt));
      expect(again.leaderEpochs).toEqual([{ leaderEpoch: 0, startOffset: offset }]);
    }
  });

  test("never backwards, and never behind the end", async () => {
    const [, log] = twoEach();
    await log.deleteRecords(5);
    expect(await log.deleteRecords(3)).toBe(5);
    await expect(log.deleteRecords(10)).rejects.toMatchObject({
      code: "OFFSET_OUT_OF_RANGE",
      details: { offset: 10, log_start_offset: 5, log_end_offset: 9 },
    });
    expect(log.logStartOffset).toBe(5);
  });

  test("in the middle of a batch, whose rest stays", async () => {
    const log = newWorld().open();
    log.append(batch(["a", "b", "c"]), 0);
    await log.deleteRecords(2);
    expect(readAll(log)).toEqual(["c"]);
    await log.truncateTo(2);
    expect([log.logStartOffset, log.logEndOffset]).toEqual([2, 2]);
    await expect(log.truncateTo(1)).rejects.toMatchObject({ code: "OFFSET_OUT_OF_RANGE" });
  });

  test("and a time that only they had is not found any more", async () => {
    const [, log] = twoEach();
    await log.deleteRecords(3);
    expect(log.offsetForTimestamp(1000, 9)).toEqual({ offset: 3, timestampMs: 1003 });
  });
});

test.each(["remove", "sync", "syncFolder", "write", "rename", "open"] as const)(
  "a %s that the disk refuses at any time leaves a log that is whole, and is made up for by the next",
  async (operation) => {
    for (let nth = 1; ; nth++) {
      const [world, log] = twoEach({ retentionMs: 100 });
      const failure = world.disk.fail({ operation, code: "EIO", times: { nth }, path: /orders-0/ });
      const before = [log.applyRetention({ nowMs: 1104, highWatermark: 9 }), log.deleteRecords(7)];
      await Promise.allSettled(before);
      if (failure.fired === 0) break;
      world.disk.stopFailing();
      expect(readAll(log)).toHaveLength(9 - log.logStartOffset);
      const crashed = world.disk.clone();
      crashed.crash({ mode: "lost" });
      log.abandon();
      world.disk.crash({ mode: "kept" });
      for (const disk of [world.disk, crashed]) {
        const again = worldOn(disk, { segmentBytes: 160 }).open({ create: false });
        expect(readAll(again)).toHaveLength(again.logEndOffset - again.logStartOffset);
        // Nothing was flushed before, so that a power cut may have taken what would have been deleted.
        if (again.logEndOffset < 7) continue;
        await again.deleteRecords(7);
        expect(readAll(again)).toHaveLength(2);
        expect(logFiles(disk)).toEqual(basesOf(again).map(segmentAt));
        again.abandon();
      }
    }
  },
);

test("a fault at the commit of a retention leaves the log as it was", async () => {
  const [world, log] = twoEach({ retentionMs: 100 });
  await log.flush();
  const rule = world.faults.arm({ point: "manifest.before_rename", action: "error", site: PLACE });
  await expect(log.applyRetention({ nowMs: 1104, highWatermark: 9 })).rejects.toMatchObject({
    code: "STORAGE_ERROR",
  });
  rule.assertFired();
  expect([log.logStartOffset, basesOf(log)]).toEqual([0, [0, 2, 4, 6, 8]]);
  expect(world.disk.readFolder(FOLDER).map(({ name }) => name)).toContain(segmentAt(0).slice(-24));
  await log.applyRetention({ nowMs: 1104, highWatermark: 9 });
  expect(log.logStartOffset).toBe(4);
});
