/** Every call to the disk fails once: an append is there and acknowledged, or refused and not there, or the log is off line. */
import { describe, expect, test } from "vitest";
import type { DiskFailureOrder } from "../src/env/disk-failures.ts";
import { CrashSignal } from "../src/env/fault-order.ts";
import { type FaultPoint, isFaultPoint } from "../src/env/fault-point.ts";
import { FaultPoints } from "../src/env/fault-points.ts";
import { BrokerError } from "../src/errors.ts";
import type { PartitionLog } from "../src/log/partition-log.ts";
import {
  batch,
  emptyDisk,
  FOLDER,
  type LogWorld,
  newWorld,
  readAll,
  refusal,
  segmentAt,
  worldOn,
} from "./log-world.ts";

/** What a client knows after a life with a failing disk. */
interface Outcome {
  readonly acknowledged: string[];
  readonly refused: string[];
  /** Acknowledged values that a flush has resolved for. */
  flushed: number;
}

/** Does `act`; only answers to the client, or the end of the process, may come out of it. Returns whether it was done. */
async function answered(act: () => unknown): Promise<boolean> {
  try {
    await act();
    return true;
  } catch (problem) {
    if (problem instanceof CrashSignal) throw problem;
    expect(problem).toBeInstanceOf(BrokerError);
    expect(["STORAGE_ERROR", "BROKER_FAILED"]).toContain(problem instanceof BrokerError && problem.code);
    return false;
  }
}

async function openAnswered(world: LogWorld, create: boolean): Promise<PartitionLog> {
  const logs: PartitionLog[] = [];
  for (let attempt = 0; attempt < 3 && logs.length === 0; attempt++) {
    await answered(() => {
      logs.push(world.open({ create }));
    });
  }
  const [log] = logs;
  if (log === undefined) throw new Error("the log could not be opened a third time");
  return log;
}

/** Appends, rolls, flushes, closes and opens again, and appends more. */
async function live(
  world: LogWorld,
  outcome: Outcome = { acknowledged: [], refused: [], flushed: 0 },
): Promise<{ log: PartitionLog; outcome: Outcome }> {
  let log = await openAnswered(world, true);
  for (let n = 0; n < 24; n++) {
    const value = `${n}`.padEnd(60, ".");
    const isDone = await answered(() => log.append(batch([value]), 0));
    (isDone ? outcome.acknowledged : outcome.refused).push(value);
    const count = outcome.acknowledged.length;
    if (n % 6 === 3 && (await answered(() => log.flush()))) outcome.flushed = count;
    if (n === 14) {
      if (await answered(() => log.close())) outcome.flushed = count;
      else world.disk.crash({ mode: "kept" });
      log = await openAnswered(world, false);
    }
  }
  return { log, outcome };
}

/** The log as it stands, and as it is found again, agrees with what the client was told. */
async function expectHonest(
  world: LogWorld,
  { log, outcome }: Awaited<ReturnType<typeof live>>,
): Promise<void> {
  const { acknowledged, flushed } = outcome;
  world.disk.stopFailing();
  world.faults.disarm();
  if (log.isOffline) expect(refusal(() => readAll(log, { offset: 0 })).code).toBe("STORAGE_ERROR");
  else expect(readAll(log)).toEqual(acknowledged);
  log.abandon();

  const afterPowerCut = world.disk.clone();
  world.disk.crash({ mode: "kept" });
  const again = world.open({ create: false });
  expect(readAll(again)).toEqual(acknowledged);
  again.append(batch(["more"]), 0);
  await again.flush();
  again.abandon();
  world.disk.crash({ mode: "lost" });
  expect(readAll(world.open({ create: false }))).toEqual([...acknowledged, "more"]);

  afterPowerCut.crash({ mode: "lost" });
  const { open } = worldOn(afterPowerCut, SIZES);
  const left = readAll(open({ create: false }));
  expect(left).toEqual(acknowledged.slice(0, left.length));
  expect(left.length).toBeGreaterThanOrEqual(flushed);
}

const SIZES = { segmentBytes: 400, indexIntervalBytes: 100 };

