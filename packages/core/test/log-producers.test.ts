/**
 * What a log knows of its producers is what a walk over all its batches would tell: through rolls, flushes, clean ends,
 * crashes at every change of the disk, and snapshots that are damaged, missing or refused.
 */
import { encodeBatch, readBatchHeader } from "@minikafka/record";
import { describe, expect, test } from "vitest";
import type { MemoryDisk } from "../src/env/memory-disk.ts";
import type { Crash } from "../src/env/memory-nodes.ts";
import { SeededRandom } from "../src/env/random.ts";
import { LIMITS } from "../src/limits.ts";
import { sealEnvelope } from "../src/log/checkpoint-envelope.ts";
import type { PartitionLog } from "../src/log/partition-log.ts";
import { type ProducedBatch, type ProducerEntry, ProducerState } from "../src/log/producer-state.ts";
import {
  batch,
  emptyDisk,
  FOLDER,
  flipped,
  type LogWorld,
  newWorld,
  refusal,
  rewrite,
  seedFromEnvironment,
  segmentAt,
  TOPIC_ID,
  worldOn,
} from "./log-world.ts";

/** Batches of some producers by chance, each with the next sequence of its epoch. */
class Writer {
  readonly #random: SeededRandom;
  readonly #next = new Map<number, { epoch: number; sequence: number }>();

  constructor(seed: number) {
    this.#random = new SeededRandom(seed);
  }

