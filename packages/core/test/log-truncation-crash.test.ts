/** A process dies while an end of a log is moved; the next one goes on, and then the power fails. */
import { assignBatch } from "@minikafka/record";
import { expect, test } from "vitest";
import type { MemoryDisk } from "../src/env/memory-disk.ts";
import { SeededRandom } from "../src/env/random.ts";
import type { PartitionLog } from "../src/log/partition-log.ts";
import { changesOf, instantsOf } from "./crash-instants.ts";
import { batch, FOLDER, newWorld, readAll, rewrite, segmentAt, worldOn } from "./log-world.ts";

const SEED = 11;
const SIZES = { segmentBytes: 400, indexIntervalBytes: 100 };
const OLD = 10;

const oldText = (offset: number) => `${offset} old`.padEnd(16, ".");
const newText = (offset: number) => `${offset} new`.padEnd(16, "!");

/** One record each, all of one size, so that what was cut fits behind what is written in its place. */
function appendUpTo(log: PartitionLog, end: number, text: (offset: number) => string): void {
  while (log.logEndOffset < end) log.append(batch([text(log.logEndOffset)]), 0);
}

const numbered = (from: number, to: number, text: (offset: number) => string) =>
  Array.from({ length: Math.max(0, to - from) }, (_, n) => text(from + n));

/**
 * The process dies with `disk` as it is, of which the system keeps everything. The next one appends `count` batches, and the power
 * fails. What is left must be a prefix of what that life had.
 */
function expectNothingBack(disk: MemoryDisk, count: number, random: SeededRandom): void {
  disk.crash({ mode: "kept" });
  const next = worldOn(disk, SIZES).open({ create: false });
  appendUpTo(next, next.logEndOffset + count, newText);
  const values = readAll(next);
  next.abandon();
  disk.crash({ mode: random.below(3) === 0 ? "torn" : "scattered", random });
  const last = worldOn(disk, SIZES).open({ create: false });
  const left = readAll(last);
  expect(left).toEqual(values.slice(0, left.length));
  last.abandon();
}

test.each([
  ["below the recovery point", OLD, 2],
  ["at the recovery point", 4, 4],
  ["behind the recovery point", 2, 4],
  ["in the middle of a segment", OLD, 7],
])(
  "a truncation that a process died in does not come back behind what the next life writes, whatever a power cut leaves: %s",
  async (_where, flushed, cutAt) => {
    const random = new SeededRandom(SEED);
    const { disk, open } = newWorld(SIZES);
    const first = open();
    appendUpTo(first, flushed, oldText);
    await first.close();
    const log = open({ create: false });
    appendUpTo(log, OLD, oldText);
    const instants = await instantsOf(disk, () => log.truncateTo(cutAt));
    expect(readAll(log)).toEqual(numbered(0, cutAt, oldText));
    expect(disk.stat(`${FOLDER}/cut-begun`)).toBeNull();
    for (const instant of instants)
      for (let round = 0; round < 24; round++) expectNothingBack(instant.clone(), 1 + (round % 4), random);
  },
);

test("nor does what a recovery cut off and died", async () => {
  const random = new SeededRandom(SEED);
  const { disk, open } = newWorld(SIZES);
  const log = open();
  appendUpTo(log, 2, oldText);
  await log.close();
  const stale = [2, 3, 4].map((offset) => {
    const frame = batch([oldText(offset)]);
    assignBatch(frame, { baseOffset: offset, leaderEpoch: 0 });
    return frame;
  });
  // As a power cut leaves it that has lost the first of three batches.
  const [lost = Buffer.alloc(0), ...behind] = stale;
  rewrite(disk, segmentAt(0), (bytes) => Buffer.concat([bytes, Buffer.alloc(lost.length), ...behind]));
  disk.crash({ mode: "kept" });
  const { instants, result } = changesOf(disk, () => worldOn(disk, SIZES).open({ create: false }));
  expect(readAll(result)).toEqual(numbered(0, 2, oldText));
  for (const instant of [...instants, disk])
    for (let round = 0; round < 24; round++) expectNothingBack(instant.clone(), 1 + (round % 4), random);
});

test.each([100, 10, 5, 0])(
  "a new beginning at %d that a process died in takes nothing from what the next life flushes, nor puts anything before it",
  async (offset) => {
    const { disk, open } = newWorld(SIZES);
    const log = open();
    appendUpTo(log, OLD, oldText);
    await log.flush();
    for (const instant of await instantsOf(disk, () => log.restartAt(offset))) {
      instant.crash({ mode: "kept" });
      const next = worldOn(instant, SIZES).open({ create: false });
      const { logStartOffset } = next;
      appendUpTo(next, next.logEndOffset + 1, newText);
      const values = readAll(next);
      await next.flush();
      next.abandon();
      instant.crash({ mode: "lost" });
      const last = worldOn(instant, SIZES).open({ create: false });
      expect(last.logStartOffset).toBe(logStartOffset);
      expect(readAll(last)).toEqual(values);
      last.abandon();
    }
  },
);

test.each([1, 4, OLD])(
  "records below %d whose deletion a process died in are gone for good once the next life has deleted them again",
  async (offset) => {
    const { disk, open } = newWorld(SIZES);
    const log = open();
    appendUpTo(log, OLD, oldText);
    await log.flush();
    for (const instant of await instantsOf(disk, () => log.deleteRecords(offset))) {
      instant.crash({ mode: "kept" });
      const next = worldOn(instant, SIZES).open({ create: false });
      expect(await next.deleteRecords(offset)).toBe(offset);
      next.abandon();
      instant.crash({ mode: "lost" });
      const last = worldOn(instant, SIZES).open({ create: false });
      expect(last.logStartOffset).toBe(offset);
      last.abandon();
    }
  },
);
