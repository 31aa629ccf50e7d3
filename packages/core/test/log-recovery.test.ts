/** What opening a log promises, whatever lies in its folder. */
import { assignBatch } from "@minikafka/record";
import { describe, expect, test } from "vitest";
import type { MemoryDisk } from "../src/env/memory-disk.ts";
import {
  batch,
  FOLDER,
  indexAt,
  type LogWorld,
  MANIFEST,
  newWorld,
  PLACE,
  readAll,
  refusal,
  rewrite,
  segmentAt,
  timeIndexAt,
  unsyncedPaths,
  worldOn,
} from "./log-world.ts";

/** Several sealed segments and a part of the active one are durable and known to the manifest. */
async function closedLog(batches = 30): Promise<LogWorld> {
  const world = newWorld();
  const log = world.open();
  for (let n = 0; n < batches; n++) log.append(batch([`${n}`]), 0);
  await log.close();
  world.trace.clear();
  return world;
}

const numbered = (count: number) => Array.from({ length: count }, (_, n) => `${n}`);

function assignedBatch(text: string, baseOffset: number): Buffer {
  const frame = batch([text]);
  assignBatch(frame, { baseOffset, leaderEpoch: 0 });
  return frame;
}

function append(disk: MemoryDisk, path: string, ...bytes: Buffer[]): void {
  rewrite(disk, path, (before) => Buffer.concat([before, ...bytes]));
}

const activeOf = ({ open }: LogWorld) => {
  const log = open({ create: false });
  const baseOffset = log.segments().at(-1)?.baseOffset ?? 0;
  log.abandon();
  return segmentAt(baseOffset);
};

describe("a torn tail", () => {
  test("is cut back to the last whole batch, at every length", async () => {
    const world = await closedLog(4);
    const path = activeOf(world);
    const frame = assignedBatch("torn", 4);
    for (let length = 0; length <= frame.length; length++) {
      const disk = world.disk.clone();
      append(disk, path, frame.subarray(0, length));
      const { open, trace } = worldOn(disk);
      const log = open({ create: false });
      const isWhole = length === frame.length;
      expect(readAll(log)).toEqual([...numbered(4), ...(isWhole ? ["torn"] : [])]);
      expect(trace.of("recovered")).toMatchObject(
        length === 0 ? [] : [{ scannedBytes: length, cutBytes: isWhole ? 0 : length, recoveryPoint: 4 }],
      );
      log.append(batch(["next"]), 0);
      expect(readAll(log).at(-1)).toBe("next");
    }
  });

  test.each([
    ["zeros", Buffer.alloc(4096)],
    ["other bytes", Buffer.alloc(200, 0x5a)],
    ["a batch that was never given an offset", batch(["unassigned"])],
    ["an older batch", assignedBatch("stale", 2)],
    ["a batch from further on", assignedBatch("stale", 9)],
    ["a batch without its end", assignedBatch("x".repeat(100), 4).subarray(0, 120)],
  ])("of %s is cut off, and nothing that follows it is believed", async (_what, bytes) => {
    const { disk, open, trace } = await closedLog(4);
    append(disk, segmentAt(0), bytes, assignedBatch("behind", 4));
    const log = open({ create: false });
    expect(readAll(log)).toEqual(numbered(4));
    expect(trace.of("recovered")[0]?.problem).toContain(`${segmentAt(0)} at position`);
    expect(trace.of("recovered")[0]?.cutBytes).toBe(bytes.length + assignedBatch("behind", 4).length);
  });

  test("that was cut off is durably gone before the log is used", async () => {
    const { disk, open } = await closedLog(4);
    append(disk, segmentAt(0), Buffer.alloc(50), assignedBatch("behind", 4));
    open({ create: false });
    expect(unsyncedPaths(disk)).toEqual([]);
  });
});

