import { crc32 } from "node:zlib";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { assignBatch, encodeBatch, stampAppendTime, stampProducer } from "./batch.ts";
import { HEADER_BYTES, POSITION, readBatchHeader } from "./batch-header.ts";
import { frameProblem, splitFrames } from "./frame-check.ts";
import { HEADERS_PER_RECORD_MAX, type Record, TIMESTAMP_MS_MAX } from "./record.ts";
import { recordsProblem } from "./records-check.ts";
import { decodeRecords, recordBytes } from "./records-section.ts";

const FRAME_BYTES_MAX = 1 << 20;

const bytes = fc.option(
  fc.uint8Array({ maxLength: 300 }).map((value) => Buffer.from(value)),
  { nil: null },
);
const record: fc.Arbitrary<Record> = fc.record({
  key: bytes,
  value: bytes,
  timestampMs: fc.oneof(
    fc.integer({ min: 0, max: TIMESTAMP_MS_MAX }),
    fc.constantFrom(0, 1_700_000_000_000, TIMESTAMP_MS_MAX),
  ),
  headers: fc.array(
    fc.record({
      key: fc.string({ unit: "binary", maxLength: 20 }).map((text) => Buffer.from(text).toString()),
      value: bytes,
    }),
    { maxLength: 4 },
  ),
});
const records = fc.array(record, { minLength: 1, maxLength: 20 });

const alice: Record = {
  key: Buffer.from("alice"),
  value: Buffer.from("created"),
  timestampMs: 1_700_000_000_000,
  headers: [],
};

test("what is decoded is what was encoded: null and empty, headers in order, any time", () => {
  fc.assert(
    fc.property(records, fc.nat({ max: 2 ** 40 }), (content, baseOffset) => {
      const frame = encodeBatch({ records: content });
      expect(frameProblem(frame, 0, FRAME_BYTES_MAX)).toBeNull();
      expect(recordsProblem(frame)).toBeNull();
      assignBatch(frame, { baseOffset, leaderEpoch: 7 });
      expect(frameProblem(frame, 0, FRAME_BYTES_MAX)).toBeNull();
      expect(decodeRecords(frame)).toEqual(
        content.map((each, index) => ({ ...each, offset: baseOffset + index })),
      );
    }),
  );
});

test("a batch that got an append time gives it to each of its records, and is as sound as before", () => {
  fc.assert(
    fc.property(records, fc.nat({ max: TIMESTAMP_MS_MAX }), (content, appendTimeMs) => {
      const frame = encodeBatch({ records: content });
      stampAppendTime(frame, appendTimeMs);
      assignBatch(frame, { baseOffset: 5, leaderEpoch: 7 });
      expect(frameProblem(frame, 0, FRAME_BYTES_MAX)).toBeNull();
      expect(readBatchHeader(frame)).toMatchObject({ timestampType: "append", maxTimestampMs: appendTimeMs });
      expect(decodeRecords(frame)).toEqual(
        content.map((each, index) => ({ ...each, timestampMs: appendTimeMs, offset: 5 + index })),
      );
    }),
  );
});

test("damage in a batch is still seen after it got an append time", () => {
  const frame = encodeBatch({ records: [alice] });
  frame[frame.length - 1] = (frame.at(-1) as number) ^ 1;
  stampAppendTime(frame, 1);
  expect(frameProblem(frame, 0, FRAME_BYTES_MAX)).toContain("CRC");
});

test("the size that is foretold is the size that is written", () => {
  fc.assert(
    fc.property(records, (content) => {
      const first = (content[0] as Record).timestampMs;
      const foretold = content.reduce(
        (sum, each, index) => sum + recordBytes(each, index, first),
        HEADER_BYTES,
      );
      expect(encodeBatch({ records: content }).length).toBe(foretold);
    }),
  );
});

test("the header says what the batch holds, before and after the leader gave it a place", () => {
  const frame = encodeBatch({
    records: [
      { ...alice, timestampMs: 5 },
      { ...alice, timestampMs: 9 },
      { ...alice, timestampMs: 2 },
    ],
  });
  expect(readBatchHeader(frame)).toMatchObject({
    frameBytes: frame.length,
    version: 1,
    transactional: false,
    control: null,
    codec: "none",
    timestampType: "create",
    baseOffset: -1,
    leaderEpoch: -1,
    lastOffsetDelta: 2,
    firstTimestampMs: 5,
    maxTimestampMs: 9,
    producerId: -1,
    producerEpoch: -1,
    baseSequence: -1,
    recordCount: 3,
    nextOffset: 2,
  });
  const before = Buffer.from(frame);
  assignBatch(frame, { baseOffset: 2 ** 52, leaderEpoch: 3 });
  expect(readBatchHeader(frame)).toMatchObject({
    baseOffset: 2 ** 52,
    leaderEpoch: 3,
    nextOffset: 2 ** 52 + 3,
  });
  expect(frame.subarray(POSITION.lastOffsetDelta).equals(before.subarray(POSITION.lastOffsetDelta))).toBe(
    true,
  );
});

