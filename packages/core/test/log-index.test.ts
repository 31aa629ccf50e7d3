/** An index is a hint: whatever becomes of its file, every read returns the same. */
import { describe, expect, test } from "vitest";
import type { MemoryDisk } from "../src/env/memory-disk.ts";
import { IndexMemory } from "../src/log/context/index-memory.ts";
import { OffsetIndex } from "../src/log/indexes/offset-index.ts";
import {
  batch,
  emptyDisk,
  FOLDER,
  indexAt,
  type LogWorld,
  newWorld,
  readAll,
  rewrite,
  worldOn,
} from "./log-world.ts";

const BATCHES = 60;

async function closedLog(): Promise<{ world: LogWorld; indexes: string[] }> {
  const world = newWorld({ segmentBytes: 2000 });
  const log = world.open();
  for (let n = 0; n < BATCHES; n++) log.append(batch([`${n}a`, `${n}b`]), 0);
  await log.close();
  return { world, indexes: log.segments().map(({ baseOffset }) => indexAt(baseOffset)) };
}

const { world, indexes } = await closedLog();

/** Reads at every offset, on a clone that `harm` was done to. */
function expectSameReads(harm: (disk: MemoryDisk, path: string) => void): LogWorld {
  const disk = world.disk.clone();
  for (const path of indexes) harm(disk, path);
  const harmed = worldOn(disk, { segmentBytes: 2000 });
  const [log, whole] = [harmed.open({ create: false }), world.open({ create: false })];
  for (let offset = 0; offset < 2 * BATCHES; offset++) {
    const limits = { bytesMax: 1, endOffset: 2 * BATCHES };
    expect(log.read(offset, limits)).toEqual(whole.read(offset, limits));
  }
  log.abandon();
  whole.abandon();
  return harmed;
}

function entriesOf(bytes: Buffer): [relativeOffset: number, position: number][] {
  const entries: [number, number][] = [];
  for (let at = 16; at + 8 <= bytes.length; at += 8)
    entries.push([bytes.readUInt32BE(at), bytes.readUInt32BE(at + 4)]);
  return entries;
}

/** An index file with a right CRC that says something else. */
function liar(change: (entry: [number, number], n: number) => [number, number]) {
  return (disk: MemoryDisk, path: string) =>
    rewrite(disk, path, (bytes) => {
      const index = new OffsetIndex();
      entriesOf(bytes).forEach((entry, n) => {
        const [relativeOffset, position] = change(entry, n);
        index.add({ relativeOffset, position });
      });
      return index.encode(bytes.readUInt32BE(8));
    });
}

describe("every read is the same", () => {
  test.each([
    ["missing", (disk: MemoryDisk, path: string) => disk.remove(path)],
    ["empty", (disk: MemoryDisk, path: string) => rewrite(disk, path, () => Buffer.alloc(0))],
    [
      "of an odd length",
      (disk: MemoryDisk, path: string) => rewrite(disk, path, (b) => b.subarray(0, b.length - 3)),
    ],
    [
      "shorter by an entry",
      (disk: MemoryDisk, path: string) => rewrite(disk, path, (b) => b.subarray(0, b.length - 8)),
    ],
    [
      "shifted by a byte",
      (disk: MemoryDisk, path: string) =>
        rewrite(disk, path, (b) => Buffer.concat([Buffer.alloc(1), b.subarray(0, b.length - 1)])),
    ],
    ["zeros", (disk: MemoryDisk, path: string) => rewrite(disk, path, (b) => Buffer.alloc(b.length))],
    [
      "a folder",
      (disk: MemoryDisk, path: string) => {
        disk.remove(path);
        disk.makeFolder(path);
      },
    ],
    ["false in its positions", liar(([offset, position]) => [offset, position + 7])],
    ["false in its offsets", liar(([offset, position]) => [offset + 1, position])],
    ["far beyond the segment", liar(([offset, position]) => [offset + 1_000_000, position + 1_000_000])],
    ["for other batches", liar(([offset, position], n) => [offset + n + 1, position])],
    [
      "swapped with another's",
      (disk: MemoryDisk, path: string) => {
        const other = world.disk.files().get(indexes[(indexes.indexOf(path) + 1) % indexes.length] ?? "");
        rewrite(disk, path, () => other ?? Buffer.alloc(0));
      },
    ],
  ])("with an index that is %s", (_what, harm) => {
    expectSameReads(harm);
  });

  test("with any bit of an index flipped", () => {
    const path = indexes[1] ?? "";
    const size = world.disk.files().get(path)?.length ?? 0;
    for (let position = 0; position < size; position++) {
      const disk = world.disk.clone();
      rewrite(disk, path, (bytes) => {
        bytes.writeUInt8(bytes.readUInt8(position) ^ (1 << (position % 8)), position);
        return bytes;
      });
      const log = worldOn(disk, { segmentBytes: 2000 }).open({ create: false });
      expect(readAll(log)).toHaveLength(2 * BATCHES);
    }
  });

  test("with an interval that has changed since the index was written", async () => {
    for (const indexIntervalBytes of [1, 10_000]) {
      const log = world.open({ create: false, indexIntervalBytes });
      expect(readAll(log, { bytesMax: 1 })).toEqual(readAll(log));
      log.abandon();
    }
  });
});

