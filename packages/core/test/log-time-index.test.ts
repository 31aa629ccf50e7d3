/** A time index is a hint: whatever becomes of its file, every search for a time finds the same, near where it points to. */
import { assignBatch, emptiedFrame, encodeBatch, gapFrame } from "@minikafka/record";
import { describe, expect, test } from "vitest";
import type { MemoryDisk } from "../src/env/memory-disk.ts";
import { SeededRandom } from "../src/env/random.ts";
import { IndexMemory } from "../src/log/context/index-memory.ts";
import { TimeIndex } from "../src/log/indexes/time-index.ts";
import type { PartitionLog } from "../src/log/partition-log.ts";
import { CountingDisk } from "./counting-disk.ts";
import {
  batch,
  flipped,
  indexAt,
  isIndex,
  type LogWorld,
  newWorld,
  rewrite,
  seedFromEnvironment,
  timeIndexAt,
  type WorldOptions,
  worldOn,
} from "./log-world.ts";

const SIZES = { segmentBytes: 3000, indexIntervalBytes: 300 };
/** Latest time of any batch, and one more. */
const TIME_END = 1100;

/** What a walk over everything would find. */
class Truth {
  readonly records: { readonly offset: number; readonly timestampMs: number }[] = [];

  append(log: PartitionLog, timestampsMs: readonly number[], leaderEpoch = 0): void {
    const records = timestampsMs.map((timestampMs) => ({ key: null, value: null, timestampMs, headers: [] }));
    const { baseOffset } = log.append(encodeBatch({ records }), leaderEpoch);
    this.records.push(...timestampsMs.map((timestampMs, n) => ({ offset: baseOffset + n, timestampMs })));
  }

  expectOf(log: PartitionLog): void {
    const readable = this.records.filter(({ offset }) => offset >= log.logStartOffset);
    for (let timestampMs = 0; timestampMs <= TIME_END; timestampMs += 7) {
      const expected = readable.find((record) => record.timestampMs >= timestampMs) ?? null;
      expect(log.offsetForTimestamp(timestampMs, log.logEndOffset), `time ${timestampMs}`).toEqual(expected);
    }
  }
}

/** Times in order, with a jump back in every part. */
const wave = (n: number) => [5 * n - 90 * (n % 9 === 4 ? 1 : 0) + 90, 5 * n + 90];

async function closedLog(): Promise<{ world: LogWorld; truth: Truth; bases: number[] }> {
  const world = newWorld(SIZES);
  const log = world.open();
  const truth = new Truth();
  for (let n = 0; n < 200; n++) truth.append(log, wave(n));
  await log.close();
  return { world, truth, bases: log.segments().map(({ baseOffset }) => baseOffset) };
}

const { world, truth, bases } = await closedLog();
const paths = bases.map(timeIndexAt);

/** Searches on a clone that `harm` was done to. */
function expectSame(harm: (disk: MemoryDisk, path: string) => void, options: WorldOptions = SIZES): LogWorld {
  const disk = world.disk.clone();
  for (const path of paths) if (disk.stat(path) !== null) harm(disk, path);
  const harmed = worldOn(disk, options);
  truth.expectOf(harmed.open({ create: false }));
  return harmed;
}

/** A file with a right CRC that says something else. */
function liar(change: (timestampMs: number, relativeOffset: number) => [number, number]) {
  return (disk: MemoryDisk, path: string) =>
    rewrite(disk, path, (bytes) => {
      const decoded = TimeIndex.decode(bytes);
      if ("problem" in decoded) throw new Error(decoded.problem);
      const index = new TimeIndex();
      for (const { timestampMs, relativeOffset } of decoded.index.list()) {
        const [changedMs, changedOffset] = change(timestampMs, relativeOffset);
        index.add({ timestampMs: changedMs, relativeOffset: changedOffset });
      }
      return index.encode(decoded.coverage);
    });
}

