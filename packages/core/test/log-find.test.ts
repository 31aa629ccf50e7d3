/** The way to an offset or a time, as a log that is open tells it, and as its folder does. */
import { crc32 } from "node:zlib";
import { describe, expect, test } from "vitest";
import type { MemoryDisk } from "../src/env/memory-disk.ts";
import { type FolderFind, findInFolder, OffsetIndex, type SoughtPlace } from "../src/log/index.ts";
import type { LogFind } from "../src/log/lookup/log-find.ts";
import type { PartitionLog } from "../src/log/partition-log.ts";
import {
  batch,
  FOLDER,
  flipped,
  indexAt,
  type LogWorld,
  MANIFEST,
  newWorld,
  refusal,
  rewrite,
  segmentAt,
  timeIndexAt,
  valuesOf,
  worldOn,
} from "./log-world.ts";
import { gzipOnly, packedBatch } from "./packing.ts";

const SIZES = { segmentBytes: 1000, indexIntervalBytes: 200 };
const BATCHES = 40;
const END = 2 * BATCHES;
const timeOf = (offset: number) => 100 * Math.floor(offset / 2) + (offset % 2);

async function closedLog(): Promise<LogWorld> {
  const world = newWorld(SIZES);
  const log = world.open();
  for (let n = 0; n < BATCHES; n++) log.append(batch([`${2 * n}`, `${2 * n + 1}`], 100 * n), 0);
  await log.close();
  return world;
}

const world = await closedLog();
const appended = world.trace.of("appended");

function inFolder(disk: MemoryDisk, sought: SoughtPlace): Omit<FolderFind, "range"> {
  const { range, ...found } = findInFolder({ disk, folder: FOLDER }, sought);
  expect(range).toEqual({ startOffset: 0, endOffset: END });
  return found;
}

/** Both ways, which must agree. */
function found(log: PartitionLog, disk: MemoryDisk, sought: SoughtPlace): LogFind {
  const told = log.find(sought);
  expect(told).toMatchObject(inFolder(disk, sought));
  return told;
}

function batchesScanned({ steps }: LogFind): number {
  return steps.reduce((sum, step) => sum + (step.kind === "scan" ? step.batches : 0), 0);
}

describe("an offset", () => {
  test("is found where a read finds it, near an entry of the index, at its place in the batch", () => {
    const log = world.open({ create: false });
    for (let offset = 0; offset < END; offset++) {
      const told = found(log, world.disk, { offset });
      const place = appended[Math.floor(offset / 2)];
      expect(told.batch).toMatchObject({
        segmentBaseOffset: place?.segmentBaseOffset,
        position: place?.position,
        header: { baseOffset: place?.baseOffset },
        problem: null,
      });
      expect(told.record).toEqual({ offset, timestampMs: timeOf(offset), place: offset % 2 });
      expect(told.damage).toBeNull();
      expect(batchesScanned(told)).toBeLessThan(5);
    }
  });

  test("is told with the segments that were compared, the entry that was hit, and the batches looked at from there", () => {
    const told = world.open({ create: false }).find({ offset: 15 });
    const bases = [...new Set(appended.map(({ segmentBaseOffset }) => segmentBaseOffset))];
    const compared = told.steps.flatMap((step) => (step.kind === "segment" ? [step] : []));
    expect(compared.length).toBeLessThanOrEqual(Math.ceil(Math.log2(bases.length)) + 1);
    expect(compared.filter(({ taken }) => taken)).toEqual([compared.at(-1)]);
    expect(compared.at(-1)).toMatchObject({ segment: 0, nextOffset: bases[1] });
    const entry = told.steps.find((step) => step.kind === "offset_index");
    const scan = told.steps.at(-1);
    expect(entry).toMatchObject({
      segment: 0,
      position: appended.find(({ baseOffset }) => baseOffset === entry?.offset)?.position,
    });
    expect(scan).toMatchObject({ kind: "scan", position: entry?.position });
    expect(scan?.kind === "scan" && scan.batches).toBe((14 - (entry?.offset ?? 0)) / 2 + 1);
  });

  test("outside of the log is refused, and in a folder told with its bounds", () => {
    const log = world.open({ create: false });
    for (const offset of [END, END + 1, 9000])
      expect(refusal(() => log.find({ offset }))).toMatchObject({
        code: "OFFSET_OUT_OF_RANGE",
        details: { offset, log_start_offset: 0, log_end_offset: END },
      });
    expect(findInFolder({ disk: world.disk, folder: FOLDER }, { offset: END })).toEqual({
      steps: [],
      batch: null,
      record: null,
      damage: null,
      range: { startOffset: 0, endOffset: END },
    });
    expect(refusal(() => newWorld().open().find({ offset: 0 })).message).toContain("the log is empty");
  });
});