describe("segments behind the recovery point", () => {
  test("that continue the log stay, though no manifest names them", () => {
    const { disk, open } = newWorld();
    const log = open();
    for (let n = 0; n < 40; n++) log.append(batch([`${n}`]), 0);
    log.abandon();
    disk.crash({ mode: "kept" });
    const again = open({ create: false });
    expect(readAll(again)).toEqual(numbered(40));
    expect(again.segments()).toEqual(log.segments());
    expect(again.flushedOffset).toBe(0);
  });

  test("that continue nothing go, with their indexes and durably, and the rest stays", async () => {
    const { disk, open, trace } = await closedLog(4);
    for (const offset of [5, 90]) {
      append(disk, segmentAt(offset), assignedBatch("stray", offset));
      append(disk, indexAt(offset), Buffer.alloc(3));
      append(disk, timeIndexAt(offset), Buffer.alloc(3));
    }
    const log = open({ create: false });
    expect(readAll(log)).toEqual(numbered(4));
    expect([...disk.files().keys()]).toEqual([indexAt(0), segmentAt(0), timeIndexAt(0), MANIFEST]);
    expect(trace.of("stray_file_removed").map(({ path }) => path)).toContain(segmentAt(90));
    expect(unsyncedPaths(disk)).toEqual([]);
  });

  test("are flushed and sealed by the first flush after a crash", async () => {
    const { disk, open } = newWorld();
    const log = open();
    for (let n = 0; n < 40; n++) log.append(batch([`${n}`]), 0);
    log.abandon();
    disk.crash({ mode: "kept" });
    const again = open({ create: false });
    await again.flush();
    expect(again.flushedOffset).toBe(40);
    disk.crash({ mode: "lost" });
    expect(readAll(open({ create: false }))).toEqual(numbered(40));
  });

  test("become durable even if a sync of them failed in an earlier life", async () => {
    const { disk, open } = newWorld();
    const log = open();
    for (let n = 0; n < 3; n++) log.append(batch([`${n}`]), 0);
    disk.fail({ operation: "sync", code: "EIO", path: segmentAt(0) });
    await expect(log.flush()).rejects.toThrow("EIO");
    log.abandon();
    disk.crash({ mode: "kept" });
    const again = open({ create: false });
    again.append(batch(["3"]), 0);
    await again.flush();
    again.abandon();
    disk.crash({ mode: "lost" });
    expect(readAll(open({ create: false }))).toEqual(numbered(4));
  });
});

describe("what was durable and is not there", () => {
  test.each([
    ["a sealed segment that is missing", (disk: MemoryDisk, path: string) => disk.remove(path), "missing", 0],
    [
      "a sealed segment that is shorter",
      (disk: MemoryDisk, path: string) => rewrite(disk, path, (bytes) => bytes.subarray(0, 99)),
      "99 bytes",
      99,
    ],
    [
      "a sealed segment that is longer",
      (disk: MemoryDisk, path: string) => append(disk, path, Buffer.alloc(1)),
      "bytes",
      null,
    ],
    [
      "a folder in a sealed segment's place",
      (disk: MemoryDisk, path: string) => {
        disk.remove(path);
        disk.makeFolder(path);
      },
      "no file",
      0,
    ],
  ])("%s is refused with file, position and what was expected", async (_what, harm, said, position) => {
    const { disk, open } = await closedLog();
    const log = open({ create: false });
    const middle = log.segments()[1];
    log.abandon();
    const path = segmentAt(middle?.baseOffset ?? -1);
    harm(disk, path);
    const before = disk.files();
    const { code, message, details } = refusal(() => open({ create: false }));
    expect(code).toBe("STORAGE_ERROR");
    expect(message).toContain(path);
    expect(message).toContain(said);
    expect(message).toContain(`exactly ${middle?.sizeBytes} bytes`);
    expect(details).toMatchObject({ file: path, position: position ?? middle?.sizeBytes });
    expect(disk.files()).toEqual(before);
  });

  test("an active segment that is shorter than the recovery point is refused, at every length", async () => {
    const world = await closedLog(4);
    const size = world.disk.files().get(segmentAt(0))?.length ?? 0;
    for (let length = 0; length < size; length++) {
      const disk = world.disk.clone();
      rewrite(disk, segmentAt(0), (bytes) => bytes.subarray(0, length));
      const { details } = refusal(() => worldOn(disk).open({ create: false }));
      expect(details).toMatchObject({ file: segmentAt(0), position: length });
      expect(details.expected).toContain(`at least ${size} bytes`);
    }
  });

  test("a missing active segment is refused", async () => {
    const { disk, open } = await closedLog(4);
    disk.remove(segmentAt(0));
    expect(refusal(() => open({ create: false })).details.file).toBe(segmentAt(0));
  });
});

describe("a missing manifest", () => {
  test("beside records is refused by name, whether a new log is asked for or not", async () => {
    for (const create of [true, false]) {
      const { disk, open } = await closedLog();
      disk.remove(MANIFEST);
      const before = disk.files();
      const { code, details } = refusal(() => open({ create }));
      expect([code, details.file]).toEqual(["STORAGE_ERROR", MANIFEST]);
      expect(disk.files()).toEqual(before);
    }
  });

  test("beside later segments is refused even where they are empty", () => {
    const { disk, open } = newWorld();
    disk.makeFolder(FOLDER);
    disk.openFile(segmentAt(70), { create: "exclusive" }).close();
    expect(refusal(() => open()).details.file).toBe(MANIFEST);
  });

  test("of a partition that exists is refused, though its folder is empty or gone", () => {
    const { disk, open } = newWorld();
    expect(refusal(() => open({ create: false })).details.file).toBe(MANIFEST);
    disk.makeFolder(FOLDER);
    expect(refusal(() => open({ create: false })).details.file).toBe(MANIFEST);
    expect(disk.readFolder(FOLDER)).toEqual([]);
  });

  test("beside an empty first segment is the trace of a creation that died, and does no harm", () => {
    const { disk, open } = newWorld();
    disk.makeFolder(FOLDER);
    disk.openFile(segmentAt(0), { create: "exclusive" }).close();
    disk.openFile(`${MANIFEST}.tmp`, { create: "exclusive" }).close();
    expect(open().logEndOffset).toBe(0);
  });
});

