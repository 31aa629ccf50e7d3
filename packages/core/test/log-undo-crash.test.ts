/** An append fails and is taken back; the log goes on, or somebody leads from its end, and then the power fails. */
import { describe, expect, test } from "vitest";
import type { MemoryDisk } from "../src/env/memory-disk.ts";
import { SeededRandom } from "../src/env/random.ts";
import type { PartitionLog } from "../src/log/partition-log.ts";
import { changesOf } from "./crash-instants.ts";
import { batch, FOLDER, type LogWorld, newWorld, readAll, refusal, segmentAt, worldOn } from "./log-world.ts";

const SEED = 501_554;
const SIZES = { segmentBytes: 400, indexIntervalBytes: 100 };
const ROUNDS = 12;

const oldText = (offset: number) => `${offset} old`.padEnd(16, ".");
const newText = (offset: number) => `${offset} new`.padEnd(16, "!");
const undoneText = (offset: number) => `${offset} undone`.padEnd(16, "?");

/** One record each, all of one size, so that what was undone fits behind what is written in its place. */
function appendUpTo(log: PartitionLog, end: number, text: (offset: number) => string): void {
  while (log.logEndOffset < end) log.append(batch([text(log.logEndOffset)]), 0);
}

/** How a write fails of which something is there. */
const FAILURES: readonly (readonly [string, (world: LogWorld) => void])[] = [
  [
    "when all of it was written",
    ({ faults }) => void faults.arm({ point: "log.append.after_write", action: "error" }),
  ],
  [
    "with a part of it written",
    ({ disk }) => void disk.fail({ operation: "write", code: "ENOSPC", bytesWritten: 70 }),
  ],
];

/** How the log gets the batch that fails. */
const WAYS: readonly (readonly [string, (log: PartitionLog) => void])[] = [
  ["of a leader", (log) => void log.append(batch([undoneText(log.logEndOffset)]), 0)],
  ["of a follower", (log) => void log.appendAsFollower(fetched(log))],
];

/** Two batches that follow the end of `log`, as its leader has them. */
function fetched(log: PartitionLog): Buffer {
  const leader = newWorld().open();
  appendUpTo(leader, log.logEndOffset + 2, undoneText);
  return leader.read(log.logEndOffset, { bytesMax: 1 << 20, endOffset: leader.logEndOffset }).batches;
}

const CASES = FAILURES.flatMap(([how, fail]) => WAYS.map(([way, append]) => ({ how, fail, way, append })));

/** A log of `count` batches, the first two of them flushed, before an append that fails. */
async function begun(count: number, { fail }: (typeof CASES)[number]) {
  const world = newWorld(SIZES);
  const log = world.open();
  appendUpTo(log, 2, oldText);
  await log.flush();
  appendUpTo(log, count, oldText);
  fail(world);
  return { ...world, log };
}

/** The power fails; what the next life finds. */
function foundAfterPowerCut(disk: MemoryDisk, random: SeededRandom): readonly string[] {
  const cut = disk.clone();
  cut.crash({ mode: random.below(3) === 0 ? "torn" : "scattered", random });
  const log = worldOn(cut, SIZES).open({ create: false });
  const values = readAll(log);
  log.abandon();
  return values;
}

describe.each(CASES)("an append $way that failed $how", (failing) => {
  test.each([2, 3, 5])(
    "is not brought back by a power cut, neither alone nor in the place of what was written since: after %d batches",
    async (count) => {
      const random = new SeededRandom(SEED);
      const { disk, log, trace } = await begun(count, failing);
      expect(refusal(() => failing.append(log)).code).toBe("STORAGE_ERROR");
      expect(trace.of("append_undone")).toHaveLength(1);
      for (let more = 0; more <= 2; more++) {
        appendUpTo(log, count + more, newText);
        const values = readAll(log);
        for (let round = 0; round < ROUNDS; round++) {
          const found = foundAfterPowerCut(disk, random);
          expect(found, `seed ${SEED}`).toEqual(values.slice(0, found.length));
        }
      }
    },
  );

  test("nor where the process died while it was taken back, and the next one has gone on", async () => {
    const random = new SeededRandom(SEED);
    const { disk, log } = await begun(3, failing);
    const { instants } = changesOf(disk, () => refusal(() => failing.append(log)));
    expect(instants.length).toBeGreaterThan(2);
    expect(disk.stat(`${FOLDER}/cut-begun`)).toBeNull();
    for (const instant of instants)
      for (let round = 0; round < ROUNDS; round++) {
        const left = instant.clone();
        left.crash({ mode: "kept" });
        const next = worldOn(left, SIZES).open({ create: false });
        appendUpTo(next, next.logEndOffset + 1 + (round % 3), newText);
        const values = readAll(next);
        next.abandon();
        const found = foundAfterPowerCut(left, random);
        expect(found, `seed ${SEED}`).toEqual(values.slice(0, found.length));
      }
  });

  test("fails the broker where that cannot be made durable: nobody could say what the log holds", async () => {
    const { disk, log, failures, open } = await begun(3, failing);
    disk.fail({ operation: "sync", code: "EIO", path: segmentAt(0) });
    expect(refusal(() => failing.append(log)).code).toBe("BROKER_FAILED");
    expect(failures).toHaveLength(1);
    expect(refusal(() => appendUpTo(log, 4, newText)).code).toBe("BROKER_FAILED");
    log.abandon();
    disk.crash({ mode: "kept" });
    const next = open({ create: false });
    expect(readAll(next)).toEqual([0, 1, 2].map(oldText));
    await next.flush();
    next.abandon();
    disk.crash({ mode: "lost" });
    expect(readAll(open({ create: false }))).toEqual([0, 1, 2].map(oldText));
  });
});

test("an append that wrote nothing costs no sync", () => {
  const { disk, open } = newWorld(SIZES);
  const log = open();
  appendUpTo(log, 2, oldText);
  disk.fail({ operation: "write", code: "ENOSPC" });
  const before = disk.changeCount;
  expect(refusal(() => appendUpTo(log, 3, newText)).code).toBe("STORAGE_ERROR");
  expect(disk.changeCount).toBe(before + 1);
  appendUpTo(log, 3, newText);
  expect(readAll(log)).toEqual([oldText(0), oldText(1), newText(2)]);
});