test("a place that is given does not cover up damage that came before it", () => {
  const frame = encodeBatch({ records: [alice] });
  assignBatch(frame, { baseOffset: 3, leaderEpoch: 1 });
  expect(frameProblem(frame, 0, FRAME_BYTES_MAX)).toBeNull();
  frame[frame.length - 1] = (frame.at(-1) as number) ^ 1;
  assignBatch(frame, { baseOffset: 4, leaderEpoch: 1 });
  expect(frameProblem(frame, 0, FRAME_BYTES_MAX)).toMatch(/^CRC is/);
});

test("a batch without records and a time out of range are refused by the encoder", () => {
  expect(() => encodeBatch({ records: [] })).toThrow(RangeError);
  for (const timestampMs of [-1, 0.5, Number.NaN, TIMESTAMP_MS_MAX + 1]) {
    expect(() => encodeBatch({ records: [{ ...alice, timestampMs }] })).toThrow(/record 0 has timestamp/);
  }
});

test("no single flipped bit anywhere in a frame goes unseen", () => {
  const frame = encodeBatch({
    records: [alice, { ...alice, key: null, headers: [{ key: "trace", value: null }] }],
  });
  for (let bit = 0; bit < frame.length * 8; bit += 1) {
    const damaged = Buffer.from(frame);
    damaged[bit >> 3] = (damaged[bit >> 3] as number) ^ (1 << (bit & 7));
    expect(frameProblem(damaged, 0, FRAME_BYTES_MAX), `bit ${bit}`).not.toBeNull();
  }
});

test("a frame cut at any byte is not a frame", () => {
  const frame = encodeBatch({ records: [alice] });
  for (let length = 0; length < frame.length; length += 1) {
    expect(frameProblem(frame.subarray(0, length), 0, FRAME_BYTES_MAX), `${length} bytes`).not.toBeNull();
  }
  expect(frameProblem(frame, 0, frame.length - 1)).toMatch(/expected 64 to/);
});

