/** Compaction when the disk refuses, when what it reads is damaged, and when what it wrote is damaged later. */
import { describe, expect, test } from "vitest";
import type { DiskFailureOrder } from "../src/env/disk-failures.ts";
import type { FaultPoint } from "../src/env/fault-point.ts";
import { BrokerError } from "../src/errors.ts";
import type { PartitionLog } from "../src/log/partition-log.ts";
import {
  compactedWorld,
  fileAt,
  fill,
  fillInTurn,
  LATEST,
  left,
  longLog,
  request,
  segmentFiles,
} from "./compaction-world.ts";
import { flipped, type LogWorld, PLACE, rewrite, segmentAt } from "./log-world.ts";

async function begun(): Promise<{ world: LogWorld; log: PartitionLog; before: string[]; files: string[] }> {
  const world = compactedWorld();
  const log = await longLog(world);
  return { world, log, before: left(log), files: segmentFiles(world) };
}

/** The pass did nothing, and the next one, without the fault, goes through. */
async function expectUnharmed({
  world,
  log,
  before,
  files,
}: Awaited<ReturnType<typeof begun>>): Promise<void> {
  expect(left(log)).toEqual(before);
  expect(segmentFiles(world)).toEqual(files);
  expect([...world.disk.files().keys()].filter((path) => path.includes("-1."))).toEqual([]);
  fill(log, [["z", "1"]]);
  expect(await log.compact(request(log))).toMatchObject({ firstDirtyOffset: 28 });
  expect(left(log)).toEqual([...LATEST, "30 z=1"]);
}

describe("a pass that the disk refuses leaves the log as it was, and the next one goes through", () => {
  const points: readonly FaultPoint[] = [
    "log.compact.before_create",
    "log.compact.before_write",
    "log.compact.after_write",
    "manifest.before_write",
    "manifest.before_sync",
    "manifest.before_rename",
  ];
  test.each(points)("at %s", async (point) => {
    const story = await begun();
    const fault = story.world.faults.arm({ point, action: "error", site: PLACE });
    await expect(story.log.compact(request(story.log))).rejects.toMatchObject({ code: "STORAGE_ERROR" });
    expect(fault.fired).toBe(1);
    expect(story.world.trace.of("compaction_abandoned")).toHaveLength(1);
    await expectUnharmed(story);
  });

  const orders: readonly Omit<DiskFailureOrder, "times">[] = [
    { operation: "write", code: "ENOSPC" },
    { operation: "open", code: "EMFILE" },
    { operation: "read", code: "EIO" },
    { operation: "rename", code: "EIO" },
    { operation: "remove", code: "EACCES" },
  ];
  test.each(orders)("with $code of the n-th $operation", async (order) => {
    let refused = 0;
    for (let nth = 1; ; nth++) {
      const story = await begun();
      const failure = story.world.disk.fail({ ...order, times: { nth } });
      const problem = await refusalOf(story.log);
      if (failure.fired === 0) break;
      // What an index or a file that is no longer needed costs is no reason to refuse.
      if (problem === null) expect(left(story.log)).toEqual(LATEST);
      else {
        refused += 1;
        expect(problem.code).toBe("STORAGE_ERROR");
        await expectUnharmed(story);
      }
    }
    expect(refused).toBeGreaterThan(order.operation === "remove" ? -1 : 0);
  });
});

describe("a sync that fails makes the log take nothing more", () => {
  const orders: readonly Omit<DiskFailureOrder, "times">[] = [
    { operation: "sync", code: "EIO", path: /-1\.log$/ },
    { operation: "syncFolder", code: "EIO" },
  ];
  test.each(orders)("$operation", async (order) => {
    const { world, log, before } = await begun();
    world.disk.fail(order);
    expect((await refusalOf(log))?.code).toBe("BROKER_FAILED");
    expect(world.failures).toHaveLength(1);
    expect(() => fill(log, [["a", "1"]])).toThrow(BrokerError);
    expect(left(log)).toEqual(before);
    log.abandon();
    world.disk.crash({ mode: "kept" });
    const reopened = world.open({ create: false });
    expect(left(reopened)).toEqual(before);
    expect(await reopened.compact(request(reopened))).not.toBeNull();
    expect(left(reopened)).toEqual(LATEST);
  });

  test.each<FaultPoint>([
    "log.compact.before_sync",
    "log.compact.after_sync",
    "log.compact.before_folder_sync",
    "log.compact.after_folder_sync",
  ])("at %s", async (point) => {
    const { world, log, before } = await begun();
    const fault = world.faults.arm({ point, action: "error" });
    expect((await refusalOf(log))?.code).toBe("BROKER_FAILED");
    expect(fault.fired).toBe(1);
    expect(left(log)).toEqual(before);
  });
});

describe("damage", () => {
  test("of a segment that a pass reads ends it, by file, position and offset, and leaves the log as it was", async () => {
    const { world, log, files } = await begun();
    rewrite(world.disk, segmentAt(8), (bytes) => flipped(bytes, 100, 3));
    const problem = await refusalOf(log);
    expect(problem).toMatchObject({
      code: "STORAGE_ERROR",
      details: { file: segmentAt(8), position: 0, offset: 8 },
    });
    expect(segmentFiles(world)).toEqual(files);
    rewrite(world.disk, segmentAt(8), (bytes) => flipped(bytes, 100, 3));
    expect(await refusalOf(log)).toBeNull();
    expect(left(log)).toEqual(LATEST);
  });

  test("of any bit of a compacted segment is neither served nor compacted any further", async () => {
    const { world, log } = await begun();
    await log.compact(request(log));
    fillInTurn(log, 3);
    await log.flush();
    const after = left(log);
    const path = fileAt("00000000000000000024-1.log");
    const { length } = world.disk.files().get(path) ?? Buffer.alloc(0);
    expect(length).toBeGreaterThan(128);
    for (let bit = 0; bit < 8 * length; bit += 3) {
      rewrite(world.disk, path, (bytes) => flipped(bytes, bit >> 3, bit & 7));
      expect(() => left(log), `bit ${bit}`).toThrow(BrokerError);
      expect((await refusalOf(log))?.code, `bit ${bit}`).toBe("STORAGE_ERROR");
      rewrite(world.disk, path, (bytes) => flipped(bytes, bit >> 3, bit & 7));
    }
    expect(left(log)).toEqual(after);
  });

  test("of a compacted segment's size, or its loss, is refused at open by name", async () => {
    const { world, log } = await begun();
    await log.compact(request(log));
    await log.close();
    const path = fileAt("00000000000000000024-1.log");
    rewrite(world.disk, path, (bytes) => bytes.subarray(0, bytes.length - 1));
    expect(() => world.open({ create: false })).toThrow(new RegExp(`${path}.*expected exactly`));
    world.disk.remove(path);
    expect(() => world.open({ create: false })).toThrow(/it is missing/);
  });
});

async function refusalOf(log: PartitionLog): Promise<BrokerError | null> {
  try {
    await log.compact(request(log));
    return null;
  } catch (problem) {
    if (problem instanceof BrokerError) return problem;
    throw problem;
  }
}