async function expectHonestForEveryCall(order: Omit<DiskFailureOrder, "times">): Promise<number> {
  for (let nth = 1; ; nth++) {
    const world = newWorld(SIZES);
    const failure = world.disk.fail({ path: /orders-0/, ...order, times: { nth } });
    const result = await live(world);
    const hasFired = failure.fired > 0;
    try {
      await expectHonest(world, result);
    } catch (problem) {
      throw new Error(`${order.operation} number ${nth}: ${String(problem)}`, { cause: problem });
    }
    if (!hasFired) return nth - 1;
  }
}

describe("the n-th call fails, for every n", () => {
  test.each([
    ["EIO", "any"],
    ["EMFILE", "open"],
  ] as const)(
    "with %s: %s",
    async (code, operation) => {
      expect(await expectHonestForEveryCall({ operation, code })).toBeGreaterThan(20);
    },
    30_000,
  );

  test.each([0, 1, 63, 64, 100])(
    "with ENOSPC after %d bytes of a write",
    async (bytesWritten) => {
      const failing = await expectHonestForEveryCall({ operation: "write", code: "ENOSPC", bytesWritten });
      expect(failing).toBeGreaterThan(24);
    },
    30_000,
  );

  test("with EIO after the whole of a write", async () => {
    await expectHonestForEveryCall({ operation: "write", code: "EIO", bytesWritten: 1 << 20 });
  });
});

const POINTS = [
  "log.append.before_write",
  "log.append.after_write",
  "log.flush.before_sync",
  "log.flush.after_sync",
  "log.flush.before_folder_sync",
  "log.flush.after_folder_sync",
  "log.roll.before_create",
  "log.roll.after_create",
  "log.index.before_write",
  "log.index.after_write",
  "log.time_index.after_write",
  "manifest.before_write",
  "manifest.before_sync",
  "manifest.before_rename",
  "manifest.after_rename",
  "manifest.after_folder_sync",
] as const satisfies readonly FaultPoint[];

test.each(POINTS)("a fault at %s is answered, every time it is passed", async (point) => {
  expect(isFaultPoint(point)).toBe(true);
  for (let nth = 1; ; nth++) {
    const world = newWorld(SIZES);
    const rule = world.faults.arm({ point, action: "error", times: { nth } });
    const result = await live(world);
    const hasFired = rule.fired > 0;
    await expectHonest(world, result);
    if (!hasFired) {
      expect(nth).toBeGreaterThan(1);
      return;
    }
  }
});

test.each(POINTS)(
  "a process that dies at %s leaves what it acknowledged, and nothing else",
  async (point) => {
    for (let nth = 1; ; nth++) {
      const disk = emptyDisk();
      const faults = new FaultPoints({ onCrash: () => disk.powerOff() });
      const world = worldOn(disk, SIZES, faults);
      const rule = faults.arm({ point, action: "crash", times: { nth } });
      const outcome: Outcome = { acknowledged: [], refused: [], flushed: 0 };
      const death = await live(world, outcome).catch((problem: unknown) => problem);
      if (rule.fired === 0) {
        expect(nth).toBeGreaterThan(1);
        return;
      }
      expect(death).toBeInstanceOf(CrashSignal);
      faults.disarm();
      disk.crash({ mode: "kept" });
      const values = readAll(world.open());
      const { acknowledged } = outcome;
      // The batch whose append the process died in may be whole already.
      expect(values.slice(0, acknowledged.length)).toEqual(acknowledged);
      expect(values.length - acknowledged.length).toBeLessThanOrEqual(
        point === "log.append.after_write" ? 1 : 0,
      );
    }
  },
);

test("no lack of a descriptor makes a log fail, whichever file or folder could not be opened: the next try goes well", async () => {
  let refusals = 0;
  for (let nth = 1; ; nth++) {
    const world = newWorld(SIZES);
    const log = world.open();
    const act = async () => {
      log.append(batch(["a".repeat(200)]), 0);
      log.append(batch(["b".repeat(200)]), 0);
      await log.flush();
      await log.deleteRecords(1);
      await log.restartAt(10);
    };
    const failure = world.disk.fail({ operation: "open", code: "EMFILE", times: { nth } });
    const problem = await act().catch((thrown: unknown) => thrown);
    if (failure.fired === 0) break;
    if (problem !== undefined) {
      expect(problem, `open number ${nth}`).toMatchObject({ code: "STORAGE_ERROR" });
      refusals += 1;
    }
    await log.restartAt(10);
    await act().catch((thrown: unknown) => expect(thrown).toMatchObject({ code: "OFFSET_OUT_OF_RANGE" }));
    await log.close();
    expect(world.open({ create: false }).logStartOffset).toBe(10);
  }
  expect(refusals).toBeGreaterThan(6);
});

