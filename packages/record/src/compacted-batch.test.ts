import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { assignBatch, encodeBatch, stampAppendTime } from "./batch.ts";
import { HEADER_BYTES, POSITION, readBatchHeader } from "./batch-header.ts";
import { emptiedFrame, GAP_OFFSETS_MAX, gapFrame, isGap, thinnedFrame } from "./compacted-batch.ts";
import { frameProblem } from "./frame-check.ts";
import { sealFrame } from "./frame-seal.ts";
import { type Record, TIMESTAMP_MS_MAX } from "./record.ts";
import { recordsProblem, storedRecordsProblem } from "./records-check.ts";
import { decodeRecords } from "./records-section.ts";

const FRAME_BYTES_MAX = 1 << 20;

const bytes = fc.option(
  fc.uint8Array({ maxLength: 40 }).map((value) => Buffer.from(value)),
  { nil: null },
);
const time = fc.oneof(
  fc.integer({ min: 0, max: TIMESTAMP_MS_MAX }),
  fc.constantFrom(0, 1_700_000_000_000, TIMESTAMP_MS_MAX),
);
const record: fc.Arbitrary<Record> = fc.record({
  key: bytes,
  value: bytes,
  timestampMs: time,
  headers: fc.array(fc.record({ key: fc.string({ maxLength: 9 }), value: bytes }), { maxLength: 2 }),
});
/** Records, and which of them stay: at least one. */
const thinning = fc
  .array(fc.tuple(record, fc.boolean()), { minLength: 1, maxLength: 30 })
  .filter((each) => each.some(([, stays]) => stays));

function placed(records: readonly Record[], baseOffset = 1000): Buffer {
  const frame = encodeBatch({ records, producerId: 7, producerEpoch: 2, baseSequence: 40 });
  assignBatch(frame, { baseOffset, leaderEpoch: 3 });
  return frame;
}

function problemOf(frame: Buffer): string | null {
  return frameProblem(frame, 0, FRAME_BYTES_MAX) ?? storedRecordsProblem(frame);
}

const text = (value: string, timestampMs = 5): Record => ({
  key: Buffer.from(value),
  value: Buffer.from(value),
  timestampMs,
  headers: [],
});

test("a thinned batch holds the records that stay, with their offsets and times, and covers the same offsets", () => {
  fc.assert(
    fc.property(thinning, fc.option(time, { nil: null }), (each, deleteHorizonMs) => {
      const frame = placed(each.map(([content]) => content));
      const before = readBatchHeader(frame);
      const thinned = thinnedFrame(frame, {
        stays: ({ offsetDelta }) => each[offsetDelta]?.[1] === true,
        deleteHorizonMs,
      });
      expect(problemOf(thinned)).toBeNull();
      expect(decodeRecords(thinned)).toEqual(decodeRecords(frame).filter((_, index) => each[index]?.[1]));
      const { baseOffset, lastOffsetDelta, leaderEpoch, producerId, producerEpoch, baseSequence } = before;
      expect(readBatchHeader(thinned)).toMatchObject({
        ...{ baseOffset, lastOffsetDelta, leaderEpoch, producerId, producerEpoch, baseSequence },
        deleteHorizonMs,
      });
    }),
  );
});

test("a thinned batch keeps the append time that its leader gave, for each record that stays", () => {
  const frame = placed([text("a", 9), text("b", 7)]);
  stampAppendTime(frame, 4_000_000_000_000);
  for (const deleteHorizonMs of [null, 1_000_000]) {
    const thinned = thinnedFrame(frame, { stays: ({ offsetDelta }) => offsetDelta === 1, deleteHorizonMs });
    expect(problemOf(thinned)).toBeNull();
    expect(decodeRecords(thinned)).toMatchObject([{ offset: 1001, timestampMs: 4_000_000_000_000 }]);
  }
});

test("a batch that is thinned again keeps its delete horizon, and every time stays what it was", () => {
  const frame = placed([text("a", 9), text("b", 4_000_000_000_000), text("c", 7)]);
  const once = thinnedFrame(frame, { stays: () => true, deleteHorizonMs: 1_000_000 });
  const twice = thinnedFrame(once, { stays: ({ offsetDelta }) => offsetDelta !== 1, deleteHorizonMs: null });
  expect(problemOf(twice)).toBeNull();
  expect(readBatchHeader(twice)).toMatchObject({
    deleteHorizonMs: 1_000_000,
    maxTimestampMs: 9,
    recordCount: 2,
  });
  expect(decodeRecords(twice).map(({ offset, timestampMs }) => [offset, timestampMs])).toEqual([
    [1000, 9],
    [1002, 7],
  ]);
});