describe("every search finds the same", () => {
  test("with whole indexes, of which none is made anew, and in every segment there is one", () => {
    const whole = expectSame(() => {});
    expect(whole.trace.of("index_rebuilt")).toEqual([]);
    expect(paths.length).toBeGreaterThan(3);
    for (const path of paths) expect(whole.disk.stat(path)).not.toBeNull();
  });

  test.each([
    ["missing", (disk: MemoryDisk, path: string) => disk.remove(path)],
    ["empty", (disk: MemoryDisk, path: string) => rewrite(disk, path, () => Buffer.alloc(0))],
    ["shorter by a byte", (disk: MemoryDisk, path: string) => rewrite(disk, path, (b) => b.subarray(0, -1))],
    [
      "shorter by an entry",
      (disk: MemoryDisk, path: string) => rewrite(disk, path, (b) => b.subarray(0, -12)),
    ],
    [
      "shifted by a byte",
      (disk: MemoryDisk, path: string) =>
        rewrite(disk, path, (b) => Buffer.concat([Buffer.alloc(1), b.subarray(0, -1)])),
    ],
    ["zeros", (disk: MemoryDisk, path: string) => rewrite(disk, path, (b) => Buffer.alloc(b.length))],
    [
      "a folder",
      (disk: MemoryDisk, path: string) => {
        disk.remove(path);
        disk.makeFolder(path);
      },
    ],
    ["an offset index", (disk: MemoryDisk, path: string) => rewrite(disk, path, () => bytesAt(indexAt(0)))],
    ["false in its times", liar((timestampMs, offset) => [timestampMs + 1, offset])],
    ["false in its offsets", liar((timestampMs, offset) => [timestampMs, offset + 1])],
    ["false in its offsets by a batch", liar((timestampMs, offset) => [timestampMs, offset + 2])],
    ["far beyond the segment", liar((timestampMs, offset) => [timestampMs, offset + 1_000_000])],
    ["late by far", liar((timestampMs, offset) => [timestampMs + 1_000_000, offset])],
    [
      "another segment's",
      (disk: MemoryDisk, path: string) =>
        rewrite(disk, path, () => bytesAt(paths[(paths.indexOf(path) + 1) % paths.length] ?? "")),
    ],
  ])("with a time index that is %s", (_what, harm) => {
    expect(expectSame(harm).trace.of("index_rebuilt").length).toBeGreaterThan(0);
  });

  test("with any bit of a time index flipped", () => {
    const path = paths[1] ?? "";
    for (let position = 0; position < bytesAt(path).length; position++) {
      const disk = world.disk.clone();
      rewrite(disk, path, (bytes) => flipped(bytes, position, position % 8));
      truth.expectOf(worldOn(disk, SIZES).open({ create: false }));
    }
  });

  test("with both indexes gone, which one walk for each segment makes anew", () => {
    const harmed = expectSame((disk, path) => {
      disk.remove(path);
      disk.remove(path.replace("timeindex", "index"));
    });
    const rebuilt = harmed.trace.of("index_rebuilt");
    expect(rebuilt.map(({ segmentBaseOffset }) => segmentBaseOffset)).toEqual(bases);
    for (const path of paths) expect(harmed.disk.files().get(path)).toEqual(bytesAt(path));
  });

  test("with an interval that has changed since the index was written", () => {
    for (const indexIntervalBytes of [1, 2900]) expectSame(() => {}, { ...SIZES, indexIntervalBytes });
  });

  test("on a disk that takes no index", () => {
    const disk = world.disk.clone();
    for (const path of paths) disk.remove(path);
    disk.fail({ operation: "write", code: "ENOSPC", path: /index$/, times: "always" });
    const harmed = worldOn(disk, SIZES);
    truth.expectOf(harmed.open({ create: false }));
    expect(harmed.trace.of("index_unwritten").length).toBeGreaterThan(0);
  });
});

const bytesAt = (path: string) => world.disk.files().get(path) ?? Buffer.alloc(0);

test("times that come in any order are found through every life of a log, with seeds of chance", async () => {
  const first = seedFromEnvironment(1);
  for (let seed = first; seed < first + 30; seed++) {
    const random = new SeededRandom(seed);
    const life = newWorld({
      segmentBytes: 400 + random.below(3000),
      indexIntervalBytes: 1 + random.below(500),
      indexMemory: new IndexMemory(random.below(600)),
    });
    const known = new Truth();
    let log = life.open();
    try {
      for (let round = 0; round < 8; round++) {
        for (let n = random.below(40); n >= 0; n--) {
          // They rise, with steps back, or lie anywhere.
          const [from, width] = seed % 2 === 0 ? [Math.min(known.records.length * 3, 900), 90] : [0, 990];
          const times = Array.from({ length: 1 + random.below(3) }, () => from + random.below(width));
          known.append(log, times);
        }
        if (random.below(2) === 0) known.expectOf(log);
        if (random.below(2) === 0) {
          const { logStartOffset, logEndOffset } = log;
          await log.truncateTo(logStartOffset + random.below(logEndOffset - logStartOffset + 1));
          known.records.length = log.logEndOffset;
        }
        if (random.below(3) === 0) {
          await log.deleteRecords(random.below(log.logEndOffset + 1));
        }
        if (random.below(2) === 0) continue;
        if (random.below(3) === 0) {
          await log.flush();
          log.abandon();
          life.disk.crash({ mode: random.below(2) === 0 ? "kept" : "lost" });
        } else await log.close();
        for (const path of life.disk.files().keys())
          if (isIndex(path) && random.below(5) === 0) life.disk.remove(path);
        log = life.open({ create: false });
        if (random.below(2) === 0) known.expectOf(log);
      }
      known.expectOf(log);
      log.abandon();
    } catch (problem) {
      throw new Error(`seed ${seed}: ${String(problem)}`, { cause: problem });
    }
  }
}, 60_000);

