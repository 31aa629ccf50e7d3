/** The end of a log moves back, batch by batch and for good; or the log begins anew somewhere else. */
import { describe, expect, test } from "vitest";
import type { MemoryDisk } from "../src/env/memory-disk.ts";
import { SeededRandom } from "../src/env/random.ts";
import { BrokerError } from "../src/errors.ts";
import { sealEnvelope } from "../src/log/files/checkpoint-envelope.ts";
import type { PartitionLog } from "../src/log/partition-log.ts";
import {
  batch,
  FOLDER,
  type LogWorld,
  MANIFEST,
  newWorld,
  PLACE,
  readAll,
  refusal,
  rewrite,
  segmentAt,
  unsyncedPaths,
  worldOn,
} from "./log-world.ts";

const SIZES = { segmentBytes: 400, indexIntervalBytes: 100 };
const BATCHES = 12;
const RECORDS = 3;
const END = BATCHES * RECORDS;
const textAt = (offset: number) => `${offset}`.padEnd(12, ".");

/** Batches of three records, each later than the one before it. A leader writes two of them. */
function fill(log: PartitionLog, from = log.logEndOffset / RECORDS, to = BATCHES): void {
  for (let n = from; n < to; n++) {
    const values = Array.from({ length: RECORDS }, (_, record) => textAt(n * RECORDS + record));
    log.append(batch(values, 1000 * (n + 1)), n >> 1);
  }
}

async function filledWorld(state: "unflushed" | "flushed" | "reopened"): Promise<[LogWorld, PartitionLog]> {
  const world = newWorld(SIZES);
  const log = world.open();
  fill(log, 0, state === "unflushed" ? 0 : 5);
  if (state === "unflushed") await log.flush();
  fill(log);
  if (state === "flushed") await log.flush();
  if (state !== "reopened") return [world, log];
  await log.close();
  return [world, world.open({ create: false })];
}

const expectedValues = (endOffset: number) => Array.from({ length: endOffset }, (_, n) => textAt(n));
const batchEnd = (offset: number) => Math.min(END, Math.floor(offset / RECORDS) * RECORDS);

/** What `log` must be after it was cut to `offset`. */
function expectCut(log: PartitionLog, offset: number, before: PartitionLog["segments"]): void {
  const end = batchEnd(offset);
  expect(log.logEndOffset).toBe(end);
  expect(log.flushedOffset).toBeLessThanOrEqual(end);
  expect(readAll(log)).toEqual(expectedValues(end));
  const bases = before()
    .map(({ baseOffset }) => baseOffset)
    .filter((baseOffset) => baseOffset <= offset);
  expect(log.segments().map(({ baseOffset }) => baseOffset)).toEqual(bases);
  expect(log.leaderEpochs.at(-1)?.leaderEpoch ?? null).toBe(end === 0 ? null : (end / RECORDS - 1) >> 1);
  // The latest time that is left is known, and not that of what went.
  const last = 1000 * (end / RECORDS);
  const found = end === 0 ? null : { offset: end - RECORDS, timestampMs: last };
  expect(log.offsetForTimestamp(last, END)).toEqual(found);
  expect(log.offsetForTimestamp(last + RECORDS, END)).toBeNull();
}

describe.each(["unflushed", "flushed", "reopened"] as const)("a log that is %s", (state) => {
  test("is cut at any offset to the batches before it, for good, and goes on from there", async () => {
    for (let offset = 0; offset <= END + 2; offset++) {
      const [world, log] = await filledWorld(state);
      const segments = log.segments();
      await log.truncateTo(offset);
      expectCut(log, offset, () => segments);
      const changes = new Map<string, MemoryDisk>([["kept", world.disk.clone()]]);
      if (state !== "unflushed") changes.set("lost", world.disk.clone());
      for (const [mode, disk] of changes) {
        disk.crash({ mode: mode === "kept" ? "kept" : "lost" });
        const again = worldOn(disk, SIZES).open({ create: false });
        expectCut(again, offset, () => segments);
        again.abandon();
      }
      fill(log);
      expect(readAll(log)).toEqual(expectedValues(END));
      await log.close();
      expect(unsyncedPaths(world.disk).filter((path) => path !== FOLDER)).toEqual([]);
      const last = world.open({ create: false });
      expect(readAll(last)).toEqual(expectedValues(END));
      expect(last.leaderEpochs).toEqual(
        Array.from({ length: BATCHES / 2 }, (_, n) => ({ leaderEpoch: n, startOffset: 2 * n * RECORDS })),
      );
    }
  }, 60_000);
});

