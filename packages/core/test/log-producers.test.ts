import { describe, expect, test } from "vitest";
import type { MemoryDisk } from "../src/env/memory-disk.ts";
import { LIMITS } from "../src/limits.ts";
import { sealEnvelope } from "../src/log/files/checkpoint-envelope.ts";
import { batch, flipped, newWorld, refusal, rewrite, segmentAt, TOPIC_ID, worldOn } from "./log-world.ts";
import { produced, snapshotAt, snapshotsOn, told, walked, written } from "./producers-world.ts";

describe("after a clean close", () => {
  test("the producers come back from one snapshot, and no batch is read", async () => {
    const world = newWorld();
    const { log, frames } = await written(world);
    await log.close();
    const next = worldOn(world.disk);
    const again = next.open({ create: false });
    expect(told(again.producers())).toEqual(walked(frames, log.logEndOffset));
    expect(next.trace.of("producers_restored")).toMatchObject([
      { snapshotOffset: log.logEndOffset, endOffset: log.logEndOffset, batches: 0, producers: 4 },
    ]);
    expect(next.trace.of("recovered")).toEqual([]);
  });

  test("they know when they were heard of, and in which order", async () => {
    const world = newWorld();
    const { log } = await written(world);
    await log.close();
    expect(worldOn(world.disk).open({ create: false }).producers()).toEqual(log.producers());
  });

  test("a log without producers has no snapshot, and nothing is restored", async () => {
    const world = newWorld();
    const log = world.open();
    for (let n = 0; n < 20; n++) log.append(batch(["plain".repeat(10)]), 0);
    await log.close();
    const next = worldOn(world.disk);
    expect(next.open({ create: false }).producers()).toEqual([]);
    expect([snapshotsOn(world.disk), next.trace.of("producers_restored")]).toEqual([[], []]);
  });

  test("a few snapshots are kept, the newest ones, and the others are gone", async () => {
    const world = newWorld();
    const { log } = await written(world, { count: 60 });
    await log.close();
    const offsets = world.trace.of("producer_snapshot_written").map(({ offset }) => offset);
    expect(offsets.length).toBeGreaterThan(LIMITS.producerSnapshotsMax);
    expect(snapshotsOn(world.disk)).toEqual(offsets.slice(-LIMITS.producerSnapshotsMax).map(snapshotAt));
  });
});

