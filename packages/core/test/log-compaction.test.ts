/** Compaction of a log through its own door: what stays, where it lies, and who notices. */
import { readBatchHeader } from "@minikafka/record";
import { describe, expect, test } from "vitest";
import type { CompactionRequest } from "../src/log/compaction/compaction-request.ts";
import { inspectPartition } from "../src/log/index.ts";
import type { PartitionLog } from "../src/log/partition-log.ts";
import {
  COMPACTED_CONFIG,
  compactedWorld,
  done,
  fill,
  fillInTurn,
  framesOf,
  keyed,
  LATEST,
  left,
  longLog,
  request,
  segmentFiles,
} from "./compaction-world.ts";
import { FOLDER } from "./log-world.ts";

describe("a compacted log", () => {
  test("holds the latest record of each key below the active segment, at its own offset, and all of that segment", async () => {
    const world = compactedWorld();
    const log = await longLog(world);
    expect(log.segments().at(-1)?.baseOffset).toBe(28);
    const result = done(await log.compact(request(log)));
    expect(left(log)).toEqual(LATEST);
    expect(result).toMatchObject({ firstDirtyOffset: 28, isComplete: true, keys: 4 });
    expect(result).toMatchObject({ recordsKept: 4, recordsDropped: 24, tombstonesDropped: 0 });
    const { isComplete, passes, ...numbers } = result;
    expect([isComplete, passes]).toEqual([true, 1]);
    expect(world.trace.of("compacted")).toMatchObject([numbers]);
    expect(world.trace.of("compaction_started")).toMatchObject([
      { firstDirtyOffset: 0, cleanEnd: 30, dirtyRatio: 1, segments: 7 },
    ]);
  });

  test("is read from any offset, also from one that is gone, in steps of any size", async () => {
    const log = await longLog();
    await log.compact(request(log));
    expect(left(log, 1)).toEqual(LATEST);
    for (let offset = 0; offset < 30; offset++) {
      const { batches, nextOffset } = log.read(offset, { bytesMax: 1, endOffset: 30 });
      const header = readBatchHeader(batches);
      expect(header.baseOffset).toBeLessThanOrEqual(offset);
      expect(header.nextOffset).toBe(nextOffset);
      expect(nextOffset).toBeGreaterThan(offset);
    }
  });

  test("merges small segments up to segment_bytes, and nothing is left of the old files", async () => {
    const world = compactedWorld();
    const log = await longLog(world);
    log.configure({ ...COMPACTED_CONFIG, segmentBytes: 1440 });
    const result = done(await log.compact(request(log)));
    expect(result).toMatchObject({ segmentsBefore: 7, segmentsAfter: 2 });
    expect(segmentFiles(world)).toEqual([
      "00000000000000000000-1.log",
      "00000000000000000016-1.log",
      "00000000000000000028.log",
    ]);
    expect(log.segments().map(({ baseOffset, nextOffset }) => [baseOffset, nextOffset])).toEqual([
      [0, 16],
      [16, 28],
      [28, 30],
    ]);
    const sizes = log.segments().slice(0, 2);
    expect(result.bytesAfter).toBe(sizes.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0));
    expect(left(log)).toEqual(LATEST);
  });

  test("is durable when the call resolves, is opened without reading, and is compacted again", async () => {
    const world = compactedWorld();
    const log = await longLog(world);
    await log.compact(request(log));
    log.abandon();
    world.disk.crash({ mode: "lost" });
    const reopened = world.open({ create: false });
    expect(world.trace.of("recovered")).toEqual([]);
    expect(left(reopened)).toEqual(LATEST);
    fillInTurn(reopened, 4);
    await reopened.flush();
    expect(await reopened.compact(request(reopened))).toMatchObject({ firstDirtyOffset: 36, keys: 4 });
    expect(left(reopened)).toEqual(["30 a=a0", "32 b=b1", "34 c=c2", "35 d=d2", "36 a=a3", "37 b=b3"]);
  });

  test("covers what is gone by one gap for each leader epoch and segment", async () => {
    const log = compactedWorld().open();
    for (const leaderEpoch of [1, 1, 2, 2, 2, 3]) log.append(keyed([["a", "1"]]), leaderEpoch);
    log.append(keyed([["b", "x".repeat(300)]]), 3);
    await log.flush();
    log.configure({ ...COMPACTED_CONFIG, segmentBytes: 10_000 });
    await log.compact(request(log));
    expect(framesOf(log).map((frame) => readBatchHeader(frame))).toMatchObject([
      { baseOffset: 0, nextOffset: 2, leaderEpoch: 1, recordCount: 0 },
      { baseOffset: 2, nextOffset: 5, leaderEpoch: 2, recordCount: 0 },
      { baseOffset: 5, nextOffset: 6, leaderEpoch: 3, recordCount: 1 },
      { baseOffset: 6, nextOffset: 7, leaderEpoch: 3, recordCount: 1 },
    ]);
  });

  test("keeps a segment alone of which everything stays as it is, file and all", async () => {
    const world = compactedWorld();
    const log = world.open();
    for (const key of ["a", "b", "c", "d"]) fill(log, [[key, "x".repeat(200)]]);
    await log.flush();
    const before = world.disk.files();
    expect(await log.compact(request(log))).toMatchObject({ recordsDropped: 0, segmentsAfter: 3 });
    expect(segmentFiles(world)).toHaveLength(4);
    for (const [path, bytes] of world.disk.files())
      if (path.endsWith(".log")) expect(bytes).toEqual(before.get(path));
    fill(log, [["b", "y".repeat(200)]], [["e", "x".repeat(200)]]);
    await log.flush();
    await log.compact(request(log));
    expect(segmentFiles(world).filter((name) => name.includes("-"))).toEqual(["00000000000000000001-1.log"]);
  });

  test("is told whole by who looks into its folder, gaps and all, and nothing in it is wrong", async () => {
    const world = compactedWorld();
    const log = await longLog(world);
    await log.compact(request(log));
    const dumped = log.dump(0, { batchesMax: 100, bytesMax: 1 << 20, withRecords: true }).batches;
    expect(dumped.map(({ problem }) => problem).filter((problem) => problem !== null)).toEqual([]);
    await log.close();
    const findings = [...inspectPartition(world.disk, FOLDER)];
    expect(findings.filter(({ kind }) => kind === "damage" || kind === "tail")).toEqual([]);
    const batches = findings.filter((finding) => finding.kind === "batch");
    expect(batches.map(({ header }) => header)).toEqual(dumped.map(({ header }) => header));
    expect(batches.filter(({ header }) => header?.recordCount === 0).length).toBeGreaterThan(5);
  });

  test("answers for a time with the first record that is left and late enough", async () => {
    const log = compactedWorld().open();
    log.append(keyed([["a", "1"]], 5000, { producerId: 9, producerEpoch: 0, baseSequence: 0 }), 0);
    log.append(keyed([["a", "2"]], 2000), 0);
    log.append(keyed([["b", "x".repeat(300)]], 5000), 0);
    await log.flush();
    expect(log.offsetForTimestamp(3000, 3)).toEqual({ offset: 0, timestampMs: 5000 });
    await log.compact(request(log));
    expect(readBatchHeader(framesOf(log)[0] as Buffer)).toMatchObject({ recordCount: 0, producerId: 9 });
    expect(log.offsetForTimestamp(3000, 3)).toEqual({ offset: 2, timestampMs: 5000 });
    expect(log.offsetForTimestamp(1500, 3)).toEqual({ offset: 1, timestampMs: 2000 });
  });
});

