/** What append, roll, read and flush promise while nothing goes wrong. */
import { readBatchHeader } from "@minikafka/record";
import { describe, expect, test } from "vitest";
import { BrokerError } from "../src/errors.ts";
import { CountingDisk } from "./counting-disk.ts";
import {
  batch,
  FOLDER,
  indexAt,
  newWorld,
  readAll,
  refusal,
  segmentAt,
  valuesOf,
  worldOn,
} from "./log-world.ts";

describe("append", () => {
  test("gives each batch the next offsets and the leader's epoch", () => {
    const log = newWorld().open();
    expect(log.append(batch(["a", "b"]), 3)).toEqual({ baseOffset: 0, nextOffset: 2 });
    expect(log.append(batch(["c"]), 4)).toEqual({ baseOffset: 2, nextOffset: 3 });
    const { batches } = log.read(2, { bytesMax: 1000, endOffset: 3 });
    expect(readBatchHeader(batches)).toMatchObject({ baseOffset: 2, leaderEpoch: 4, nextOffset: 3 });
    expect(log.logEndOffset).toBe(3);
  });

  test("is one write to the segment, and nothing else changes on the disk", () => {
    const { disk, open } = newWorld();
    const log = open();
    const changes: string[] = [];
    disk.beforeChange(({ kind, path }) => changes.push(`${kind} ${path}`));
    log.append(batch(["a"]), 0);
    expect(changes).toEqual([`write ${segmentAt(0)}`]);
  });

  test("is on the disk when it returns: the death of the process takes nothing", () => {
    const { disk, open } = newWorld();
    open().append(batch(["a", "b"]), 0);
    disk.crash({ mode: "kept" });
    expect(readAll(open({ create: false }))).toEqual(["a", "b"]);
  });

  test("leaves the caller's buffer as the bytes in the log, so that nothing is copied", () => {
    const log = newWorld().open();
    const frame = batch(["a"]);
    log.append(frame, 0);
    expect(log.read(0, { bytesMax: 1000, endOffset: 1 }).batches).toEqual(frame);
  });

  test("begins a new segment when a batch does not fit, and only then", () => {
    const log = newWorld({ segmentBytes: 2 * batch(["a"]).length }).open();
    for (const text of ["a", "b", "c", "d", "e"]) log.append(batch([text]), 0);
    expect(log.segments().map(({ baseOffset, active }) => [baseOffset, active])).toEqual([
      [0, false],
      [2, false],
      [4, true],
    ]);
    expect(readAll(log)).toEqual(["a", "b", "c", "d", "e"]);
  });

  test("gives a batch larger than a segment one of its own", () => {
    const log = newWorld({ segmentBytes: 100 }).open();
    for (const text of ["x".repeat(500), "a", "y".repeat(500)]) log.append(batch([text]), 0);
    expect(log.segments().map(({ baseOffset }) => baseOffset)).toEqual([0, 1, 2]);
    expect(readAll(log)).toEqual(["x".repeat(500), "a", "y".repeat(500)]);
  });

  test("refuses a batch that recovery would not take back", () => {
    const log = newWorld({ frameBytesMax: 200 }).open();
    expect(() => log.append(batch(["x".repeat(500)]), 0)).toThrow("expected 64 to 200");
    expect(() => log.append(Buffer.concat([batch(["a"]), Buffer.alloc(3)]), 0)).toThrow("the batch says");
    expect(log.logEndOffset).toBe(0);
  });
});

describe("read", () => {
  const log = newWorld().open();
  const texts = Array.from({ length: 30 }, (_, n) => [`a${n}`, `b${n}`, `c${n}`]);
  for (const group of texts) log.append(batch(group), 0);
  const all = texts.flat();

  test("at every offset begins with the batch that holds it", () => {
    for (let offset = 0; offset < all.length; offset++) {
      const { batches, nextOffset } = log.read(offset, { bytesMax: 1, endOffset: all.length });
      const header = readBatchHeader(batches);
      expect(header.baseOffset).toBe(offset - (offset % 3));
      expect(nextOffset).toBe(header.nextOffset);
      expect(valuesOf(batches, offset)).toEqual(all.slice(offset, nextOffset));
    }
  });

  test("at the end returns nothing, and past it is refused with both ends", () => {
    expect(log.read(all.length, { bytesMax: 100, endOffset: all.length })).toEqual({
      batches: Buffer.alloc(0),
      nextOffset: all.length,
    });
    const { code, details } = refusal(() => log.read(91, { bytesMax: 100, endOffset: 91 }));
    expect(code).toBe("OFFSET_OUT_OF_RANGE");
    expect(details).toMatchObject({ offset: 91, log_start_offset: 0, log_end_offset: 90 });
    expect(() => log.read(-1, { bytesMax: 100, endOffset: 91 })).toThrow("-1");
  });

  test("returns whole batches within its size, but always the first", () => {
    const size = batch(texts[0] ?? []).length;
    for (const bytesMax of [1, size - 1, size, 2 * size - 1, 2 * size, 3 * size + 1]) {
      const { batches } = log.read(0, { bytesMax, endOffset: 90 });
      expect(batches.length).toBe(Math.max(1, Math.floor(bytesMax / size)) * size);
    }
  });

  test("returns no batch that begins at its end or later, and none at all from there", () => {
    expect(log.read(0, { bytesMax: 1000, endOffset: 3 }).nextOffset).toBe(3);
    expect(log.read(0, { bytesMax: 1000, endOffset: 4 }).nextOffset).toBe(6);
    expect(log.read(3, { bytesMax: 1000, endOffset: 3 }).batches.length).toBe(0);
  });

  test("takes what it returns in one read of the disk, and no more than asked for", () => {
    const disk = new CountingDisk();
    disk.makeFolder("/data/broker-1");
    const far = worldOn(disk, { segmentBytes: 1 << 20, indexIntervalBytes: 4096 }).open();
    for (let n = 0; n < 1000; n++) far.append(batch(["x".repeat(50)]), 0);
    disk.reads.length = 0;
    far.read(500, { bytesMax: 10_000, endOffset: 1000 });
    expect(disk.reads).toEqual([14_096]);
    disk.reads.length = 0;
    const last = far.read(999, { bytesMax: 1 << 20, endOffset: 1000 });
    expect(disk.reads).toHaveLength(1);
    expect(disk.reads[0]).toBeLessThan(4096 + last.batches.length);
  });
});