describe("a time", () => {
  test("is found where the log finds it, and one that nothing is as late as is not", () => {
    const log = world.open({ create: false });
    for (let offset = 0; offset < END; offset++) {
      for (const timestampMs of [timeOf(offset), Math.max(0, timeOf(offset) - 1)]) {
        const told = found(log, world.disk, { timestampMs });
        const { batch: hit, record } = told;
        expect(record && { offset: record.offset, timestampMs: record.timestampMs }).toEqual(
          log.offsetForTimestamp(timestampMs, END),
        );
        expect(hit?.header.baseOffset).toBe((record?.offset ?? 0) - (record?.place ?? 0));
        expect(batchesScanned(told)).toBeLessThan(8);
      }
    }
    const late = found(log, world.disk, { timestampMs: timeOf(END) });
    expect(late).toMatchObject({ batch: null, record: null, damage: null });
    expect(late.steps.every((step) => step.kind === "segment" && !step.taken)).toBe(true);
  });

  test("is told with the entries of the time index between which it lies", () => {
    const told = world.open({ create: false }).find({ timestampMs: 730 });
    const entry = told.steps.find((step) => step.kind === "time_index");
    expect(entry?.after?.timestampMs).toBeLessThan(730);
    expect(entry?.until === null || (entry?.until.timestampMs ?? 0) >= 730).toBe(true);
    expect(told.record).toEqual({ offset: 16, timestampMs: 800, place: 0 });
  });
});

test("an index that is false is told and done without, on a disk as in a log that makes it anew", () => {
  for (const pathAt of [indexAt, timeIndexAt]) {
    const disk = world.disk.clone();
    rewrite(disk, pathAt(0), (bytes) => flipped(bytes, bytes.length - 1, 0));
    const folder = inFolder(disk, pathAt === indexAt ? { offset: 15 } : { timestampMs: 730 });
    expect(folder.steps).toContainEqual(
      expect.objectContaining({ kind: "index_refused", segment: 0, problem: expect.stringContaining("CRC") }),
    );
    expect(folder.record?.offset).toBe(pathAt === indexAt ? 15 : 16);
    const log = worldOn(disk, SIZES).open({ create: false });
    expect(log.find({ offset: 15 }).record?.offset).toBe(15);
    expect(log.find({ timestampMs: 730 }).record?.offset).toBe(16);
  }
});

test("an entry that leads astray is told as refused, and the search goes another way", () => {
  const disk = world.disk.clone();
  const astray = new OffsetIndex();
  astray.add({ relativeOffset: 4, position: 7 });
  rewrite(disk, indexAt(0), () => astray.encode(1000));
  const folder = inFolder(disk, { offset: 15 });
  const told = worldOn(disk, SIZES).open({ create: false }).find({ offset: 15 });
  for (const { steps, record } of [folder, told]) {
    expect(record?.offset).toBe(15);
    const kinds = steps.map(({ kind }) => kind);
    const refused = kinds.indexOf("index_refused");
    expect(kinds.slice(refused - 2, refused)).toEqual(["offset_index", "scan"]);
    expect(kinds.at(-1)).toBe("scan");
  }
});

describe("damage", () => {
  const second = appended[1];
  const damagedAt = (at: number): MemoryDisk => {
    const disk = world.disk.clone();
    rewrite(disk, segmentAt(0), (bytes) => flipped(bytes, (second?.position ?? 0) + at, 0));
    return disk;
  };

  test("in the batch that holds the offset is told with it, and in one on the way to a time is where the search ends", () => {
    const disk = damagedAt(70);
    const log = worldOn(disk, SIZES).open({ create: false });
    const offset = found(log, disk, { offset: 3 });
    expect(offset).toMatchObject({
      batch: { position: second?.position, problem: expect.stringContaining("CRC") },
      record: null,
      damage: null,
    });
    const time = found(log, disk, { timestampMs: 101 });
    expect(time).toMatchObject({
      batch: null,
      damage: { file: segmentAt(0), segmentBaseOffset: 0, position: second?.position },
    });
    expect(time.damage?.problem).toBe(refusal(() => log.offsetForTimestamp(101, END)).message);
    expect(found(log, disk, { offset: 5 }).record?.offset).toBe(5);
  });

  test("that hides where the next batch begins is where the search ends, as a read's does", () => {
    // The size of the batch.
    const disk = damagedAt(6);
    const log = worldOn(disk, SIZES).open({ create: false });
    const told = found(log, disk, { offset: 4 });
    const { message, details } = refusal(() => log.read(4, { bytesMax: 1, endOffset: END }));
    expect(told.damage).toMatchObject({ position: details.position, problem: message });
  });

  test("of a folder's manifest, and a segment that is missing or short, are told by file", () => {
    const find = (disk: MemoryDisk) => findInFolder({ disk, folder: FOLDER }, { offset: 0 });
    const manifest = world.disk.clone();
    rewrite(manifest, MANIFEST, (bytes) => flipped(bytes, 30, 0));
    expect(find(manifest)).toMatchObject({ range: null, damage: { file: MANIFEST, position: null } });
    const missing = world.disk.clone();
    missing.remove(segmentAt(0));
    expect(find(missing).damage).toMatchObject({ file: segmentAt(0) });
    const short = world.disk.clone();
    const last = appended.at(-1)?.segmentBaseOffset ?? -1;
    rewrite(short, segmentAt(last), (bytes) => bytes.subarray(0, -1));
    expect(find(short)).toMatchObject({ range: null, damage: { file: segmentAt(last) } });
  });
});