test("a follower copies a compacted log as it is, also when it ends in the middle of what became one gap", async () => {
  const leader = compactedWorld().open();
  for (let number = 0; number < 6; number++) leader.append(keyed([["a", `${number}`]]), 0);
  leader.append(keyed([["b", "x".repeat(300)]]), 0);
  await leader.flush();
  leader.configure({ ...COMPACTED_CONFIG, segmentBytes: 10_000 });
  const early = leader.read(0, { bytesMax: 250, endOffset: 7 });
  expect(early.nextOffset).toBe(3);
  await leader.compact(request(leader));
  const ends: number[] = [];
  for (const first of [Buffer.alloc(0), early.batches]) {
    const follower = compactedWorld().open();
    if (first.length > 0) follower.appendAsFollower(first);
    while (follower.logEndOffset < leader.logEndOffset) {
      ends.push(follower.logEndOffset);
      const { batches } = leader.read(follower.logEndOffset, { bytesMax: 1 << 20, endOffset: 7 });
      follower.appendAsFollower(batches);
    }
    expect(left(follower).slice(-2)).toEqual(left(leader));
    if (first.length === 0) expect(framesOf(follower)).toEqual(framesOf(leader));
  }
  expect(ends).toEqual([0, 6, 3, 6]);
});

test("a producer's sequence is known after a compaction that left none of its records, also without snapshots", async () => {
  const world = compactedWorld();
  const log = world.open();
  for (let number = 0; number < 3; number++)
    log.append(
      keyed(
        [
          ["a", "1"],
          ["b", "1"],
        ],
        1000,
        { producerId: 7, producerEpoch: 1, baseSequence: 2 * number },
      ),
      0,
    );
  fillInTurn(log, 15);
  await log.flush();
  await log.compact(request(log));
  const before = log.producer(7);
  expect(before?.batches.at(-1)).toMatchObject({ baseSequence: 4, baseOffset: 4, nextOffset: 6 });
  expect(
    framesOf(log)
      .map((frame) => readBatchHeader(frame))
      .filter(({ producerId }) => producerId === 7),
  ).toMatchObject([{ baseOffset: 4, recordCount: 0, baseSequence: 4, producerEpoch: 1 }]);
  await log.close();
  for (const path of world.disk.files().keys()) if (path.endsWith(".snapshot")) world.disk.remove(path);
  const reopened = world.open({ create: false });
  expect(reopened.producer(7)?.batches).toMatchObject([{ baseSequence: 4, baseOffset: 4, nextOffset: 6 }]);
});

