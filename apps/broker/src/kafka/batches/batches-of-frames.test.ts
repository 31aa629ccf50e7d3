import {
  assignBatch,
  emptiedFrame,
  encodeBatch,
  encodeMarker,
  gapFrame,
  readBatchHeader,
  stampAppendTime,
  thinnedFrame,
} from "@minikafka/record";
import { expect, test } from "vitest";
import { readByKafkaJs, readByPlatformatic } from "../../../test/support/npm-batches.ts";
import { BATCH_HEADER_BYTES, PLACE } from "./batch-layout.ts";
import { batchesOfFrames } from "./batches-of-frames.ts";
import { crc32c } from "./crc32c.ts";

const NOW_MS = 1_700_000_000_000;

function frameAt(baseOffset: number, values: readonly string[]): Buffer {
  const records = values.map((value, index) => ({
    key: Buffer.from("k"),
    value: Buffer.from(value),
    timestampMs: NOW_MS + index,
    headers: [],
  }));
  return placed(encodeBatch({ producerId: 4, producerEpoch: 0, baseSequence: 0, records }), baseOffset);
}

function markerAt(baseOffset: number, control: "commit" | "abort"): Buffer {
  return placed(
    encodeMarker({
      control,
      producerId: 4,
      producerEpoch: 1,
      coordinatorEpoch: 9,
      firstOffset: 0,
      timestampMs: NOW_MS,
    }),
    baseOffset,
  );
}

function placed(frame: Buffer, baseOffset: number): Buffer {
  assignBatch(frame, { baseOffset, leaderEpoch: 6 });
  return frame;
}

/** The headers of batches that lie behind each other, each with its checksum's verdict. */
function headersOf(batches: Buffer) {
  const headers = [];
  for (let at = 0; at < batches.length; ) {
    const end = at + 12 + batches.readInt32BE(at + PLACE.length);
    const batch = batches.subarray(at, end);
    headers.push({
      baseOffset: Number(batch.readBigInt64BE(PLACE.baseOffset)),
      leaderEpoch: batch.readInt32BE(PLACE.leaderEpoch),
      attributes: batch.readInt16BE(PLACE.attributes),
      lastOffsetDelta: batch.readInt32BE(PLACE.lastOffsetDelta),
      recordCount: batch.readInt32BE(PLACE.recordCount),
      isSound: batch.readUInt32BE(PLACE.crc) === crc32c(batch.subarray(PLACE.attributes)),
    });
    at = end;
  }
  return headers;
}

test.each([
  ["commit", 1],
  ["abort", 0],
] as const)("a marker that says %s is Kafka's control batch to the byte", (control, type) => {
  const { batches, hasRecords } = batchesOfFrames(markerAt(12, control));
  expect(hasRecords).toBe(true);
  expect(headersOf(batches)).toEqual([
    { baseOffset: 12, leaderEpoch: 6, attributes: 0x30, lastOffsetDelta: 0, recordCount: 1, isSound: true },
  ]);
  const key = [0x08, 0, 0, 0, type];
  const value = [0x0c, 0, 0, 0, 0, 0, 9];
  // 16 bytes follow: attributes, time and offset, key, value, no headers.
  expect([...batches.subarray(BATCH_HEADER_BYTES)]).toEqual([0x20, 0, 0, 0, ...key, ...value, 0]);
});

test("a marker that compaction has given a delete horizon keeps its time, and says the horizon", async () => {
  const frame = thinnedFrame(markerAt(3, "abort"), {
    stays: () => true,
    deleteHorizonMs: NOW_MS + 86_400_000,
  });
  const { batches } = batchesOfFrames(frame);
  expect(headersOf(batches)).toMatchObject([{ attributes: 0x70, isSound: true }]);
  const seen = [{ offset: 3, timestampMs: NOW_MS, isControl: true }];
  expect(await readByKafkaJs(batches)).toMatchObject(seen);
  expect(readByPlatformatic(batches)).toMatchObject(seen);
});

test("what compaction has left of a batch is read at its offsets and times", async () => {
  const frame = thinnedFrame(frameAt(20, ["a", "b", "c"]), {
    stays: ({ offsetDelta }) => offsetDelta === 1,
    deleteHorizonMs: NOW_MS + 500,
  });
  const { batches } = batchesOfFrames(frame);
  expect(headersOf(batches)).toMatchObject([
    { baseOffset: 20, lastOffsetDelta: 2, recordCount: 1, attributes: 0x40, isSound: true },
  ]);
  const seen = [{ offset: 21, timestampMs: NOW_MS + 1, value: Buffer.from("b") }];
  expect(await readByKafkaJs(batches)).toMatchObject(seen);
  expect(readByPlatformatic(batches)).toMatchObject(seen);
});

test("an append time is the time of each record", async () => {
  const frame = frameAt(0, ["a", "b"]);
  stampAppendTime(frame, NOW_MS + 77);
  const { batches } = batchesOfFrames(frame);
  expect(headersOf(batches)).toMatchObject([{ attributes: 0x08, isSound: true }]);
  const seen = [{ timestampMs: NOW_MS + 77 }, { timestampMs: NOW_MS + 77 }];
  expect(await readByKafkaJs(batches)).toMatchObject(seen);
  expect(readByPlatformatic(batches)).toMatchObject(seen);
});

test("gaps and empty batches are left out where records go with them", async () => {
  const empty = emptiedFrame(frameAt(10, ["x", "y"]));
  const gap = gapFrame({ baseOffset: 0, nextOffset: 10, leaderEpoch: 2 });
  const { batches, hasRecords } = batchesOfFrames(Buffer.concat([gap, empty, frameAt(12, ["z"]), empty]));
  expect(hasRecords).toBe(true);
  expect(headersOf(batches)).toMatchObject([{ baseOffset: 12 }]);
  expect(await readByKafkaJs(batches)).toMatchObject([{ offset: 12 }]);
});

test("where there is nothing else the last of them goes alone, so that a position moves behind it", async () => {
  const empty = emptiedFrame(frameAt(0, ["x", "y"]));
  const gap = gapFrame({ baseOffset: 2, nextOffset: 2 + 2 ** 31, leaderEpoch: 2 });
  const { batches, hasRecords } = batchesOfFrames(Buffer.concat([empty, gap]));
  expect(hasRecords).toBe(false);
  expect(batches.length).toBe(BATCH_HEADER_BYTES);
  expect(headersOf(batches)).toEqual([
    {
      baseOffset: 2,
      leaderEpoch: 2,
      attributes: 0,
      lastOffsetDelta: 2 ** 31 - 1,
      recordCount: 0,
      isSound: true,
    },
  ]);
  expect(await readByKafkaJs(batches)).toEqual([]);
  expect(readByPlatformatic(batches)).toEqual([]);
});

test("of no frames there are no batches", () => {
  expect(batchesOfFrames(Buffer.alloc(0))).toEqual({ batches: Buffer.alloc(0), hasRecords: false });
});

test("a frame that does not end where the bytes do is a RangeError", () => {
  const frame = frameAt(0, ["a"]);
  expect(readBatchHeader(frame).frameBytes).toBe(frame.length);
  expect(() => batchesOfFrames(frame.subarray(0, -1))).toThrow(RangeError);
  expect(() => batchesOfFrames(frame.subarray(0, 20))).toThrow(RangeError);
});