describe("a batch with a right CRC and a wrong inside is refused", () => {
  /** Changes bytes of a good frame and renews its CRC, as a faulty or hostile producer would. */
  function forged(change: (frame: Buffer) => void): string | null {
    const frame = encodeBatch({ records: [alice, alice, alice] });
    change(frame);
    frame.writeUInt32BE(crc32(frame.subarray(12)), POSITION.crc);
    return frameProblem(frame, 0, FRAME_BYTES_MAX) ?? recordsProblem(frame);
  }

  test.each<[string, (frame: Buffer) => void]>([
    ["too many records for its offsets", (frame) => frame.writeUInt32BE(4, POSITION.recordCount)],
    [
      "fewer records than are there",
      (frame) => {
        frame.writeUInt32BE(2, POSITION.recordCount);
        frame.writeInt32BE(1, POSITION.lastOffsetDelta);
      },
    ],
    [
      "more records than are there",
      (frame) => {
        frame.writeUInt32BE(4e9, POSITION.recordCount);
        frame.writeInt32BE(2 ** 31 - 1, POSITION.lastOffsetDelta);
      },
    ],
    ["no records", (frame) => frame.writeUInt32BE(0, POSITION.recordCount)],
    ["a gap", (frame) => frame.writeInt32BE(5, POSITION.lastOffsetDelta)],
    ["a negative last offset delta", (frame) => frame.writeInt32BE(-1, POSITION.lastOffsetDelta)],
    ["a max timestamp that no record has", (frame) => frame.writeUInt8(1, POSITION.maxTimestampMs + 7)],
    [
      "a first timestamp past the limit",
      (frame) => frame.writeInt32BE(0x7fffffff, POSITION.firstTimestampMs),
    ],
    ["an unknown version", (frame) => frame.writeUInt8(2, POSITION.version)],
    ["a delete horizon", (frame) => frame.writeUInt8(0x80, POSITION.flags)],
    ["commit and abort at once", (frame) => frame.writeUInt8(0x06, POSITION.flags)],
    ["a codec that is not taken", (frame) => frame.writeUInt8(1 << 3, POSITION.flags)],
    ["a codec without a name", (frame) => frame.writeUInt8(7 << 3, POSITION.flags)],
    ["record attributes", (frame) => frame.writeUInt8(1, HEADER_BYTES + 1)],
    ["a record's length that is too long", (frame) => frame.writeUInt8(0x7e, HEADER_BYTES)],
    ["a record's offset delta", (frame) => frame.writeUInt8(4, HEADER_BYTES + 3)],
    ["a key longer than its record", (frame) => frame.writeUInt8(0x7e, HEADER_BYTES + 4)],
    ["a negative key length", (frame) => frame.writeUInt8(0x03, HEADER_BYTES + 4)],
  ])("%s", (_name, change) => {
    expect(forged(change)).not.toBeNull();
    expect(forged(() => undefined)).toBeNull();
  });

  test("a header's name that is not UTF-8", () => {
    const frame = encodeBatch({ records: [{ ...alice, headers: [{ key: "h", value: null }] }] });
    expect(recordsProblem(frame)).toBeNull();
    frame.writeUInt8(0xff, frame.lastIndexOf("h"));
    expect(recordsProblem(frame)).toMatch(/header of record 0 .* not UTF-8/);
  });

  test("more headers in a record, or in a batch, than memory should be asked for", () => {
    const holding = (headers: number) => ({
      ...alice,
      headers: Array.from({ length: headers }, () => ({ key: "", value: null })),
    });
    const problem = (records: Record[]) => recordsProblem(encodeBatch({ records }));
    expect(problem([holding(HEADERS_PER_RECORD_MAX)])).toBeNull();
    expect(problem([holding(HEADERS_PER_RECORD_MAX + 1)])).toMatch(/record 0 has 1001 headers/);
    const full = Array.from({ length: 100 }, () => holding(HEADERS_PER_RECORD_MAX));
    expect(problem(full)).toBeNull();
    expect(problem([...full, holding(1)])).toMatch(/the batch has more than 100000 headers/);
  });

  test("random bytes in the records section never break the walk or the decoder differently", () => {
    fc.assert(
      fc.property(fc.nat(), fc.uint8Array({ minLength: 1, maxLength: 8 }), (where, noise) => {
        const frame = encodeBatch({ records: [alice, alice, alice] });
        frame.set(noise, HEADER_BYTES + (where % (frame.length - HEADER_BYTES - noise.length)));
        // What the walk lets through, the decoder must be able to read.
        if (recordsProblem(frame) === null) expect(decodeRecords(frame)).toHaveLength(3);
      }),
      { numRuns: 3000 },
    );
  });
});

test("frames that follow each other are split at their borders, and rubbish between them is named by its position", () => {
  const frames = [1, 2, 3].map((size) => encodeBatch({ records: Array.from({ length: size }, () => alice) }));
  expect(splitFrames(Buffer.concat(frames))).toEqual(frames);
  expect(splitFrames(Buffer.alloc(0))).toEqual([]);
  const [first, second] = frames as [Buffer, Buffer];
  expect(() => splitFrames(Buffer.concat([first, second.subarray(0, -1)]))).toThrow(
    new RegExp(`at byte ${first.length} of`),
  );
});

test("a batch that gets its producer afterwards, and another one later, has the bytes as if it had been encoded so", () => {
  const sequence = fc.record({
    producerId: fc.nat(),
    producerEpoch: fc.nat(32_767),
    baseSequence: fc.nat(2 ** 31 - 1),
  });
  const record = { key: null, value: Buffer.from("paid"), timestampMs: 5, headers: [] };
  fc.assert(
    fc.property(sequence, sequence, (first, second) => {
      const frame = encodeBatch({ records: [record, record] });
      for (const each of [first, second]) {
        stampProducer(frame, each);
        expect(frame).toEqual(encodeBatch({ records: [record, record], ...each }));
      }
    }),
  );
});

test("a batch that becomes one of a transaction has the bytes as if it had been encoded so, and stays one", () => {
  const record = { key: null, value: Buffer.from("paid"), timestampMs: 5, headers: [] };
  const first = { producerId: 7, producerEpoch: 1, baseSequence: 0, transactional: true };
  const frame = encodeBatch({ records: [record] });
  for (const sequence of [first, { ...first, baseSequence: 5 }]) {
    stampProducer(frame, sequence);
    expect(frame).toEqual(encodeBatch({ records: [record], ...sequence }));
  }
});