describe("what a pass leaves alone", () => {
  test("is everything of a segment that reaches over the clean point", async () => {
    const log = await longLog();
    const before = left(log);
    expect(await log.compact(request(log, { cleanEnd: 11 }))).toMatchObject({ firstDirtyOffset: 8 });
    expect(left(log).filter((record) => Number.parseInt(record, 10) >= 8)).toEqual(before.slice(8));
    expect(left(log)).toHaveLength(4 + 22);
  });

  test("is what was rolled and has not been flushed", async () => {
    const log = compactedWorld().open();
    fillInTurn(log, 15);
    const before = left(log);
    expect(await log.compact(request(log))).toBeNull();
    expect(left(log)).toEqual(before);
  });

  test("is a log that is not dirty enough, and one whose topic is not compacted", async () => {
    const log = await longLog(compactedWorld({ minCleanableDirtyRatio: 0.5 }));
    expect(await log.compact(request(log))).not.toBeNull();
    expect(await log.compact(request(log))).toBeNull();
    fillInTurn(log, 3);
    await log.flush();
    expect(await log.compact(request(log))).toBeNull();
    expect(await log.compact(request(log, { minCleanableDirtyRatio: 0.01 }))).not.toBeNull();
    const other = await longLog(compactedWorld({ compacts: false, deletes: true }));
    expect(await other.compact(request(other))).toBeNull();
  });
});

