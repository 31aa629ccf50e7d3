/** What goes on while a log is compacted: reads, appends, flushes, cuts, a close, a second call, and a caller that ends it. */
import { describe, expect, test } from "vitest";
import {
  compactedWorld,
  done,
  fill,
  LATEST,
  left,
  longLog,
  request,
  segmentFiles,
} from "./compaction-world.ts";

describe("while a pass is under way", () => {
  test("whoever reads sees the log as it was until it is as it is to be, and appends and flushes go on", async () => {
    const log = await longLog();
    const before = left(log);
    let rests = 0;
    const pause = async () => {
      rests += 1;
      expect(left(log).slice(0, 30)).toEqual(before);
      fill(log, [["a", `while ${rests}`]]);
      if (rests % 2 === 0) await log.flush();
    };
    const result = done(await log.compact(request(log, { pause })));
    expect(rests).toBeGreaterThan(7);
    expect(result.firstDirtyOffset).toBe(28);
    const after = left(log);
    expect(after.slice(0, LATEST.length)).toEqual(LATEST);
    expect(after.slice(LATEST.length)).toHaveLength(rests);
  });

  test("the log can be closed: the pass ends, and leaves no file behind", async () => {
    const world = compactedWorld();
    const log = await longLog(world);
    const before = left(log);
    const files = segmentFiles(world);
    let rests = 0;
    const pass = log.compact(
      request(log, {
        pause: async () => {
          rests += 1;
          if (rests === 7) void log.close();
        },
      }),
    );
    expect(await pass).toEqual({ gaveWayTo: "close", passes: 1 });
    expect(world.trace.of("compaction_abandoned")).toMatchObject([{ reason: "the log is being closed" }]);
    await log.close();
    expect(segmentFiles(world)).toEqual(files);
    expect(left(world.open({ create: false }))).toEqual(before);
  });

  test("its caller ends it by what a pause throws, and no file is left", async () => {
    const world = compactedWorld();
    const log = await longLog(world);
    const files = segmentFiles(world);
    let rests = 0;
    const pause = async () => {
      rests += 1;
      if (rests === 7) throw new RangeError("enough");
    };
    await expect(log.compact(request(log, { pause }))).rejects.toThrow(new RangeError("enough"));
    expect(segmentFiles(world)).toEqual(files);
    expect(await log.compact(request(log))).not.toBeNull();
    expect(left(log)).toEqual(LATEST);
  });

  test("a log that is abandoned is not touched any more, and the next open removes what was written", async () => {
    const world = compactedWorld();
    const log = await longLog(world);
    const before = left(log);
    let rests = 0;
    let files: ReturnType<typeof world.disk.files> | null = null;
    const pass = log.compact(
      request(log, {
        pause: async () => {
          rests += 1;
          if (rests !== 7) return;
          log.abandon();
          files = world.disk.files();
        },
      }),
    );
    await expect(pass).rejects.toMatchObject({ code: "STORAGE_ERROR" });
    expect(world.disk.files()).toEqual(files);
    expect(segmentFiles(world)).toContain("00000000000000000000-1.log");
    expect(left(world.open({ create: false }))).toEqual(before);
    expect(segmentFiles(world)).not.toContain("00000000000000000000-1.log");
  });

  test("it gives way to a truncation of what it has read, also when the same offsets are sealed again", async () => {
    const world = compactedWorld();
    const log = await longLog(world);
    const before = left(log);
    let rests = 0;
    const pause = async () => {
      rests += 1;
      if (rests !== 7) return;
      await log.truncateTo(24);
      for (let number = 0; number < 3; number++)
        fill(log, [
          ["a", "other".padEnd(100, ".")],
          ["e", "other"],
        ]);
      await log.flush();
    };
    expect(await log.compact(request(log, { pause }))).toEqual({ gaveWayTo: "truncation", passes: 1 });
    expect(world.trace.of("compaction_abandoned")).toHaveLength(1);
    expect(segmentFiles(world).filter((name) => name.includes("-"))).toEqual([]);
    expect(left(log).slice(0, 24)).toEqual(before.slice(0, 24));
    await log.compact(request(log));
    expect(left(log).filter((record) => record.includes("a="))).toEqual(["26 a=other", "28 a=other"]);
  });

  test("it begins anew at once when deleted records take whole segments of what it has read", async () => {
    const world = compactedWorld();
    const log = await longLog(world);
    let rests = 0;
    const pause = async () => {
      rests += 1;
      if (rests === 7) await log.deleteRecords(9);
    };
    expect(await log.compact(request(log, { pause }))).toMatchObject({ firstDirtyOffset: 28, passes: 2 });
    expect(world.trace.of("compaction_abandoned")).toMatchObject([
      { reason: "segments were removed meanwhile" },
    ]);
    expect([log.logStartOffset, left(log)]).toEqual([9, LATEST]);
    const files = segmentFiles(world);
    await log.close();
    const reopened = world.open({ create: false });
    expect([left(reopened), segmentFiles(world)]).toEqual([LATEST, files]);
  });

  test("it says that it gave way when deleted records leave nothing to compact", async () => {
    const world = compactedWorld();
    const log = await longLog(world);
    const pause = () => log.deleteRecords(28).then(() => {});
    expect(await log.compact(request(log, { pause }))).toEqual({ gaveWayTo: "removal", passes: 1 });
    expect(world.trace.of("compaction_started")).toHaveLength(1);
    expect(await log.compact(request(log))).toBeNull();
  });

  test("it gives up for this time when segments are deleted in each of four passes, and the log is sound", async () => {
    const world = compactedWorld();
    const log = await longLog(world);
    const before = left(log);
    let removed = 0;
    const pause = async () => {
      const passes = world.trace.of("compaction_started").length;
      if (removed === passes) return;
      removed = passes;
      await log.deleteRecords(4 * passes);
    };
    expect(await log.compact(request(log, { pause }))).toEqual({ gaveWayTo: "removal", passes: 4 });
    expect(world.trace.of("compaction_abandoned")).toHaveLength(4);
    expect(segmentFiles(world).filter((name) => name.includes("-"))).toEqual([]);
    expect(left(log)).toEqual(before.slice(16));
    expect(await log.compact(request(log))).not.toBeNull();
    expect(left(log)).toEqual(LATEST);
  });

  test("another call shares it", async () => {
    const world = compactedWorld();
    const log = await longLog(world);
    const [one, other] = await Promise.all([log.compact(request(log)), log.compact(request(log))]);
    expect(one).toBe(other);
    expect(world.trace.of("compacted")).toHaveLength(1);
  });
});