describe("a timestamp", () => {
  test("leads to the lowest offset whose record is late enough", () => {
    const log = newWorld().open();
    const times = [500, 100, 900, 900, 200, 1500, 1400, 3000, 10, 2000];
    for (const time of times) log.append(batch(["a", "b"], time), 0);
    const records = times.flatMap((time) => [time, time + 1]);
    for (const sought of [0, 100, 500, 501, 502, 901, 1400, 1501, 3001, 3002, 5000]) {
      const offset = records.findIndex((time) => time >= sought);
      const found = log.offsetForTimestamp(sought, log.logEndOffset);
      expect(found).toEqual(offset === -1 ? null : { offset, timestampMs: records[offset] });
    }
  });

  test("is not sought at or behind the end that is given", () => {
    const log = newWorld().open();
    for (const time of [100, 200, 300]) log.append(batch(["a", "b"], time), 0);
    expect(log.offsetForTimestamp(201, 6)?.offset).toBe(3);
    expect(log.offsetForTimestamp(201, 3)).toBeNull();
    expect(log.offsetForTimestamp(0, 0)).toBeNull();
  });

  test("is found the same after the log was closed and opened", async () => {
    const { open } = newWorld();
    const log = open();
    for (let time = 0; time < 2000; time += 50) log.append(batch(["a"], time), 0);
    await log.close();
    const again = open({ create: false });
    for (let time = 0; time < 2000; time += 50)
      expect(again.offsetForTimestamp(time, again.logEndOffset)?.offset).toBe(time / 50);
  });
});

describe("flush", () => {
  test("makes everything durable that was appended before the call, over all segments", async () => {
    const { disk, open } = newWorld();
    const log = open();
    for (let n = 0; n < 30; n++) log.append(batch([`${n}`]), 0);
    expect(log.flushedOffset).toBe(0);
    await log.flush();
    expect(log.flushedOffset).toBe(30);
    log.append(batch(["lost"]), 0);
    disk.crash({ mode: "lost" });
    expect(readAll(open({ create: false }))).toEqual(Array.from({ length: 30 }, (_, n) => `${n}`));
  });

  test("is one sync of one file for all that wait at once", async () => {
    const { disk, trace, open } = newWorld();
    const log = open();
    const syncs: string[] = [];
    disk.beforeChange(({ kind, path }) => kind.startsWith("sync") && syncs.push(`${kind} ${path}`));
    const flushes = ["a", "b", "c"].map((text) => {
      log.append(batch([text]), 0);
      return log.flush();
    });
    await Promise.all(flushes);
    expect(syncs).toEqual([`sync ${segmentAt(0)}`]);
    expect(trace.of("flushed")).toMatchObject([{ logEndOffset: 3, waiters: 3 }]);
  });

  test("of what was appended during a sync waits for the next, which all such share", async () => {
    const { disk, open } = newWorld();
    const log = open();
    const syncs: number[] = [];
    disk.beforeChange(({ kind }) => kind === "sync" && syncs.push(log.logEndOffset));
    disk.holdSyncs();
    log.append(batch(["a"]), 0);
    const first = log.flush();
    for (let turn = 0; turn < 20; turn++) await Promise.resolve();
    log.append(batch(["b"]), 0);
    const later = [log.flush(), log.flush()];
    disk.releaseSyncs();
    await first;
    await Promise.all(later);
    expect(syncs).toHaveLength(2);
    expect(log.flushedOffset).toBe(2);
  });

  test("of a log in which nothing happened asks the disk for nothing", async () => {
    const { disk, open } = newWorld();
    const log = open();
    log.append(batch(["a"]), 0);
    await log.flush();
    const before = disk.changeCount;
    await log.flush();
    expect(disk.changeCount).toBe(before);
  });

  test("seals the rolled segments in the manifest, in order, with their indexes beside them", async () => {
    const { disk, trace, open } = newWorld();
    const log = open();
    for (let n = 0; n < 40; n++) log.append(batch([`${n}`]), 0);
    const rolled = log.segments().slice(0, -1);
    expect(rolled.length).toBeGreaterThan(2);
    await log.flush();
    expect(trace.of("sealed").map(({ segmentBaseOffset }) => segmentBaseOffset)).toEqual(
      rolled.map(({ baseOffset }) => baseOffset),
    );
    for (const { baseOffset } of rolled) expect(disk.stat(indexAt(baseOffset))?.kind).toBe("file");
  });

  test("keeps what recovery would read again within its limit", async () => {
    const { disk, trace, open } = newWorld({ segmentBytes: 1 << 26, frameBytesMax: 1 << 21 });
    const log = open();
    for (let n = 0; n < 20; n++) {
      log.append(batch(["x".repeat(1 << 20)]), 0);
      await log.flush();
    }
    log.abandon();
    disk.crash({ mode: "lost" });
    trace.clear();
    expect(open({ create: false }).logEndOffset).toBe(20);
    expect(trace.of("recovered")[0]?.scannedBytes).toBeLessThan(5 << 20);
  });
});