test("what compaction has emptied has no time, and is passed over", async () => {
  const { open } = newWorld({ segmentBytes: 100_000, indexIntervalBytes: 1 });
  const log = open();
  const at = (baseOffset: number, timestampMs: number) => {
    const frame = batch(["a", "b"], timestampMs);
    assignBatch(frame, { baseOffset, leaderEpoch: 0 });
    return frame;
  };
  const frames = [
    at(0, 100),
    emptiedFrame(at(2, 900)),
    gapFrame({ baseOffset: 4, nextOffset: 7, leaderEpoch: 0 }),
    at(7, 500),
    emptiedFrame(at(9, 700)),
  ];
  log.appendAsFollower(Buffer.concat(frames));
  const expectTimes = (opened: PartitionLog) => {
    for (const [timestampMs, offset] of [
      [0, 0],
      [101, 1],
      [102, 7],
      [500, 7],
      [501, 8],
      [502, null],
      [900, null],
    ] as const)
      expect(opened.offsetForTimestamp(timestampMs, 11)?.offset ?? null, `time ${timestampMs}`).toBe(offset);
  };
  expectTimes(log);
  for (const [offset, place] of [
    [1, 1],
    [2, null],
    [5, null],
    [8, 1],
  ] as const)
    expect(log.find({ offset })).toMatchObject({
      batch: { problem: null },
      record: place === null ? null : { offset, place },
      damage: null,
    });
  await log.close();
  const again = open({ create: false });
  expect(again.segments().at(-1)?.sizeBytes).toBe(Buffer.concat(frames).length);
  expectTimes(again);
});

test("an index of an earlier life that ended with other batches is not believed", async () => {
  const { disk, trace, open } = newWorld({ segmentBytes: 100_000, indexIntervalBytes: 100 });
  const log = open();
  const [first, second] = [new Truth(), new Truth()];
  for (let n = 0; n < 10; n++) first.append(log, [50]);
  await log.close();
  // The same sizes, offsets and epochs, and the same last batch but for its time.
  const stale = disk.files().get(timeIndexAt(0)) ?? Buffer.alloc(0);
  const other = newWorld({ segmentBytes: 100_000, indexIntervalBytes: 100 });
  const replaced = other.open();
  for (let n = 0; n < 10; n++) second.append(replaced, [n === 9 ? 51 : 700 - n]);
  await replaced.close();
  rewrite(other.disk, timeIndexAt(0), () => stale);
  second.expectOf(other.open({ create: false }));
  expect(other.trace.of("index_rebuilt").map(({ problem }) => problem)).toEqual([
    expect.stringContaining("is not the one that it ends with"),
  ]);
  expect(trace.of("index_rebuilt")).toEqual([]);
});

test("damage in what an index is made from is not counted, and a search that meets it names it", () => {
  const disk = world.disk.clone();
  const path = paths[0] ?? "";
  disk.remove(path);
  // The latest timestamp of the fourth batch, far in the future.
  const segment = path.replace("timeindex", "log");
  const [, , , hit] = world.trace.of("appended");
  rewrite(disk, segment, (bytes) => flipped(bytes, (hit?.position ?? 0) + 40, 0));
  const log = worldOn(disk, SIZES).open({ create: false });
  expect(() => log.offsetForTimestamp(200, log.logEndOffset)).toThrow(
    `${segment} at position ${hit?.position}: CRC`,
  );
  expect(log.offsetForTimestamp(90, log.logEndOffset)).toEqual({ offset: 0, timestampMs: 90 });
});

test("a search reads a few intervals of a large segment, however its times lie", async () => {
  const disk = new CountingDisk();
  disk.makeFolder("/data/broker-1");
  const indexIntervalBytes = 1000;
  const large = worldOn(disk, { segmentBytes: 2_000_000, indexIntervalBytes });
  const log = large.open();
  // One batch early on is later than all but the last ones: nearly the whole segment lies between them.
  const times = Array.from({ length: 5000 }, (_, n) => (n === 20 ? 500_000 : n < 4900 ? n : 500_000 + n));
  for (const time of times) log.append(batch(["x".repeat(40)], time), 0);
  await log.close();
  const again = large.open({ create: false });
  expect(again.offsetForTimestamp(504_999, 5000)?.offset).toBe(4999);
  for (const sought of [0, 1, 19, 20, 21, 500_000, 500_001, 504_899, 504_900, 504_901, 504_950, 504_999]) {
    disk.reads.length = 0;
    expect(again.offsetForTimestamp(sought, 5000)?.offset).toBe(times.findIndex((time) => time >= sought));
    const bytes = disk.reads.reduce((sum, lengthBytes) => sum + lengthBytes, 0);
    expect(bytes, `time ${sought}`).toBeLessThan(10 * indexIntervalBytes);
  }
  expect(large.trace.of("index_rebuilt")).toEqual([]);
});