test("a cut says what went, and what lies at the end already is left alone", async () => {
  const [world, log] = await filledWorld("flushed");
  const before = world.disk.changeCount;
  await log.truncateTo(END);
  await log.truncateTo(END + 100);
  expect(world.disk.changeCount).toBe(before);
  expect(world.trace.of("truncated")).toEqual([]);
  const sizes = log.segments().reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  await log.truncateTo(10);
  const left = log.segments().reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  expect(world.trace.of("truncated")).toMatchObject([
    { fromOffset: END, logEndOffset: 9, cutBytes: sizes - left },
  ]);
});

test("a cut behind the recovery point leaves the manifest as it is", async () => {
  const [world, log] = await filledWorld("unflushed");
  world.trace.clear();
  await log.truncateTo(END - 1);
  expect(world.trace.of("manifest_committed")).toEqual([]);
  expect(log.logEndOffset).toBe(END - RECORDS);
});

test("nothing is appended while a log is cut", async () => {
  const [world, log] = await filledWorld("flushed");
  world.disk.holdSyncs();
  const cut = log.truncateTo(9);
  for (let turn = 0; turn < 5; turn++) await Promise.resolve();
  const { code, message } = refusal(() => log.append(batch(["late"]), 9));
  expect(code).toBe("STORAGE_ERROR");
  expect(message).toContain("being truncated");
  world.disk.releaseSyncs();
  await cut;
  expect(log.append(batch(["next"]), 9).baseOffset).toBe(9);
});

test("whoever waits for the disk with what is cut off is refused, and with what stays is answered", async () => {
  const [world, log] = await filledWorld("flushed");
  log.append(batch(["staying"]), 9);
  const cutAt = log.logEndOffset;
  world.disk.holdSyncs();
  const early = log.flushUpTo(log.logEndOffset);
  for (let turn = 0; turn < 5; turn++) await Promise.resolve();
  log.append(batch(["going"]), 9);
  const cut = log.truncateTo(cutAt);
  const staying = log.flushUpTo(cutAt);
  const going = log.flushUpTo(log.logEndOffset);
  const outcome = going.catch((problem: unknown) => problem);
  world.disk.releaseSyncs();
  await Promise.all([early, cut, staying, log.flush()]);
  expect(await outcome).toBeInstanceOf(BrokerError);
  expect(await outcome).toMatchObject({ code: "FENCED_LEADER_EPOCH", details: { cut_offset: cutAt } });
  expect(readAll(log).at(-1)).toBe("staying");
});

