/** Bytes that changed at rest: repaired from what is known to be true, or refused with file and position. Never served. */
import assert from "node:assert/strict";
import { describe, expect, test } from "vitest";
import type { MemoryDisk } from "../src/env/memory-disk.ts";
import { BrokerError } from "../src/errors.ts";
import type { PartitionLog } from "../src/log/partition-log.ts";
import {
  batch,
  flipped,
  indexAt,
  isIndex,
  type LogWorld,
  MANIFEST,
  newWorld,
  readAll,
  refusal,
  rewrite,
  segmentAt,
  timeIndexAt,
  valuesOf,
  worldOn,
} from "./log-world.ts";

/** An entry for each batch, so that none has to be reached over a damaged one. */
const SIZES = { segmentBytes: 500, indexIntervalBytes: 1 };

interface WrittenBatch {
  readonly baseOffset: number;
  readonly nextOffset: number;
  readonly segmentBaseOffset: number;
  /** Where it lies in its segment. */
  readonly position: number;
  readonly bytes: number;
  readonly values: readonly string[];
}

/** Three or four segments, closed cleanly. */
async function closedLog(): Promise<{ world: LogWorld; batches: WrittenBatch[]; bases: number[] }> {
  const world = newWorld(SIZES);
  const log = world.open();
  const groups = Array.from({ length: 14 }, (_, n) => [`${n}`, `${n}`.repeat(20)]);
  groups.forEach((values, n) => {
    log.append(batch(values, 100 * n), 0);
  });
  await log.close();
  const batches = world.trace
    .of("appended")
    .map(({ kind: _, ...place }, n) => ({ ...place, values: groups[n] ?? [] }));
  return { world, batches, bases: log.segments().map(({ baseOffset }) => baseOffset) };
}

const { world, batches, bases } = await closedLog();
const end = batches.at(-1)?.nextOffset ?? 0;
const records = batches.flatMap(({ baseOffset, values }, n) =>
  values.map((value, index) => ({ offset: baseOffset + index, timestampMs: 100 * n + index, value })),
);

/** The log on a clone of the disk to which `harm` was done; or the refusal to open it. */
function opened(harm: (disk: MemoryDisk) => void): PartitionLog | BrokerError {
  const disk = world.disk.clone();
  harm(disk);
  try {
    return worldOn(disk, SIZES).open({ create: false });
  } catch (problem) {
    if (problem instanceof BrokerError) return problem;
    throw problem;
  }
}

/** What `act` returns, or the STORAGE_ERROR that it refuses with, which must name one of `files` and a position. */
function answer<Result>(files: readonly string[], act: () => Result): Result | BrokerError {
  try {
    return act();
  } catch (problem) {
    if (!(problem instanceof BrokerError)) throw problem;
    assert.equal(problem.code, "STORAGE_ERROR");
    assert.ok(files.includes(String(problem.details.file)), problem.message);
    return problem;
  }
}

/** Each read and each search returns what was written, or names `files`. Returns the offsets that were refused. */
function refusedReads(log: PartitionLog, ...files: string[]): number[] {
  const refused: number[] = [];
  for (const { offset, value, timestampMs } of records) {
    const read = answer(files, () => log.read(offset, { bytesMax: 1, endOffset: end }));
    if (read instanceof BrokerError) refused.push(offset);
    else assert.equal(valuesOf(read.batches, offset)[0], value);
    if (offset % 5 > 0) continue;
    const found = answer(files, () => log.offsetForTimestamp(timestampMs, end));
    if (!(found instanceof BrokerError)) assert.deepEqual(found, { offset, timestampMs });
  }
  return refused;
}

const sizeOf = (path: string) => world.disk.stat(path)?.sizeBytes ?? 0;

describe("a flipped bit", () => {
  test.each([0, bases.length - 1])(
    "anywhere in segment number %d is refused at the batch that it hit, and nowhere else",
    (number) => {
      const path = segmentAt(bases[number] ?? -1);
      const inSegment = batches.filter(({ segmentBaseOffset }) => segmentAt(segmentBaseOffset) === path);
      for (const { position, bytes, baseOffset, nextOffset } of inSegment) {
        for (let at = position; at < position + bytes; at++) {
          const log = opened((disk) => rewrite(disk, path, (all) => flipped(all, at, at % 8)));
          assert.ok(!(log instanceof BrokerError), "what lies below the recovery point is not read at open");
          const refused = refusedReads(log, path);
          assert.deepEqual(refused, [baseOffset, nextOffset - 1], `bit ${at % 8} of byte ${at}`);
          const { details } = refusal(() => log.read(baseOffset, { bytesMax: 1, endOffset: end }));
          assert.equal(details.position, position);
        }
      }
    },
    60_000,
  );

  test("anywhere in an index is repaired", () => {
    const paths = [indexAt(bases[1] ?? -1), timeIndexAt(bases[1] ?? -1)];
    for (const path of paths)
      for (let at = 0; at < sizeOf(path); at++) {
        const log = opened((disk) => rewrite(disk, path, (all) => flipped(all, at, at % 8)));
        assert.ok(!(log instanceof BrokerError));
        assert.deepEqual(refusedReads(log), []);
      }
  });

  test("anywhere in the manifest is refused by its name, at once", () => {
    for (let at = 0; at < sizeOf(MANIFEST); at++) {
      for (let bit = at % 2; bit < 8; bit += 2) {
        const result = opened((disk) => rewrite(disk, MANIFEST, (all) => flipped(all, at, bit)));
        assert.ok(result instanceof BrokerError, `bit ${bit} of byte ${at}`);
        assert.equal(result.details.file, MANIFEST);
      }
    }
  }, 60_000);

  test("behind the recovery point cuts the log there, and what is left is true", () => {
    const disk = world.disk.clone();
    const log = worldOn(disk, SIZES).open({ create: false });
    log.append(batch(["unflushed"]), 0);
    const { baseOffset, sizeBytes } = log.segments().at(-1) ?? { baseOffset: -1, sizeBytes: 0 };
    log.abandon();
    const path = segmentAt(baseOffset);
    const start = sizeBytes - batch(["unflushed"]).length;
    for (let at = start; at < sizeBytes; at++) {
      const harmed = disk.clone();
      rewrite(harmed, path, (all) => flipped(all, at, at % 8));
      const again = worldOn(harmed, SIZES).open({ create: false });
      assert.deepEqual(
        readAll(again),
        records.map(({ value }) => value),
      );
      assert.equal(harmed.stat(path)?.sizeBytes, start);
    }
  });
});