test("a folder of another topic or partition is refused", async () => {
  const { open } = await closedLog();
  const other = "1f0c9c6e-7f0b-4d6c-9a3e-2b8f4f1f9b11";
  for (const changes of [{ topicId: other }, { place: { ...PLACE, partition: 1 } }]) {
    const { message, details } = refusal(() => open({ create: false, ...changes }));
    expect(details.file).toBe(MANIFEST);
    expect(message).toContain("partition 0 of topic id 5f0c");
  }
});

test("foreign files are noted and never touched, whatever they are called", async () => {
  const { disk, open, trace } = await closedLog(4);
  disk.makeFolder(`${FOLDER}/lost+found`);
  disk.makeFolder(`${FOLDER}/00000000000000000099.log`);
  for (const name of ["notes.txt", "manifest.json~", "00000000000000000000.log.swp"])
    append(disk, `${FOLDER}/${name}`, Buffer.from("mine"));
  const before = disk.files();
  const log = open({ create: false });
  expect(readAll(log)).toEqual(numbered(4));
  expect(disk.files()).toEqual(before);
  expect(trace.of("foreign_file_ignored")).toHaveLength(5);
});

test("numbered files below the recovery point that nobody explains stay, and are never read", async () => {
  const { disk, open, trace } = await closedLog();
  append(disk, segmentAt(1), assignedBatch("whose?", 1));
  append(disk, indexAt(2), Buffer.from("whose?"));
  append(disk, timeIndexAt(2), Buffer.from("whose?"));
  const log = open({ create: false });
  expect(readAll(log)).toEqual(numbered(30));
  expect(trace.of("foreign_file_ignored").map(({ path }) => path)).toEqual([
    segmentAt(1),
    indexAt(2),
    timeIndexAt(2),
  ]);
});

test("what a killed process left of a checkpoint goes", async () => {
  const { disk, open, trace } = await closedLog(4);
  append(disk, `${MANIFEST}.tmp-later`, Buffer.from("half a manif"));
  open({ create: false });
  expect(disk.stat(`${MANIFEST}.tmp-later`)).toBeNull();
  expect(trace.of("stray_file_removed")).toHaveLength(1);
});

test("recovery reads from the recovery point on, and nothing below it", async () => {
  const world = await closedLog();
  const { disk, open, trace } = world;
  const path = activeOf(world);
  const known = disk.stat(path)?.sizeBytes ?? 0;
  append(disk, path, assignedBatch("30", 30), assignedBatch("31", 31));
  const log = open({ create: false });
  const added = 2 * assignedBatch("30", 30).length;
  expect(trace.of("recovered")).toMatchObject([
    { recoveryPoint: 30, logEndOffset: 32, scannedBytes: added, cutBytes: 0, problem: null },
  ]);
  expect(log.segments().at(-1)?.sizeBytes).toBe(known + added);
  expect(readAll(log)).toEqual(numbered(32));
});

test.each([
  "log.recovery.before_truncate",
  "log.recovery.after_truncate",
  "log.recovery.before_remove",
  "log.recovery.after_remove",
] as const)("a fault at %s refuses the opening, and the next one comes to the same", async (point) => {
  const { disk, faults, open } = await closedLog(4);
  append(disk, segmentAt(0), Buffer.alloc(30));
  append(disk, segmentAt(9), assignedBatch("stray", 9));
  const rule = faults.arm({ point, action: "error", site: PLACE });
  expect(refusal(() => open({ create: false })).code).toBe("STORAGE_ERROR");
  rule.assertFired();
  expect(readAll(open({ create: false }))).toEqual(numbered(4));
  expect([...disk.files().keys()]).toEqual([indexAt(0), segmentAt(0), timeIndexAt(0), MANIFEST]);
});

test("an opening that the disk refuses leaves no file open, and works when it is tried again", async () => {
  const { disk, open } = await closedLog(4);
  append(disk, segmentAt(0), Buffer.alloc(30));
  for (const operation of ["stat", "readFolder", "open", "read", "truncate", "sync"] as const) {
    const failure = disk.fail({ operation, code: "EIO" });
    expect(refusal(() => open({ create: false })).code).toBe("STORAGE_ERROR");
    failure.assertFired();
  }
  expect(readAll(open({ create: false }))).toEqual(numbered(4));
});
