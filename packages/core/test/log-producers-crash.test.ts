/**
 * What a log knows of its producers is what a walk over the batches that are left would tell: through crashes at every change
 * of the disk, refusals at every one, and histories that chance has drawn.
 */
import { readBatchHeader } from "@minikafka/record";
import { expect, test } from "vitest";
import { CrashSignal } from "../src/env/fault-order.ts";
import { CHECKPOINT_STEPS } from "../src/env/fault-point.ts";
import type { MemoryDisk } from "../src/env/memory-disk.ts";
import type { Crash } from "../src/env/memory-nodes.ts";
import { SeededRandom } from "../src/env/random.ts";
import { BrokerError } from "../src/errors.ts";
import type { PartitionLog } from "../src/log/partition-log.ts";
import {
  emptyDisk,
  flipped,
  type LogWorld,
  newWorld,
  rewrite,
  seedFromEnvironment,
  worldOn,
} from "./log-world.ts";
import { snapshotsOn, told, Writer, walked, written } from "./producers-world.ts";

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

test.each(CHECKPOINT_STEPS)("a process that dies at %s of a snapshot has lost no producer", async (step) => {
  const world = newWorld();
  const { log, frames } = await written(world, { count: 7 });
  const rule = world.faults.arm({ point: `producer_snapshot.${step}`, action: "crash" });
  await expect(log.close()).rejects.toBeInstanceOf(CrashSignal);
  rule.assertFired();
  log.abandon();
  for (const mode of ["kept", "lost"] as const) {
    const disk = world.disk.clone();
    disk.crash({ mode });
    const again = worldOn(disk).open({ create: false });
    expect(told(again.producers())).toEqual(walked(frames, again.logEndOffset));
    expect(again.logEndOffset).toBe(log.logEndOffset);
  }
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

test("any change of the disk may be refused, once, at any place: the producers are those of the batches that were taken", async () => {
  const live = async (world: LogWorld, log: PartitionLog): Promise<Buffer[]> => {
    const writer = new Writer(3);
    const taken: Buffer[] = [];
    for (let n = 0; n < 12; n++) {
      const frame = writer.frame();
      try {
        log.append(frame, 0);
        taken.push(frame);
        if (n % 4 === 3) await log.flush();
      } catch (problem) {
        if (!(problem instanceof BrokerError)) throw problem;
      }
    }
    await log.close().catch(() => {});
    log.abandon();
    world.disk.crash({ mode: "kept" });
    return taken;
  };
  const measured = newWorld();
  const first = measured.open();
  const before = measured.disk.changeCount;
  await live(measured, first);
  const changes = measured.disk.changeCount - before;
  expect(changes).toBeGreaterThan(40);
  for (const code of ["ENOSPC", "EIO"]) {
    for (let nth = 1; nth <= changes; nth++) {
      const world = newWorld();
      const log = world.open();
      world.disk.fail({ operation: "change", code, times: { nth } });
      const taken = await live(world, log);
      const again = worldOn(world.disk).open({ create: false });
      const expected = walked(taken, again.logEndOffset);
      expect(told(again.producers()), `${code} at change ${nth}`).toEqual(expected);
      expect(again.logEndOffset).toBe(readBatchHeader(taken.at(-1) ?? Buffer.alloc(64)).nextOffset);
      again.abandon();
    }
  }
});