describe("a file", () => {
  test("cut at any length is repaired if it is an index, and refused if it is anything else", () => {
    for (const path of world.disk.files().keys()) {
      for (let length = 0; length < sizeOf(path); length += path === MANIFEST ? 7 : 3) {
        const result = opened((disk) => rewrite(disk, path, (all) => all.subarray(0, length)));
        if (isIndex(path)) {
          assert.ok(!(result instanceof BrokerError));
          assert.deepEqual(refusedReads(result), []);
        } else {
          assert.ok(result instanceof BrokerError, `${path} cut to ${length}`);
          assert.equal(result.details.file, path);
        }
      }
    }
  });

  test("with zeros in it is refused where they are", () => {
    const path = segmentAt(bases[1] ?? -1);
    const [, hit] = batches.filter(({ segmentBaseOffset }) => segmentBaseOffset === bases[1]);
    const log = opened((disk) =>
      rewrite(disk, path, (all) => all.fill(0, hit?.position, (hit?.position ?? 0) + (hit?.bytes ?? 0))),
    );
    assert.ok(!(log instanceof BrokerError));
    expect(refusedReads(log, path)).toEqual([hit?.baseOffset, (hit?.nextOffset ?? 0) - 1]);
  });

  test("exchanged with another of its kind is refused, or makes no difference if it is an index", () => {
    const paths = [...world.disk.files().keys()].filter((path) => path !== MANIFEST);
    for (const one of paths) {
      for (const other of paths) {
        if (one === other || isIndex(one) !== isIndex(other)) continue;
        const [bytesOfOne, bytesOfOther] = [world.disk.files().get(one), world.disk.files().get(other)];
        const log = opened((disk) => {
          rewrite(disk, one, () => bytesOfOther ?? Buffer.alloc(0));
          rewrite(disk, other, () => bytesOfOne ?? Buffer.alloc(0));
        });
        if (log instanceof BrokerError) continue;
        const refused = refusedReads(log, one, other);
        if (isIndex(one)) assert.deepEqual(refused, []);
      }
    }
  });

  test("that is cut while the log is open is refused at what is gone, and nothing else", () => {
    const disk = world.disk.clone();
    const log = worldOn(disk, SIZES).open({ create: false });
    const path = segmentAt(bases[1] ?? -1);
    const inSegment = batches.filter(({ segmentBaseOffset }) => segmentBaseOffset === bases[1]);
    const third = inSegment[2];
    rewrite(disk, path, (all) => all.subarray(0, (third?.position ?? 0) + 10));
    const gone = inSegment.slice(2).flatMap(({ baseOffset, nextOffset }) => [baseOffset, nextOffset - 1]);
    expect(refusedReads(log, path)).toEqual(gone);
  });
});

test("a length of four gigabytes takes no memory, and is refused", () => {
  const path = segmentAt(0);
  const log = opened((disk) =>
    rewrite(disk, path, (all) => {
      all.writeUInt32BE(0xffff_ffff, 4);
      return all;
    }),
  );
  assert.ok(!(log instanceof BrokerError));
  const { message } = refusal(() => log.read(0, { bytesMax: 1, endOffset: end }));
  expect(message).toContain("the frame says 4294967307 bytes, expected 64 to 4096");
});

test("a read that meets damage behind good batches returns those, and the next one is refused", () => {
  const path = segmentAt(0);
  const second = batches[1];
  const log = opened((disk) => rewrite(disk, path, (all) => flipped(all, (second?.position ?? 0) + 70, 1)));
  assert.ok(!(log instanceof BrokerError));
  const { batches: good, nextOffset } = log.read(0, { bytesMax: 10_000, endOffset: end });
  expect(valuesOf(good)).toEqual(batches[0]?.values);
  expect(nextOffset).toBe(second?.baseOffset);
  const { message, details } = refusal(() => log.read(nextOffset, { bytesMax: 10_000, endOffset: end }));
  expect(details).toMatchObject({ file: path, position: second?.position, offset: second?.baseOffset });
  expect(message).toContain("CRC is");
});