test("behind the recovery point a folder is searched as far as recovery would keep it, and nothing of it is changed", async () => {
  const crashed = newWorld(SIZES);
  const log = crashed.open();
  for (let n = 0; n < 10; n++) log.append(batch([`${n}`], 100 * n), 0);
  await log.flush();
  for (let n = 10; n < 30; n++) log.append(batch([`${n}`], 100 * n), 0);
  const last = log.segments().at(-1)?.baseOffset ?? 0;
  const disk = crashed.disk.clone();
  log.abandon();
  rewrite(disk, segmentAt(last), (bytes) => bytes.subarray(0, -1));
  const before = disk.files();
  for (let offset = 0; offset < 29; offset++) {
    const told = findInFolder({ disk, folder: FOLDER }, { offset });
    expect(told.range).toEqual({ startOffset: 0, endOffset: 29 });
    expect(told.record?.offset).toBe(offset);
    expect(findInFolder({ disk, folder: FOLDER }, { timestampMs: 100 * offset }).record?.offset).toBe(offset);
  }
  expect(findInFolder({ disk, folder: FOLDER }, { timestampMs: 2900 }).record).toBeNull();
  expect(disk.files()).toEqual(before);
  const recovered = worldOn(disk, SIZES).open({ create: false });
  expect(recovered.logEndOffset).toBe(29);
  expect(valuesOf(recovered.read(28, { bytesMax: 1, endOffset: 29 }).batches, 28)).toEqual(["28"]);
});

describe("a compressed batch", () => {
  const records = [5, 90, 40].map((timestampMs) => ({
    key: null,
    value: Buffer.from(`at ${timestampMs}`),
    timestampMs,
    headers: [],
  }));
  const held = (world: LogWorld) => {
    const log = world.open();
    log.append(batch(["plain"], 1), 0);
    log.append(packedBatch({ records }), 0);
    return log;
  };

  test("is looked into by offset and by time, in an open log and in its folder", () => {
    const world = newWorld();
    const log = held(world);
    const folder = { disk: world.disk, folder: FOLDER };
    for (const find of [
      (sought: SoughtPlace) => log.find(sought),
      (sought: SoughtPlace) => findInFolder({ ...folder, compression: gzipOnly }, sought),
    ]) {
      expect(find({ offset: 2 }).record).toEqual({ offset: 2, timestampMs: 90, place: 1 });
      expect(find({ offset: 3 }).record).toEqual({ offset: 3, timestampMs: 40, place: 2 });
      expect(find({ timestampMs: 6 }).record).toEqual({ offset: 2, timestampMs: 90, place: 1 });
      expect(find({ timestampMs: 91 }).record).toBeNull();
    }
    expect(log.offsetForTimestamp(6, log.logEndOffset)).toEqual({ offset: 2, timestampMs: 90 });
  });

  test("is told with its records by a dump, and those count among its bytes", () => {
    const log = held(newWorld());
    const { batches } = log.dump(1, { batchesMax: 9, bytesMax: 9_000, withRecords: true });
    expect(batches).toMatchObject([{ header: { codec: "gzip" }, problem: null }]);
    expect(batches[0]?.records?.map(({ value }) => String(value))).toEqual(["at 5", "at 90", "at 40"]);
    const zeros = { key: null, value: Buffer.alloc(4_000), timestampMs: 1, headers: [] };
    for (let n = 0; n < 5; n += 1) log.append(packedBatch({ records: [zeros] }), 0);
    const limits = { batchesMax: 9, bytesMax: 9_000 };
    expect(log.dump(4, { ...limits, withRecords: true }).batches).toHaveLength(2);
    expect(log.dump(4, { ...limits, withRecords: false }).batches).toHaveLength(5);
  });

  test("is found as a whole where nothing reads its codec, and a search for a time says that", () => {
    const world = newWorld();
    Object.assign(world.env, { compression: undefined });
    const log = held(world);
    expect(log.find({ offset: 2 })).toMatchObject({
      batch: { header: { codec: "gzip" }, problem: null },
      record: null,
      damage: null,
    });
    expect(log.dump(1, { batchesMax: 9, bytesMax: 9_000, withRecords: true }).batches).toMatchObject([
      { problem: null, records: null },
    ]);
    expect(refusal(() => log.offsetForTimestamp(6, 4)).code).toBe("UNSUPPORTED_COMPRESSION_TYPE");
  });

  test("that unpacks to something else is damage with its place, for whoever looks into it", () => {
    const log = newWorld().open();
    const frame = packedBatch({ records });
    frame.fill(0, frame.length - 12);
    frame.writeUInt32BE(crc32(frame.subarray(12)), 8);
    log.append(frame, 0);
    expect(log.find({ offset: 0 })).toMatchObject({ batch: { problem: expect.any(String) }, record: null });
    const problem = refusal(() => log.offsetForTimestamp(6, 3));
    expect(problem).toMatchObject({ code: "STORAGE_ERROR", details: { position: 0, offset: 0 } });
  });
});
