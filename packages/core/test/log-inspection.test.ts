/** Looking into a partition's folder from outside: everything is told, damage by its place, and nothing is changed. */
import { encodeBatch } from "@minikafka/record";
import { expect, test } from "vitest";
import type { MemoryDisk } from "../src/env/memory-disk.ts";
import { sealEnvelope } from "../src/log/files/checkpoint-envelope.ts";
import {
  type Finding,
  inspectPartition,
  OffsetIndex,
  partitionFolders,
  TimeIndex,
} from "../src/log/index.ts";
import {
  batch,
  FOLDER,
  flipped,
  indexAt,
  type LogWorld,
  MANIFEST,
  newWorld,
  rewrite,
  segmentAt,
  timeIndexAt,
} from "./log-world.ts";

const SIZES = { segmentBytes: 300, indexIntervalBytes: 1 };

function filledLog(): { world: LogWorld; close: () => Promise<void> } {
  const world = newWorld(SIZES);
  const log = world.open();
  for (let n = 0; n < 10; n += 1) log.append(batch([`${n}`, `${n}`.repeat(20)], 100 * n), 0);
  return { world, close: () => log.close() };
}

async function closedLog(): Promise<LogWorld> {
  const { world, close } = filledLog();
  await close();
  return world;
}

function found<Kind extends Finding["kind"]>(
  disk: MemoryDisk,
  kind: Kind,
  options = {},
): Extract<Finding, { kind: Kind }>[] {
  return [...inspectPartition(disk, FOLDER, options)].filter(
    (finding): finding is Extract<Finding, { kind: Kind }> => finding.kind === kind,
  );
}

/** Everything that is wrong. */
function flaws(disk: MemoryDisk): Finding[] {
  return [...inspectPartition(disk, FOLDER)].filter(({ kind }) => kind === "damage" || kind === "tail");
}

test("a closed log is told whole: manifest, segments, each batch with its place, each index entry", async () => {
  const { disk, trace } = await closedLog();
  const appended = trace.of("appended");
  expect(flaws(disk)).toEqual([]);
  expect(found(disk, "manifest")).toMatchObject([
    { file: MANIFEST, manifest: { recoveryPoint: { offset: 20 } } },
  ]);
  expect(
    found(disk, "batch").map(({ segmentBaseOffset, position, header, problem }) => ({
      segmentBaseOffset,
      position,
      baseOffset: header.baseOffset,
      bytes: header.frameBytes,
      problem,
    })),
  ).toEqual(
    appended.map(({ segmentBaseOffset, position, baseOffset, bytes }) => ({
      segmentBaseOffset,
      position,
      baseOffset,
      bytes,
      problem: null,
    })),
  );
  const indexes = found(disk, "index");
  expect(indexes.length).toBeGreaterThan(1);
  for (const { entries, problem } of indexes) {
    expect(problem).toBeNull();
    expect(entries.length).toBeGreaterThan(0);
  }
});

test("records come when they are asked for, from an offset on when one is given", async () => {
  const { disk } = await closedLog();
  const batches = found(disk, "batch", { offset: 13, withRecords: true });
  expect(batches[0]?.header.baseOffset).toBe(12);
  expect(batches[0]?.records?.map(({ value }) => String(value))).toEqual(["6", "6".repeat(20)]);
  expect(batches).toHaveLength(4);
});

test("a log that is open and written is told as it stands, and nothing of it is changed or held", async () => {
  const { world, close } = filledLog();
  const before = world.disk.clone();
  expect(found(world.disk, "batch")).toHaveLength(10);
  expect(flaws(world.disk)).toEqual([]);
  for (const { name } of before.readFolder(FOLDER)) {
    const bytes = (disk: MemoryDisk) => disk.openFile(`${FOLDER}/${name}`).readAt(0, 10_000);
    expect(bytes(world.disk)).toEqual(bytes(before));
  }
  await close();
});

test("segments that go while a log that runs is looked at are no damage, at whatever finding they go", async () => {
  for (let nth = 0; ; nth++) {
    const world = newWorld(SIZES);
    const log = world.open();
    for (let n = 0; n < 10; n += 1) log.append(batch([`${n}`, `${n}`.repeat(20)], 100 * n), 0);
    await log.flush();
    const kinds: string[] = [];
    for (const { kind } of inspectPartition(world.disk, FOLDER)) {
      if (kinds.push(kind) - 1 === nth) await log.deleteRecords(16);
    }
    const removed = world.trace.of("segment_deleted").length;
    if (removed === 0) {
      expect(nth).toBeGreaterThan(20);
      break;
    }
    expect(kinds).not.toContain("damage");
    await log.close();
  }
});