describe("a log that begins anew", () => {
  test.each([100, END + 1, END, END - 1, 20, 9, 1, 0])(
    "at %d is empty there, for good, and goes on from there",
    async (offset) => {
      for (const state of ["unflushed", "flushed", "reopened"] as const) {
        const [world, log] = await filledWorld(state);
        await log.restartAt(offset);
        const disk = world.disk.clone();
        disk.crash({ mode: "lost" });
        const again = worldOn(disk, SIZES).open({ create: false });
        for (const one of [log, again]) {
          expect([one.logStartOffset, one.flushedOffset, one.logEndOffset]).toEqual([offset, offset, offset]);
          expect(one.segments()).toMatchObject([{ baseOffset: offset, sizeBytes: 0, active: true }]);
          expect(one.leaderEpochs).toEqual([]);
          const values = Array.from({ length: 40 }, (_, n) => `new ${n}`);
          for (const value of values) one.append(batch([value]), 1);
          expect(readAll(one)).toEqual(values);
          expect(one.leaderEpochs).toEqual([{ leaderEpoch: 1, startOffset: offset }]);
          await one.close();
        }
        for (const one of [world, worldOn(disk, SIZES)]) {
          const last = one.open({ create: false });
          expect(last.logStartOffset).toBe(offset);
          expect(readAll(last)).toHaveLength(40);
          expect(filesOf(one.disk)).toEqual(last.segments().map(({ baseOffset }) => segmentAt(baseOffset)));
          last.abandon();
        }
      }
    },
  );

  test("keeps files that the disk refuses to remove out of the way, and removes them later", async () => {
    const [world, log] = await filledWorld("flushed");
    world.disk.fail({ operation: "remove", code: "EBUSY", path: segmentAt(0) });
    await log.restartAt(100);
    log.append(batch(["new"]), 9);
    expect(filesOf(world.disk)).toEqual([segmentAt(0), segmentAt(100)]);
    await log.close();
    expect(readAll(world.open({ create: false }))).toEqual(["new"]);
    expect(filesOf(world.disk)).toEqual([segmentAt(100)]);
  });

  test("does not go over offsets again whose files the disk refuses to remove", async () => {
    const [world, log] = await filledWorld("flushed");
    const failure = world.disk.fail({
      operation: "remove",
      code: "EBUSY",
      path: segmentAt(0),
      times: "always",
    });
    await expect(log.restartAt(0)).rejects.toMatchObject({ code: "STORAGE_ERROR" });
    failure.assertFired();
    expect([log.logStartOffset, log.logEndOffset]).toEqual([END, END]);
    world.disk.stopFailing();
    await log.restartAt(0);
    fill(log);
    expect(readAll(log)).toEqual(expectedValues(END));
  });
});

const filesOf = (disk: MemoryDisk) => [...disk.files().keys()].filter((path) => path.endsWith(".log"));

/** What may be left when a cut to `offset` did not come to its end: no less than asked for, no more than there was. */
function expectBetween(log: PartitionLog, offset: number): void {
  const { logEndOffset } = log;
  expect(logEndOffset).toBeGreaterThanOrEqual(batchEnd(offset));
  expect(readAll(log)).toEqual(expectedValues(logEndOffset));
}

describe("a cut that the disk does not let come to its end", () => {
  test.each(["remove", "truncate", "sync", "syncFolder", "write", "rename", "open", "read"] as const)(
    "at the n-th %s leaves a log that is whole, and is finished by the next",
    async (operation) => {
      for (let nth = 1; ; nth++) {
        const [world, log] = await filledWorld("flushed");
        const failure = world.disk.fail({ operation, code: "EIO", times: { nth }, path: /orders-0/ });
        const problem = await log.truncateTo(4).catch((error: unknown) => error);
        if (failure.fired === 0) break;
        if (problem !== undefined)
          expect(["STORAGE_ERROR", "BROKER_FAILED"]).toContain((problem as BrokerError).code);
        world.disk.stopFailing();
        expectBetween(log, 4);
        const disk = world.disk.clone();
        disk.crash({ mode: "lost" });
        log.abandon();
        world.disk.crash({ mode: "kept" });
        for (const one of [disk, world.disk]) {
          const again = worldOn(one, SIZES).open({ create: false });
          expectBetween(again, 4);
          await again.truncateTo(4);
          expect(readAll(again)).toEqual(expectedValues(3));
          again.abandon();
        }
      }
    },
  );

  test.each([
    "log.truncate.before_remove",
    "log.truncate.after_remove",
    "log.truncate.before_cut",
    "log.truncate.after_cut",
    "log.truncate.before_sync",
    "log.truncate.after_sync",
  ] as const)("at a fault at %s leaves a log that is whole", async (point) => {
    const [world, log] = await filledWorld("flushed");
    const rule = world.faults.arm({ point, action: "error", site: PLACE });
    await expect(log.truncateTo(4)).rejects.toBeInstanceOf(BrokerError);
    rule.assertFired();
    expectBetween(log, 4);
    log.abandon();
    world.disk.crash({ mode: "kept" });
    const again = world.open({ create: false });
    await again.truncateTo(4);
    expect(readAll(again)).toEqual(expectedValues(3));
  });

  test.each(["log.restart.before_create", "log.restart.after_create"] as const)(
    "nor a new beginning at a fault at %s",
    async (point) => {
      const [world, log] = await filledWorld("flushed");
      const rule = world.faults.arm({ point, action: "error", site: PLACE });
      await expect(log.restartAt(100)).rejects.toMatchObject({ code: "STORAGE_ERROR" });
      rule.assertFired();
      expect(readAll(log)).toEqual(expectedValues(END));
      expect(world.disk.stat(segmentAt(100))).toBeNull();
      await log.restartAt(100);
      expect(log.logEndOffset).toBe(100);
    },
  );
});