describe("close", () => {
  test("leaves a folder of which nothing is read when it is opened again", async () => {
    const { disk, trace, open } = newWorld();
    const log = open();
    for (let n = 0; n < 30; n++) log.append(batch([`${n}`]), 0);
    await log.close();
    disk.crash({ mode: "kept" });
    trace.clear();
    const read = disk.fail({ operation: "read", code: "EIO", path: /\.(log|index)$/, times: "always" });
    const again = open({ create: false });
    expect(read.hits).toBe(0);
    disk.stopFailing();
    expect(readAll(again)).toHaveLength(30);
    expect(trace.events).toEqual([]);
  });

  test("of a log in which nothing happened changes nothing", async () => {
    const { disk, open } = newWorld();
    const log = open();
    log.append(batch(["a"]), 0);
    await log.close();
    const before = disk.changeCount;
    await open({ create: false }).close();
    expect(disk.changeCount).toBe(before);
  });

  test("takes nothing more, and may be asked for twice", async () => {
    const log = newWorld().open();
    const closing = log.close();
    expect(() => log.append(batch(["late"]), 0)).toThrow("is being closed");
    await Promise.all([closing, log.close()]);
    expect(() => log.append(batch(["late"]), 0)).toThrow("was closed");
    expect(() => log.read(0, { bytesMax: 1, endOffset: 1 })).toThrow("was closed");
  });

  test("when it is abandoned instead, whoever waits for a flush is refused, and no manifest follows", async () => {
    const { disk, failures, open } = newWorld();
    const log = open();
    for (let n = 0; n < 30; n++) log.append(batch([`${n}`]), 0);
    disk.holdSyncs();
    const flushes = [log.flush(), log.flush()];
    for (let turn = 0; turn < 20; turn++) await Promise.resolve();
    flushes.push(log.flush());
    log.abandon();
    const before = disk.files();
    disk.releaseSyncs();
    for (const outcome of await Promise.allSettled(flushes)) {
      expect(outcome.status === "rejected" && outcome.reason).toBeInstanceOf(BrokerError);
    }
    expect(failures).toEqual([]);
    expect(disk.files()).toEqual(before);
  });

  test("an abandoned manifest under way never lands on its successor's", async () => {
    const { disk, open } = newWorld();
    const log = open();
    for (let n = 0; n < 30; n++) log.append(batch([`${n}`]), 0);
    await log.flush();
    log.append(batch(["active"]), 0);
    const closing = log.close();
    const isWritingManifest = () => disk.stat(`${FOLDER}/manifest.json.tmp-later`) !== null;
    for (let turn = 0; turn < 50 && !isWritingManifest(); turn++) await Promise.resolve();
    expect(isWritingManifest()).toBe(true);
    log.abandon();
    const again = open({ create: false });
    again.append(batch(["more"]), 0);
    await again.close();
    await expect(closing).rejects.toThrow();
    expect(readAll(open({ create: false }))).toHaveLength(32);
  });
});

test("a walk through a log that was closed opens each of its files once", async () => {
  const { disk, open } = newWorld();
  const log = open();
  for (let n = 0; n < 100; n++) log.append(batch([`${n}`]), 0);
  await log.close();
  const again = open({ create: false });
  const opened = disk.fail({ operation: "open", code: "EIO", times: { nth: 1_000_000 } });
  expect(readAll(again, { bytesMax: 1 })).toHaveLength(100);
  expect(opened.hits).toBeLessThanOrEqual(2 * again.segments().length);
});