test("a damaged batch is told with file and position, and the batches behind it and in other files are told too", async () => {
  const { disk } = await closedLog();
  const second = found(disk, "batch")[1];
  rewrite(disk, segmentAt(0), (bytes) => flipped(bytes, (second?.position ?? 0) + 70, 0));
  expect(flaws(disk)).toMatchObject([
    {
      kind: "damage",
      file: segmentAt(0),
      position: second?.position,
      problem: expect.stringContaining("CRC"),
    },
  ]);
  expect(found(disk, "batch")).toHaveLength(10);
});

test("where no batch begins the walk goes on with the next file", async () => {
  const { disk } = await closedLog();
  const [first, second] = found(disk, "segment");
  rewrite(disk, first?.file ?? "", (bytes) => flipped(bytes, 0, 0));
  expect(flaws(disk)).toMatchObject([{ kind: "damage", file: first?.file, position: 0 }]);
  expect(found(disk, "batch")[0]?.header.baseOffset).toBe(second?.baseOffset);
});

test("a missing or short segment and a damaged manifest are damage", async () => {
  const { disk } = await closedLog();
  const [first, second, third] = found(disk, "segment");
  disk.remove(first?.file ?? "");
  rewrite(disk, second?.file ?? "", (bytes) => bytes.subarray(0, bytes.length - 1));
  const told = flaws(disk);
  expect(told[0]).toMatchObject({ file: first?.file, problem: expect.stringContaining("missing") });
  expect(told.map((flaw) => "file" in flaw && flaw.file)).toContain(second?.file);
  rewrite(disk, MANIFEST, (bytes) => flipped(bytes, 40, 0));
  expect(flaws(disk)[0]).toMatchObject({ kind: "damage", file: MANIFEST, position: null });
  expect(found(disk, "segment").map(({ file }) => file)).toContain(third?.file);
});

test("a manifest whose bytes are whole and say nothing that a manifest says is damage", async () => {
  const { disk } = await closedLog();
  rewrite(disk, MANIFEST, () => sealEnvelope(2, { topic_id: 7 }));
  expect(flaws(disk)).toMatchObject([
    { kind: "damage", file: MANIFEST, problem: "topic_id is 7, expected text" },
  ]);
});

test("what a crash leaves at the end is no damage, since recovery cuts it; what was flushed and is torn is", async () => {
  const { world, close } = filledLog();
  const torn = world.disk.clone();
  const last = found(torn, "segment").at(-1)?.file ?? "";
  rewrite(torn, last, (bytes) => bytes.subarray(0, bytes.length - 5));
  expect(flaws(torn)).toMatchObject([{ kind: "tail", file: last }]);
  const zeros = world.disk.clone();
  rewrite(zeros, last, (bytes) => Buffer.concat([bytes, Buffer.alloc(100)]));
  expect(flaws(zeros)).toMatchObject([{ kind: "tail", file: last }]);
  rewrite(zeros, last, (bytes) => Buffer.concat([bytes, Buffer.from("x")]));
  const cut = expect.stringContaining("the next start cuts the log here, with all that follows");
  expect(flaws(zeros)).toMatchObject([{ kind: "damage", file: last, problem: cut }]);
  await close();
  rewrite(world.disk, last, (bytes) => bytes.subarray(0, bytes.length - 5));
  expect(flaws(world.disk)[0]).toMatchObject({
    kind: "damage",
    file: last,
    problem: expect.not.stringContaining("cuts"),
  });
});

test("a damaged index and one that leads astray are told, and are no damage", async () => {
  const { disk } = await closedLog();
  rewrite(disk, indexAt(0), (bytes) => flipped(bytes, 20, 0));
  expect(flaws(disk)).toEqual([]);
  expect(found(disk, "index")[0]?.problem).toContain("CRC");
  const astray = new OffsetIndex();
  astray.add({ relativeOffset: 1, position: 7 });
  rewrite(disk, indexAt(0), () => astray.encode(300));
  expect(flaws(disk)).toEqual([]);
  expect(found(disk, "index")[0]?.problem).toContain("its entry 1 at 7 leads to no batch");
});

test("a time index is told with its entries, and what is wrong with it is no damage", async () => {
  const { disk } = await closedLog();
  const [told] = found(disk, "time_index");
  expect(told).toMatchObject({ file: timeIndexAt(0), segmentBaseOffset: 0, problem: null });
  expect(told?.entries).toEqual([
    { timestampMs: 101, relativeOffset: 2 },
    { timestampMs: 201, relativeOffset: 4 },
  ]);
  const problemOf = (bytes: Buffer) => {
    const harmed = disk.clone();
    rewrite(harmed, timeIndexAt(0), () => bytes);
    expect(flaws(harmed)).toEqual([]);
    return found(harmed, "time_index")[0]?.problem;
  };
  const bytes = disk.files().get(timeIndexAt(0)) ?? Buffer.alloc(0);
  expect(problemOf(flipped(bytes, 30, 0))).toContain("CRC");
  const decoded = TimeIndex.decode(bytes);
  if ("problem" in decoded) throw new Error(decoded.problem);
  const { coverage } = decoded;
  for (const astray of [
    { timestampMs: 102, relativeOffset: 2 },
    { timestampMs: 101, relativeOffset: 3 },
    { timestampMs: 9000, relativeOffset: 9000 },
  ]) {
    const index = new TimeIndex();
    index.add(astray);
    expect(problemOf(index.encode(coverage))).toContain(`its entry ${astray.timestampMs} at`);
  }
  const stale = decoded.index.encode({ ...coverage, lastCrc: 7 });
  expect(problemOf(stale)).toContain("is not the one that it ends with");
});

