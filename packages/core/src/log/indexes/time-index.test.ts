import { type BatchHeader, encodeBatch, readBatchHeader } from "@minikafka/record";
import { expect, test } from "vitest";
import { SeededRandom } from "../../env/random.ts";
import { type TimeCoverage, TimeIndex } from "./time-index.ts";
import { TimeIndexBuilder } from "./time-index-builder.ts";

const COVERAGE: TimeCoverage = {
  indexedBytes: 500,
  intervalBytes: 60,
  lastPosition: 400,
  lastCrc: 0xffff_ffff,
};

function indexOf(...entries: [timestampMs: number, relativeOffset: number][]): TimeIndex {
  const index = new TimeIndex();
  for (const [timestampMs, relativeOffset] of entries) index.add({ timestampMs, relativeOffset });
  return index;
}

function headerOf(baseOffset: number, timestampMs: number): BatchHeader {
  const frame = encodeBatch({ records: [{ key: null, value: null, timestampMs, headers: [] }] });
  return { ...readBatchHeader(frame), baseOffset };
}

test("a search ends at the first entry that is late enough", () => {
  const index = indexOf([100, 3], [220, 10], [400, 11]);
  expect([0, 100, 101, 220, 399, 400, 401].map((time) => index.search(time))).toEqual([0, 0, 1, 1, 2, 2, 3]);
  expect(index.at(index.search(401))).toBeNull();
  expect(new TimeIndex().search(7)).toBe(0);
});

test("many entries keep their order while the arrays grow, and come back from bytes", () => {
  const index = new TimeIndex();
  for (let n = 1; n <= 5000; n++) index.add({ timestampMs: 10 * n, relativeOffset: 2 * n });
  expect(index.search(25_000)).toBe(2499);
  const decoded = TimeIndex.decode(index.encode(COVERAGE));
  expect("index" in decoded && decoded.index.list()).toEqual(index.list());
  expect(decoded).toMatchObject({ coverage: COVERAGE });
});

test("the largest numbers that an entry can hold come back from bytes", () => {
  const largest = { timestampMs: Number.MAX_SAFE_INTEGER, relativeOffset: 0xffff_ffff };
  const decoded = TimeIndex.decode(
    indexOf([0, 0], [largest.timestampMs, largest.relativeOffset]).encode(COVERAGE),
  );
  expect("index" in decoded && decoded.index.last).toEqual(largest);
});

test("an entry that does not rise is a mistake of the program", () => {
  expect(() => indexOf([100, 3], [100, 4])).toThrow("cannot follow");
  expect(() => indexOf([100, 3], [101, 3])).toThrow("cannot follow");
  expect(() => indexOf([-1, 3])).toThrow("cannot follow");
});

test("every flipped bit and every other length is seen in the bytes", () => {
  const bytes = indexOf([100, 3], [220, 10]).encode(COVERAGE);
  const isRefused = (other: Buffer) => "problem" in TimeIndex.decode(other);
  for (let bit = 0; bit < 8 * bytes.length; bit++) {
    const other = Buffer.from(bytes);
    other.writeUInt8(other.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
    expect(isRefused(other)).toBe(true);
  }
  for (let length = 0; length < bytes.length; length++)
    expect(isRefused(bytes.subarray(0, length))).toBe(true);
  expect(isRefused(Buffer.concat([bytes, Buffer.alloc(12)]))).toBe(true);
});

test("a batch later than all before it has an entry, or lies within an interval of one that has", () => {
  const random = new SeededRandom(7);
  for (let round = 0; round < 300; round++) {
    const intervalBytes = 1 + random.below(400);
    const builder = new TimeIndexBuilder({ segmentBaseOffset: 50, intervalBytes, maxTimestampMs: -1 });
    let [position, latest, entryAt] = [0, -1, 0];
    for (let n = 0; n < 60; n++) {
      const timestampMs = random.below(1000);
      const before = builder.index.entries;
      builder.note(headerOf(50 + n, timestampMs), position);
      const isEntry = builder.index.entries > before;
      if (isEntry) expect(builder.index.last).toEqual({ timestampMs, relativeOffset: n });
      expect(isEntry).toBe(timestampMs > latest && position - entryAt >= intervalBytes);
      latest = Math.max(latest, timestampMs);
      if (isEntry) entryAt = position;
      position += 64 + random.below(200);
    }
  }
});

test("a frame that compaction has emptied is of no time, whatever its header keeps", () => {
  const builder = new TimeIndexBuilder({ segmentBaseOffset: 0, intervalBytes: 1, maxTimestampMs: -1 });
  builder.note(headerOf(0, 5), 0);
  builder.note({ ...headerOf(1, 900), recordCount: 0 }, 70);
  builder.note(headerOf(2, 6), 140);
  expect(builder.index.list()).toEqual([{ timestampMs: 6, relativeOffset: 2 }]);
});

test("what follows a part that was loaded continues it, or is refused", () => {
  const behind = () => {
    const builder = new TimeIndexBuilder({ segmentBaseOffset: 0, intervalBytes: 1000, maxTimestampMs: 100 });
    builder.note(headerOf(10, 90), 2000);
    builder.note(headerOf(11, 120), 2100);
    return builder;
  };
  const builder = behind();
  expect(builder.startBehind(indexOf([40, 2], [100, 7]), null)).toBe(true);
  expect(builder.index.list().map(({ relativeOffset }) => relativeOffset)).toEqual([2, 7, 11]);
  expect(behind().startBehind(indexOf([120, 7]), null)).toBe(false);
  expect(behind().startBehind(indexOf([100, 11]), null)).toBe(false);
});