describe("a tombstone", () => {
  const later = (log: PartitionLog, nowMs: number): CompactionRequest => request(log, { nowMs });

  test("stays for delete_retention_ms from its first cleaning, also over a restart and without new records (KIP-534)", async () => {
    const world = compactedWorld();
    const log = world.open();
    fill(log, [["a", "1"]], [["a", null]], [["b", "x".repeat(300)]]);
    await log.flush();
    await log.compact(later(log, 5000));
    expect(left(log).slice(0, 1)).toEqual(["1 a=null"]);
    await log.close();
    const reopened = world.open({ create: false });
    expect(await reopened.compact(later(reopened, 5099))).toBeNull();
    const last = await reopened.compact(later(reopened, 5100));
    expect(last).toMatchObject({ tombstonesDropped: 1, recordsDropped: 1 });
    expect(left(reopened).map((record) => record.slice(0, 4))).toEqual(["2 b="]);
    expect(await reopened.compact(later(reopened, 9000))).toBeNull();
  });

  test("stays after its time where a replica may lack its batch, and is counted as held by a pass that meets it", async () => {
    const log = compactedWorld().open();
    fill(log, [["a", "1"]], [["a", null]], [["b", "x".repeat(300)]]);
    await log.flush();
    await log.compact(later(log, 5000));
    fill(log, [["b", "y".repeat(300)]]);
    await log.flush();
    const early = { ...later(log, 5100), copiedEnd: 1 };
    expect(await log.compact(early)).toMatchObject({
      firstDirtyOffset: 3,
      tombstonesDropped: 0,
      recordsHeld: 1,
    });
    expect(await log.compact(early)).toEqual({ gaveWayTo: "replicas", passes: 0 });
    expect(left(log).slice(0, 1)).toEqual(["1 a=null"]);
    const last = { ...early, copiedEnd: 3 };
    expect(await log.compact(last)).toMatchObject({ tombstonesDropped: 1, recordsHeld: 0 });
    expect(await log.compact(last)).toBeNull();
  });

  test("hides what it deletes for whoever reads from the start, in every pass until it is gone", async () => {
    const log = compactedWorld().open();
    fill(
      log,
      [
        ["a", "1"],
        ["b", "1"],
      ],
      [["a", null]],
      [["c", "x".repeat(300)]],
    );
    await log.flush();
    for (const nowMs of [5000, 5050, 5100, 5200]) {
      await log.compact(later(log, nowMs));
      expect(left(log).filter((record) => record.includes("a=1"))).toEqual([]);
    }
    expect(left(log).slice(0, 1)).toEqual(["1 b=1"]);
  });
});

test("a log goes by the lags of its topic: what is too young stays, what is overdue is compacted whatever the ratio", async () => {
  const log = await longLog(compactedWorld({ minCleanableDirtyRatio: 1 }));
  const at = (nowMs: number) => log.compact(request(log, { nowMs }));
  const lags = { minCompactionLagMs: 500, maxCompactionLagMs: 2000 };
  await at(1000);
  for (let n = 0; n < 3; n++) fillInTurn(log, 4);
  await log.flush();
  log.configure({ ...COMPACTED_CONFIG, ...lags });
  expect(await at(1400)).toBeNull();
  log.configure({ ...COMPACTED_CONFIG, minCleanableDirtyRatio: 1, ...lags });
  // Its records are of the times 1000 and a little.
  expect(await at(1400)).toBeNull();
  expect(await at(2900)).toBeNull();
  expect(await at(3100)).toMatchObject({ isComplete: true });
});

test("with too little memory for all keys a pass covers a part, and those that follow come to the same end", async () => {
  const results: unknown[] = [];
  const log = await longLog();
  for (let number = 0; ; number++) {
    const result = done(await log.compact(request(log, { bufferBytes: 2 * 32 })));
    results.push(result.firstDirtyOffset);
    if (result.isComplete) break;
    expect(number).toBeLessThan(30);
  }
  expect(results.length).toBeGreaterThan(3);
  expect(results).toEqual([...new Set(results)].sort((one, other) => Number(one) - Number(other)));
  expect(results.at(-1)).toBe(28);
  expect(left(log)).toEqual(LATEST);
});