describe("a snapshot", () => {
  /** A closed log, and what its producers are. */
  async function closed() {
    const world = newWorld();
    const { log, frames } = await written(world);
    await log.close();
    const [oldest = "", ...newer] = snapshotsOn(world.disk);
    return {
      disk: world.disk,
      end: log.logEndOffset,
      expected: walked(frames, log.logEndOffset),
      oldest,
      newer,
    };
  }

  function reopened(disk: MemoryDisk) {
    const world = worldOn(disk);
    const log = world.open({ create: false });
    return { world, log, told: told(log.producers()) };
  }

  test("that is missing is made up for by an older one and the batches behind it", async () => {
    const { disk, expected, newer } = await closed();
    const [middle = "", newest = ""] = newer;
    for (const missing of [[newest], [newest, middle]]) {
      const left = disk.clone();
      for (const path of missing) left.remove(path);
      const { world, told } = reopened(left);
      expect(told).toEqual(expected);
      expect(world.trace.of("producer_snapshot_unusable").map(({ problem }) => problem)).toEqual(
        missing.map(() => "it is missing"),
      );
      expect(world.trace.of("producers_restored")[0]?.batches).toBeGreaterThan(0);
    }
  });

  test("is made up for by all batches when none is left, and the next close writes one anew", async () => {
    const { disk, end, expected, oldest, newer } = await closed();
    for (const path of [oldest, ...newer]) rewrite(disk, path, () => Buffer.from("nothing of ours"));
    const { world, log, told } = reopened(disk);
    expect(told).toEqual(expected);
    expect(world.trace.of("producers_restored")).toMatchObject([{ snapshotOffset: null }]);
    expect(world.trace.of("producer_snapshot_unusable")).toHaveLength(3);
    await log.close();
    expect(snapshotsOn(disk)).toEqual([snapshotAt(end)]);
    const next = reopened(disk);
    expect(next.told).toEqual(expected);
    expect(next.world.trace.of("producers_restored")).toMatchObject([{ snapshotOffset: end, batches: 0 }]);
  });

  test("with any bit flipped, or cut anywhere, is not believed", async () => {
    const { disk, expected, newer } = await closed();
    const newest = newer.at(-1) ?? "";
    const bytes = disk.files().get(newest) ?? Buffer.alloc(0);
    expect(bytes.length).toBeGreaterThan(200);
    const damaged = [
      ...Array.from({ length: bytes.length }, (_, position) => flipped(bytes, position, position % 8)),
      ...Array.from({ length: bytes.length / 7 }, (_, n) => bytes.subarray(0, n * 7)),
    ];
    for (const each of damaged) {
      const left = disk.clone();
      rewrite(left, newest, () => each);
      const { world, told } = reopened(left);
      expect(told).toEqual(expected);
      expect(world.trace.of("producer_snapshot_unusable")).toHaveLength(1);
    }
  });

  test("of another topic, another offset or of nonsense is not believed, though its CRC is right", async () => {
    const { disk, end, expected, newer } = await closed();
    const good = { topic_id: TOPIC_ID, partition: 0, offset: end, producers: [] };
    const producer = { producer_id: 1, producer_epoch: 0, last_seen_ms: 0, batches: [] };
    const payloads = [
      { ...good, topic_id: "5f0c9c6e-7f0b-4d6c-9a3e-2b8f4f1f9b12" },
      { ...good, partition: 1 },
      { ...good, offset: end - 1 },
      { ...good, producers: [producer, producer] },
      { ...good, producers: [{ ...producer, producer_epoch: 32_768 }] },
      { ...good, producers: [{ ...producer, batches: [[0, end, end + 1, 7, null]] }] },
      { ...good, producers: [{ ...producer, batches: [[0, 0, 1, 7]] }] },
      {
        ...good,
        producers: [{ ...producer, batches: Array.from({ length: 6 }, (_, n) => [n, n, n + 1, 7, null]) }],
      },
    ];
    for (const payload of payloads) {
      const left = disk.clone();
      rewrite(left, newer.at(-1) ?? "", () => sealEnvelope(1, payload));
      const { world, told } = reopened(left);
      expect([told, world.trace.of("producer_snapshot_unusable").length], JSON.stringify(payload)).toEqual([
        expected,
        1,
      ]);
    }
  });

  test("that no manifest names, or that was being written, is removed when the log is opened", async () => {
    const { disk, expected, newer } = await closed();
    const strays = [snapshotAt(3), `${snapshotAt(4)}.tmp`, `${snapshotAt(5)}.tmp-later`];
    for (const path of strays)
      rewrite(disk, path, () => disk.files().get(newer.at(-1) ?? "") ?? Buffer.alloc(0));
    const { world, told } = reopened(disk);
    expect(told).toEqual(expected);
    expect(world.trace.of("stray_file_removed").map(({ path }) => path)).toEqual(strays);
    expect([...disk.files().keys()].filter((path) => strays.includes(path))).toEqual([]);
  });

  test("that cannot be made up for, since a batch is damaged too, takes the log off line with the place", async () => {
    const { disk, oldest, newer } = await closed();
    for (const path of [oldest, ...newer]) disk.remove(path);
    rewrite(disk, segmentAt(0), (bytes) => flipped(bytes, 70, 3));
    expect(refusal(() => worldOn(disk).open({ create: false }))).toMatchObject({
      code: "STORAGE_ERROR",
      details: { file: segmentAt(0), position: 0 },
    });
  });
});

test("a producer that is forgotten stays so after a clean restart, and the last one takes its snapshots along", async () => {
  const world = newWorld();
  const log = world.open();
  log.append(produced(["a"], { producerId: 1, baseSequence: 0 }), 0);
  await log.close();
  expect(snapshotsOn(world.disk)).toHaveLength(1);
  const second = worldOn(world.disk).open({ create: false });
  const [entry] = second.producers();
  expect(second.forgetIdleProducers((entry?.lastSeenMs ?? 0) - 1)).toEqual([]);
  expect(second.forgetIdleProducers(entry?.lastSeenMs ?? 0)).toEqual([1]);
  expect(second.producer(1)).toBeUndefined();
  second.append(batch(["plain"]), 0);
  await second.close();
  expect(snapshotsOn(world.disk)).toEqual([]);
  expect(worldOn(world.disk).open({ create: false }).producers()).toEqual([]);
});