  frame(): Buffer {
    const records = 1 + this.#random.below(3);
    const texts = Array.from({ length: records }, () => "v".repeat(1 + this.#random.below(60)));
    if (this.#random.below(4) === 0) return batch(texts);
    const producerId = this.#random.below(4);
    const known = this.#next.get(producerId) ?? { epoch: 0, sequence: 0 };
    const rises = this.#random.below(8) === 0;
    const { epoch, sequence } = rises ? { epoch: known.epoch + 1, sequence: 0 } : known;
    this.#next.set(producerId, { epoch, sequence: sequence + records });
    return produced(texts, { producerId, producerEpoch: epoch, baseSequence: sequence });
  }
}

interface Sender {
  readonly producerId: number;
  readonly producerEpoch?: number;
  readonly baseSequence: number;
}

function produced(texts: readonly string[], { producerId, producerEpoch = 0, baseSequence }: Sender): Buffer {
  const records = texts.map((text) => ({ key: null, value: Buffer.from(text), timestampMs: 5, headers: [] }));
  return encodeBatch({ records, producerId, producerEpoch, baseSequence });
}

type Told = readonly (readonly [id: number, epoch: number, batches: readonly ProducedBatch[]])[];

/** By id, and without times: those of a walk are the walk's. */
function told(entries: readonly ProducerEntry[]): Told {
  return [...entries]
    .sort((one, other) => one.producerId - other.producerId)
    .map(({ producerId, producerEpoch, batches }) => [producerId, producerEpoch, batches]);
}

/** What a walk over the first batches of `frames`, up to `endOffset`, tells. */
function walked(frames: readonly Buffer[], endOffset: number): Told {
  const state = new ProducerState();
  for (const header of frames.map((frame) => readBatchHeader(frame)))
    if (header.nextOffset <= endOffset) state.note(header, 0);
  return told(state.entries());
}

const snapshotsOn = (disk: MemoryDisk) =>
  [...disk.files().keys()].filter((path) => path.endsWith(".snapshot"));
const snapshotAt = (offset: number) => `${FOLDER}/${String(offset).padStart(20, "0")}.snapshot`;

/** A log of `count` batches in several segments, flushed now and then. */
async function written(
  world: LogWorld,
  { count = 30, seed = 7 } = {},
): Promise<{ log: PartitionLog; frames: Buffer[] }> {
  const log = world.open();
  const writer = new Writer(seed);
  const frames: Buffer[] = [];
  for (let n = 0; n < count; n++) {
    const frame = writer.frame();
    log.append(frame, 0);
    frames.push(frame);
    if (n % 5 === 4) await log.flush();
  }
  return { log, frames };
}

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

test("a snapshot that the disk refuses delays the seal, and nothing is lost", async () => {
  const world = newWorld();
  const { log, frames } = await written(world, { count: 4 });
  const rule = world.faults.arm({ point: "producer_snapshot.before_sync", action: "error" });
  const writer = new Writer(8);
  while (log.segments().length < 3) {
    const frame = writer.frame();
    log.append(frame, 0);
    frames.push(frame);
  }
  await log.flush();
  rule.assertFired();
  expect(world.trace.of("seal_delayed")).toHaveLength(1);
  log.abandon();
  world.disk.crash({ mode: "lost" });
  const again = worldOn(world.disk).open({ create: false });
  expect(again.logEndOffset).toBe(log.logEndOffset);
  expect(told(again.producers())).toEqual(walked(frames, log.logEndOffset));
});

test("a snapshot whose name may be lost fails the broker, as a failed sync does", async () => {
  const world = newWorld();
  const { log } = await written(world, { count: 3 });
  const rule = world.faults.arm({ point: "producer_snapshot.after_rename", action: "error" });
  await expect(log.close()).rejects.toMatchObject({ code: "BROKER_FAILED" });
  rule.assertFired();
  expect(world.failures).toHaveLength(1);
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

/** One history by chance, with what a walk tells beside it after each opening. */
async function runHistory(seed: number): Promise<void> {
  const random = new SeededRandom(seed);
  const writer = new Writer(seed + 1);
  const world = newWorld({ segmentBytes: 200 + random.below(900) });
  let log = world.open();
  let frames: Buffer[] = [];
  const reopen = () => {
    for (const path of snapshotsOn(world.disk)) {
      const choice = random.below(6);
      if (choice === 0) world.disk.remove(path);
      if (choice === 1) rewrite(world.disk, path, (bytes) => flipped(bytes, random.below(bytes.length), 1));
    }
    log = world.open({ create: false });
    frames = frames.filter((frame) => readBatchHeader(frame).nextOffset <= log.logEndOffset);
  };
  for (let step = 0; step < 40; step++) {
    const choice = random.below(22);
    if (choice === 20) {
      const { logStartOffset, logEndOffset } = log;
      await log.truncateTo(logStartOffset + random.below(logEndOffset - logStartOffset + 1));
      frames = frames.filter((frame) => readBatchHeader(frame).nextOffset <= log.logEndOffset);
    } else if (choice === 21 && random.below(4) === 0) {
      await log.restartAt(log.logEndOffset + random.below(3));
      frames = [];
    } else if (choice < 13) {
      const frame = writer.frame();
      log.append(frame, 0);
      frames.push(frame);
    } else if (choice < 16) await log.flush();
    else if (choice < 18 || choice === 21) {
      await log.close();
      reopen();
    } else {
      log.abandon();
      const mode = (["kept", "lost", "torn", "scattered"] as const)[random.below(4)] ?? "lost";
      world.disk.crash({ mode, random } as Crash);
      reopen();
    }
    expect(told(log.producers()), `seed ${seed} at step ${step}`).toEqual(walked(frames, log.logEndOffset));
  }
}

test("in histories drawn by chance the producers are always what a walk over the log tells", async () => {
  const first = seedFromEnvironment(1);
  for (let seed = first; seed < first + 120; seed++) await runHistory(seed);
}, 60_000);

test("whatever instant the process or the power dies at, the producers are those of the batches that are left", async () => {
  const seed = seedFromEnvironment(1);
  const random = new SeededRandom(seed);
  const world = worldOn(emptyDisk());
  const instants: MemoryDisk[] = [];
  const frames: Buffer[] = [];
  world.disk.beforeChange(() => void instants.push(world.disk.clone()));
  const writer = new Writer(seed);
  for (const life of [1, 2]) {
    const log = world.open({ create: life === 1 });
    for (let n = 0; n < 12; n++) {
      const frame = writer.frame();
      frames.push(frame);
      log.append(frame, 0);
      if (n % 4 === 3) await log.flush();
    }
    await log.close();
  }
  expect(instants.length).toBeGreaterThan(100);
  for (const [number, instant] of instants.entries()) {
    for (const mode of ["kept", "lost", "torn", "scattered"] as const) {
      const disk = instant.clone();
      disk.crash({ mode, random } as Crash);
      const log = worldOn(disk).open();
      const where = `${mode} at instant ${number}, seed ${seed}`;
      expect(told(log.producers()), where).toEqual(walked(frames, log.logEndOffset));
      await log.close();
      expect(told(worldOn(disk).open({ create: false }).producers()), where).toEqual(
        walked(frames, log.logEndOffset),
      );
    }
  }
}, 60_000);