describe("a write that failed", () => {
  test("is taken back, and the next append gets its offset", () => {
    const { disk, trace, open } = newWorld();
    const log = open();
    log.append(batch(["a"]), 0);
    disk.fail({ operation: "write", code: "ENOSPC", bytesWritten: 30 });
    expect(refusal(() => log.append(batch(["b"]), 0)).message).toContain("no space left");
    expect(trace.of("append_undone")).toMatchObject([{ logEndOffset: 1 }]);
    expect(log.append(batch(["c"]), 0).baseOffset).toBe(1);
    expect(readAll(log)).toEqual(["a", "c"]);
  });

  test.each(["EMFILE", "ENFILE"])(
    "because no file can be opened (%s) wrote nothing: the log stays on line, and takes the next once one can",
    async (code) => {
      const world = newWorld();
      await world.open().close();
      const log = world.open({ create: false });
      const failure = world.disk.fail({ operation: "open", code, times: "always" });
      for (let attempt = 0; attempt < 2; attempt++)
        expect(refusal(() => log.append(batch(["a"]), 0)).message).toContain("too many open files");
      failure.assertFired();
      expect(log.isOffline).toBe(false);
      await log.flush();
      world.disk.stopFailing();
      expect(log.append(batch(["b"]), 0).baseOffset).toBe(0);
      await log.flush();
      await log.close();
      expect(readAll(world.open({ create: false }))).toEqual(["b"]);
    },
  );

  test("and cannot be taken back puts the log off line, with the reason in every later answer", async () => {
    const { disk, trace, open } = newWorld();
    const log = open();
    log.append(batch(["a"]), 0);
    disk.fail({ operation: "write", code: "EIO", bytesWritten: 30 });
    disk.fail({ operation: "truncate", code: "EIO" });
    expect(refusal(() => log.append(batch(["b"]), 0)).code).toBe("STORAGE_ERROR");
    expect(log.isOffline).toBe(true);
    expect(trace.of("log_offline")).toHaveLength(1);
    for (const act of [
      () => log.append(batch(["c"]), 0),
      () => log.read(0, { bytesMax: 100, endOffset: 1 }),
      () => log.offsetForTimestamp(0, 1),
    ]) {
      const { code, message } = refusal(act);
      expect(code).toBe("STORAGE_ERROR");
      expect(message).toContain(`${segmentAt(0)} at position`);
    }
    await expect(log.flush()).rejects.toMatchObject({ code: "STORAGE_ERROR" });
    await expect(log.close()).rejects.toMatchObject({ code: "STORAGE_ERROR" });
    expect(readAll(open({ create: false }))).toEqual(["a"]);
  });
});