test("damage in a segment is not laid at the door of its indexes", async () => {
  const { disk } = await closedLog();
  const [, second] = found(disk, "batch");
  // The base offset, and the latest timestamp.
  for (const at of [20, 44]) {
    const harmed = disk.clone();
    rewrite(harmed, segmentAt(0), (bytes) => flipped(bytes, (second?.position ?? 0) + at, 1));
    expect(flaws(harmed)).toHaveLength(1);
    for (const kind of ["index", "time_index"] as const) expect(found(harmed, kind)[0]?.problem).toBeNull();
  }
});

test("snapshots of the producers are told, and what is wrong with one is no damage", async () => {
  const world = newWorld(SIZES);
  const log = world.open();
  for (let n = 0; n < 6; n += 1) {
    const records = [{ key: null, value: Buffer.from("v".repeat(90)), timestampMs: 0, headers: [] }];
    log.append(encodeBatch({ records, producerId: 7, producerEpoch: 1, baseSequence: n }), 0);
    await log.flush();
  }
  await log.close();
  const snapshots = found(world.disk, "snapshot");
  expect(snapshots.at(-1)).toMatchObject({
    offset: 6,
    problem: null,
    producers: [
      {
        producerId: 7,
        producerEpoch: 1,
        batches: expect.arrayContaining([expect.objectContaining({ baseSequence: 5 })]),
      },
    ],
  });
  const [first, second, third] = snapshots.map(({ file }) => file);
  rewrite(world.disk, first ?? "", (bytes) => flipped(bytes, 40, 2));
  rewrite(world.disk, second ?? "", () => Buffer.from("nonsense"));
  world.disk.remove(third ?? "");
  expect(
    found(world.disk, "snapshot").map(({ problem, producers }) => [problem === null, producers]),
  ).toEqual([
    [false, []],
    [false, []],
    [false, []],
  ]);
  expect(flaws(world.disk)).toEqual([]);
});

test("the partitions of a broker's and of a whole data folder are found", async () => {
  const { disk } = await closedLog();
  for (const folder of [FOLDER, "/data/broker-1", "/data"])
    expect(partitionFolders(disk, folder)).toEqual([FOLDER]);
});

test("an open log is dumped from any offset in steps that lead to its end, over damage", async () => {
  const world = await closedLog();
  const damaged = found(world.disk, "batch")[3];
  rewrite(world.disk, damaged?.file ?? "", (bytes) => flipped(bytes, (damaged?.position ?? 0) + 70, 0));
  const log = world.open();
  for (const start of [0, 3, 6, 7, 8, 19]) {
    const seen: [number, string | null][] = [];
    let offset = start;
    while (offset < log.logEndOffset) {
      const { batches, nextOffset } = log.dump(offset, { batchesMax: 1, bytesMax: 1, withRecords: false });
      for (const { header, problem } of batches) seen.push([header?.baseOffset ?? -1, problem]);
      expect(nextOffset).toBeGreaterThan(offset);
      offset = nextOffset;
    }
    const expected = Array.from({ length: 10 }, (_, n) => 2 * n).filter((base) => base + 2 > start);
    expect(
      seen.map(([base]) => base),
      `from ${start}`,
    ).toEqual(expected);
    expect(seen.filter(([, problem]) => problem !== null)).toHaveLength(start < 8 ? 1 : 0);
  }
  expect(() => log.dump(21, { batchesMax: 1, bytesMax: 1, withRecords: false })).toThrow("not in the log");
  log.abandon();
});

test("a numbered file below the recovery point that no manifest names is foreign, as it is to the broker", async () => {
  const world = await closedLog();
  const bytes = world.disk.files().get(segmentAt(0));
  for (const baseOffset of [1, 3]) {
    const file = world.disk.openFile(segmentAt(baseOffset), { create: "if-missing" });
    file.writeAt(0, bytes ?? Buffer.alloc(0));
    file.close();
  }
  expect(flaws(world.disk)).toEqual([]);
  expect(found(world.disk, "segment").map(({ baseOffset }) => baseOffset)).not.toContain(1);
  const log = world.open({ create: false });
  expect([log.logStartOffset, log.logEndOffset]).toEqual([0, 20]);
});