test("an index that was damaged is made anew once, and then lies on the disk again", () => {
  const harmed = expectSameReads((disk, path) => disk.remove(path));
  const sealed = indexes.slice(0, -1);
  expect(harmed.trace.of("index_rebuilt").map(({ problem }) => problem)).toEqual(
    indexes.map(() => "it is missing"),
  );
  for (const path of sealed) expect(harmed.disk.files().get(path)).toEqual(world.disk.files().get(path));
});

test("a disk that takes no index costs nothing but a rebuilding later", () => {
  const disk = world.disk.clone();
  for (const path of indexes) disk.remove(path);
  disk.fail({ operation: "write", code: "ENOSPC", path: /\.index$/, times: "always" });
  const harmed = worldOn(disk, { segmentBytes: 2000 });
  expect(readAll(harmed.open({ create: false }))).toHaveLength(2 * BATCHES);
  expect(harmed.trace.of("index_unwritten").length).toBeGreaterThan(0);
});

test("the index of an active segment goes on where a crash interrupted it", async () => {
  const { disk, trace, open } = newWorld({ segmentBytes: 100_000 });
  const log = open();
  for (let n = 0; n < 20; n++) log.append(batch([`${n}`]), 0);
  await log.close();
  const second = open({ create: false });
  for (let n = 20; n < 40; n++) second.append(batch([`${n}`]), 0);
  second.abandon();
  disk.crash({ mode: "kept" });
  const third = open({ create: false });
  for (let n = 40; n < 60; n++) third.append(batch([`${n}`]), 0);
  for (let offset = 59; offset >= 0; offset--)
    expect(readAll(third, { offset, bytesMax: 1 })[0]).toBe(`${offset}`);
  expect(trace.of("index_rebuilt")).toEqual([]);
  await third.close();
  expect(readAll(open({ create: false }), { bytesMax: 1 })).toHaveLength(60);
  expect(trace.of("index_rebuilt")).toEqual([]);
});

test("logs that share little memory give their indexes up in turn, and read the same", async () => {
  const disk = emptyDisk();
  const indexMemory = new IndexMemory(600);
  const worlds = Array.from({ length: 20 }, (_, partition) =>
    worldOn(disk, { folder: `${FOLDER}-${partition}`, segmentBytes: 2000, indexMemory }),
  );
  const logs = worlds.map(({ open }) => open());
  for (let n = 0; n < 40; n++) {
    for (const [partition, log] of logs.entries()) log.append(batch([`${partition}:${n}`], 1000 + n), 0);
    expect(indexMemory.bytes).toBeLessThanOrEqual(600);
  }
  for (let offset = 39; offset >= 0; offset -= 7) {
    for (const [partition, log] of logs.entries()) {
      expect(readAll(log, { offset, bytesMax: 1 })[0]).toBe(`${partition}:${offset}`);
      expect(log.offsetForTimestamp(1000 + offset, log.logEndOffset)?.offset).toBe(offset);
      expect(indexMemory.bytes).toBeLessThanOrEqual(600);
    }
  }
  for (const log of logs) await log.close();
  expect(indexMemory.bytes).toBe(0);
  expect(worlds.flatMap(({ trace }) => trace.of("index_rebuilt"))).toEqual([]);
});

test("an index that the disk does not take stays in memory, where its entries are", () => {
  const { disk, trace, open } = newWorld({ segmentBytes: 10_000, indexMemory: new IndexMemory(0) });
  disk.fail({ operation: "write", code: "ENOSPC", path: /index$/, times: "always" });
  const first = open();
  const second = open({ folder: `${FOLDER}1` });
  for (let n = 0; n < 10; n++) for (const log of [first, second]) log.append(batch([`${n}`]), 0);
  expect(trace.of("index_unwritten").length).toBeGreaterThan(0);
  for (let offset = 9; offset >= 0; offset--)
    expect(readAll(first, { offset, bytesMax: 1 })[0]).toBe(`${offset}`);
  expect(trace.of("index_rebuilt")).toEqual([]);
});

test("a segment of one batch, small or large, is no reason to tell of an index that is missing", async () => {
  const world = newWorld({ segmentBytes: 200, indexIntervalBytes: 1000 });
  const log = world.open();
  const large = "x".repeat(2000);
  for (const text of ["small", large, "small", large, "last"]) log.append(batch([text]), 0);
  await log.close();
  const reopened = world.open({ create: false });
  expect(readAll(reopened)).toEqual(["small", large, "small", large, "last"]);
  expect(reopened.offsetForTimestamp(0, 5)).toMatchObject({ offset: 0 });
  for (let offset = 0; offset < 5; offset++) reopened.find({ offset });
  expect(world.trace.of("index_rebuilt")).toEqual([]);
});