test("a batch of which everything stays, and that gets no horizon, has the same bytes", () => {
  const frame = placed([text("a"), text("b")]);
  expect(thinnedFrame(frame, { stays: () => true, deleteHorizonMs: null })).toEqual(frame);
});

test("an emptied batch keeps what it says of its producer, its offsets and its latest time", () => {
  const frame = placed([text("a", 11), text("b", 30)]);
  const horizon = thinnedFrame(frame, { stays: () => true, deleteHorizonMs: 77 });
  for (const each of [frame, horizon]) {
    const empty = emptiedFrame(each);
    expect(empty).toHaveLength(HEADER_BYTES);
    expect(problemOf(empty)).toBeNull();
    expect(decodeRecords(empty)).toEqual([]);
    expect(readBatchHeader(empty)).toMatchObject({
      ...{ baseOffset: 1000, nextOffset: 1002, leaderEpoch: 3, recordCount: 0, maxTimestampMs: 30 },
      ...{ producerId: 7, producerEpoch: 2, baseSequence: 40, deleteHorizonMs: null },
    });
    expect(isGap(readBatchHeader(empty))).toBe(false);
  }
});

test("a gap covers its offsets and says nothing else", () => {
  const gap = gapFrame({ baseOffset: 2 ** 40, nextOffset: 2 ** 40 + GAP_OFFSETS_MAX, leaderEpoch: 9 });
  expect(problemOf(gap)).toBeNull();
  expect(decodeRecords(gap)).toEqual([]);
  const header = readBatchHeader(gap);
  expect(isGap(header)).toBe(true);
  expect(header).toMatchObject({ nextOffset: 2 ** 40 + GAP_OFFSETS_MAX, leaderEpoch: 9, maxTimestampMs: -1 });
  expect(() => gapFrame({ baseOffset: 5, nextOffset: 5, leaderEpoch: 0 })).toThrow("a gap of 0 offsets");
  expect(() => gapFrame({ baseOffset: 0, nextOffset: GAP_OFFSETS_MAX + 1, leaderEpoch: 0 })).toThrow(
    "a gap of",
  );
});

describe("what no compaction writes is refused", () => {
  const thinned = () =>
    thinnedFrame(placed([text("a"), text("b"), text("c")]), {
      stays: ({ offsetDelta }) => offsetDelta !== 1,
      deleteHorizonMs: null,
    });
  const secondDelta = (frame: Buffer) => HEADER_BYTES + (frame.length - HEADER_BYTES) / 2 + 3;

  test.each<[string, (frame: Buffer) => void, RegExp]>([
    [
      "offsets that stand still",
      (frame) => frame.writeUInt8(0, secondDelta(frame)),
      /offset delta 0; expected 1/,
    ],
    [
      "an offset past the last",
      (frame) => frame.writeUInt8(6, secondDelta(frame)),
      /offset delta 3; expected 1 to 2/,
    ],
    [
      "bytes without a record",
      (frame) => frame.writeUInt32BE(1, POSITION.recordCount),
      /bytes follow the last/,
    ],
    [
      "another latest time",
      (frame) => frame.writeUInt8(9, POSITION.maxTimestampMs + 7),
      /max timestamp is 9/,
    ],
    ["a horizon of -1", (frame) => frame.fill(0xff, POSITION.firstTimestampMs, 38), /timestamp|horizon/],
  ])("%s", (_name, change, problem) => {
    const frame = thinned();
    expect(problemOf(frame)).toBeNull();
    change(frame);
    sealFrame(frame);
    expect(problemOf(frame)).toMatch(problem);
  });

  test("a producer sends neither a thinned batch, an empty one, a gap nor a horizon", () => {
    const frame = placed([text("a")]);
    const gap = gapFrame({ baseOffset: 0, nextOffset: 1, leaderEpoch: 0 });
    const horizon = thinnedFrame(frame, { stays: () => true, deleteHorizonMs: 5 });
    for (const each of [thinned(), emptiedFrame(frame), gap, horizon])
      expect(recordsProblem(each)).not.toBeNull();
    expect(recordsProblem(frame)).toBeNull();
  });
});

test("random bytes in a stored batch never break the walk or the decoder differently", () => {
  fc.assert(
    fc.property(fc.nat(), fc.uint8Array({ minLength: 1, maxLength: 8 }), (where, noise) => {
      const frame = thinnedFrame(placed([text("alice"), text("bob"), text("carol")]), {
        stays: ({ offsetDelta }) => offsetDelta !== 1,
        deleteHorizonMs: 3,
      });
      frame.set(noise, HEADER_BYTES + (where % (frame.length - HEADER_BYTES - noise.length)));
      if (storedRecordsProblem(frame) === null) expect(decodeRecords(frame)).toHaveLength(2);
    }),
    { numRuns: 3000 },
  );
});