describe("a sync that failed", () => {
  test("is told to the broker, to all that wait and to all that come, and is never tried again", async () => {
    const { disk, failures, open } = newWorld();
    const log = open();
    log.append(batch(["a"]), 0);
    const failure = disk.fail({ operation: "sync", code: "EIO", path: segmentAt(0) });
    const outcomes = await Promise.allSettled([log.flush(), log.flush()]);
    for (const outcome of outcomes)
      expect(outcome).toMatchObject({ status: "rejected", reason: { code: "BROKER_FAILED" } });
    expect(failures).toHaveLength(1);
    expect(failures[0]).toContain(segmentAt(0));
    expect(log.flushedOffset).toBe(0);
    const before = disk.changeCount;
    await expect(log.flush()).rejects.toMatchObject({ code: "BROKER_FAILED" });
    expect(refusal(() => log.append(batch(["b"]), 0)).code).toBe("BROKER_FAILED");
    await expect(log.close()).rejects.toMatchObject({ code: "BROKER_FAILED" });
    expect(disk.changeCount).toBe(before);
    expect(failure.hits).toBe(1);
  });

  test("that cannot be noted says which file is to be created; with it, what the next life makes durable is durable", async () => {
    for (const isCreated of [true, false]) {
      const { disk, failures, open } = newWorld();
      const log = open();
      log.append(batch(["a"]), 0);
      disk.fail({ operation: "sync", code: "ENOSPC", path: segmentAt(0) });
      const unnoted = disk.fail({ operation: "create", code: "ENOSPC", path: /sync-failed/ });
      await expect(log.flush()).rejects.toMatchObject({ code: "BROKER_FAILED" });
      unnoted.assertFired();
      const [, path = "?"] = /create the empty file (\S+) before you start it/.exec(failures[0] ?? "") ?? [];
      expect(path).toBe(`${FOLDER}/sync-failed`);
      log.abandon();
      disk.crash({ mode: "kept" });
      if (isCreated) disk.openFile(path, { create: "exclusive" }).close();
      const next = open({ create: false });
      expect(readAll(next)).toEqual(["a"]);
      await next.flush();
      next.abandon();
      disk.crash({ mode: "lost" });
      // Without it nobody can know that the second sync, which succeeded, did nothing.
      expect(readAll(open({ create: false }))).toEqual(isCreated ? ["a"] : []);
    }
  });

  test("leaves what is in the log readable", async () => {
    const { disk, open } = newWorld();
    const log = open();
    log.append(batch(["a"]), 0);
    disk.fail({ operation: "sync", code: "EIO" });
    await expect(log.flush()).rejects.toThrow();
    expect(log.isOffline).toBe(false);
    expect(readAll(log)).toEqual(["a"]);
  });

  test("of a folder counts as one of a file, and so does one behind a manifest that is in place already", async () => {
    for (const nth of [1, 2]) {
      const { disk, failures, open } = newWorld({ segmentBytes: 200 });
      const log = open();
      for (let n = 0; n < 5; n++) log.append(batch([`${n}`.repeat(50)]), 0);
      disk.fail({ operation: "syncFolder", code: "EIO", path: FOLDER, times: { nth } });
      await expect(log.flush()).rejects.toMatchObject({ code: "BROKER_FAILED" });
      expect(failures).toHaveLength(1);
    }
  });
});

test("a manifest that cannot be written refuses nobody, and is written by the next flush", async () => {
  const { disk, failures, trace, open } = newWorld({ segmentBytes: 200 });
  const log = open();
  for (let n = 0; n < 5; n++) log.append(batch([`${n}`.repeat(50)]), 0);
  disk.fail({ operation: "write", code: "ENOSPC", path: /manifest/ });
  await log.flush();
  expect(trace.of("seal_delayed")).toHaveLength(1);
  expect(trace.of("sealed")).toHaveLength(0);
  expect(log.flushedOffset).toBe(5);
  await log.flush();
  expect(trace.of("sealed").length).toBeGreaterThan(0);
  expect(failures).toEqual([]);
});

test("a close that cannot write the manifest says so, and loses nothing", async () => {
  const { disk, open } = newWorld();
  const log = open();
  log.append(batch(["a"]), 0);
  disk.fail({ operation: "write", code: "ENOSPC", path: /manifest/ });
  await expect(log.close()).rejects.toMatchObject({ code: "STORAGE_ERROR" });
  disk.crash({ mode: "lost" });
  expect(readAll(open({ create: false }))).toEqual(["a"]);
});

test("bytes in the place of a new segment refuse the append, and change nothing", () => {
  const { disk, open } = newWorld({ segmentBytes: 100 });
  const log = open();
  log.append(batch(["a"]), 0);
  const file = disk.openFile(segmentAt(1), { create: "exclusive" });
  file.writeAt(0, Buffer.from("whose?"));
  expect(refusal(() => log.append(batch(["b"]), 0)).message).toContain(segmentAt(1));
  expect(readAll(log)).toEqual(["a"]);
  file.truncate(0);
  expect(log.append(batch(["b"]), 0).baseOffset).toBe(1);
});