test("what was cut does not come back behind what is written in its place, whatever a power cut leaves", async () => {
  const random = new SeededRandom(7);
  for (let round = 0; round < 60; round++) {
    const [world, log] = await filledWorld(round % 2 === 0 ? "flushed" : "unflushed");
    const offset = RECORDS * random.below(BATCHES);
    await log.truncateTo(offset);
    const count = random.below(4);
    for (let n = 0; n < count; n++) {
      log.append(
        batch(
          Array.from({ length: RECORDS }, (_, record) =>
            `${offset + n * RECORDS + record} new`.padEnd(12, "!"),
          ),
        ),
        50,
      );
    }
    log.abandon();
    world.disk.crash({ mode: round % 3 === 0 ? "torn" : "scattered", random });
    const values = readAll(world.open({ create: false }));
    expect(values.slice(offset).every((value) => value.includes("new"))).toBe(true);
    expect(values.slice(0, offset)).toEqual(expectedValues(offset).slice(0, values.length));
  }
});

test("a log that is being closed is not cut any more", async () => {
  const [, log] = await filledWorld("flushed");
  const closed = log.close();
  await expect(log.truncateTo(3)).rejects.toMatchObject({ code: "STORAGE_ERROR" });
  await closed;
});

test("a cut into a compacted segment makes it the active one, which goes on under its name", async () => {
  const [world, first] = await filledWorld("flushed");
  await first.close();
  const compacted = `${segmentAt(0).slice(0, -4)}-3.log`;
  rewrite(world.disk, compacted, () => world.disk.files().get(segmentAt(0)) ?? Buffer.alloc(0));
  const { payload } = JSON.parse((world.disk.files().get(MANIFEST) ?? "").toString());
  payload.sealed[0].generation = 3;
  payload.obsolete = [segmentAt(0).slice(FOLDER.length + 1)];
  rewrite(world.disk, MANIFEST, () => sealEnvelope(2, payload));
  world.disk.syncFolder(FOLDER);
  const log = world.open({ create: false });
  await log.truncateTo(RECORDS);
  fill(log, 1, 2);
  await log.flush();
  log.abandon();
  world.disk.crash({ mode: "lost" });
  const again = world.open({ create: false });
  expect(readAll(again)).toEqual(expectedValues(2 * RECORDS));
  expect(filesOf(world.disk)).toEqual([compacted]);
  fill(again);
  await again.close();
  const last = world.open({ create: false });
  expect(readAll(last)).toEqual(expectedValues(END));
  // Going back over the same offsets, it gives names that it gave before.
  await last.restartAt(1);
  last.append(batch(["new"]), 50);
  await last.close();
  expect(readAll(world.open({ create: false }))).toEqual(["new"]);
  expect(filesOf(world.disk)).toEqual([segmentAt(1)]);
});
