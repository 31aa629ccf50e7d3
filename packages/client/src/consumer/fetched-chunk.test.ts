import { crc32 } from "node:zlib";
import { compression } from "@minikafka/compression";
import {
  assignBatch,
  emptiedFrame,
  encodeBatch,
  encodeMarker,
  gapFrame,
  packedFrame,
  thinnedFrame,
} from "@minikafka/record";
import { expect, test } from "vitest";
import type { ConsumerRecord } from "./consumer-record.ts";
import { FetchedChunk } from "./fetched-chunk.ts";

const place = { topic: "orders", partition: 3 };

function frame(baseOffset: number, values: readonly string[]): Buffer {
  const records = values.map((value) => ({
    key: null,
    value: Buffer.from(value),
    timestampMs: 5,
    headers: [],
  }));
  const bytes = encodeBatch({ records });
  assignBatch(bytes, { baseOffset, leaderEpoch: 0 });
  return bytes;
}

function take(chunk: FetchedChunk, position: number, countMax: number): ConsumerRecord[] {
  const records: ConsumerRecord[] = [];
  chunk.take(position, countMax, records);
  return records;
}

test("records below the position are skipped, though their frame came along", () => {
  const chunk = new FetchedChunk(place, Buffer.concat([frame(0, ["a", "b"]), frame(2, ["c", "d"])]), 4);
  expect(take(chunk, 3, 10)).toEqual([
    {
      ...place,
      offset: 3,
      key: null,
      value: Buffer.from("d"),
      timestampMs: 5,
      timestampType: "create",
      headers: [],
    },
  ]);
  expect(chunk.isExhausted(4)).toBe(true);
});

test("records come out once and in order, however few are taken at a time", () => {
  const chunk = new FetchedChunk(place, Buffer.concat([frame(0, ["a", "b"]), frame(7, ["c"])]), 9);
  const offsets: number[] = [];
  for (let position = 0; !chunk.isExhausted(position); ) {
    const [record] = take(chunk, position, 1);
    if (record === undefined) throw new Error("not exhausted, and nothing came");
    offsets.push(record.offset);
    position = record.offset + 1;
  }
  expect(offsets).toEqual([0, 1, 7]);
  expect(chunk.nextOffset).toBe(9);
});

test("what compaction has left of batches is stepped over: gaps, headers without records, and records that are gone", () => {
  const thinned = thinnedFrame(frame(5, ["a", "b", "c"]), {
    stays: ({ offsetDelta }) => offsetDelta === 1,
    deleteHorizonMs: 9,
  });
  const frames = [
    gapFrame({ baseOffset: 0, nextOffset: 4, leaderEpoch: 0 }),
    emptiedFrame(frame(4, ["gone"])),
    thinned,
    gapFrame({ baseOffset: 8, nextOffset: 12, leaderEpoch: 0 }),
  ];
  const chunk = new FetchedChunk(place, Buffer.concat(frames), 12);
  expect(chunk.isExhausted(2)).toBe(false);
  expect(take(chunk, 2, 10).map(({ offset, timestampMs }) => [offset, timestampMs])).toEqual([[6, 5]]);
  expect(chunk.isExhausted(7)).toBe(true);
  expect(chunk.nextOffset).toBe(12);
  const gap = new FetchedChunk(place, frames[0] as Buffer, 4);
  expect(gap.isExhausted(0)).toBe(true);
});

test("damage is reported where it is, after what was whole before it", () => {
  const bytes = Buffer.concat([frame(0, ["a", "b"]), frame(2, ["c"])]);
  bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1;
  const chunk = new FetchedChunk(place, bytes, 3);
  expect(take(chunk, 0, 10).map(({ offset }) => offset)).toEqual([0, 1]);
  expect(chunk.isExhausted(2)).toBe(false);
  expect(() => take(chunk, 2, 10)).toThrow(
    expect.objectContaining({ code: "CORRUPT_BATCH", details: expect.objectContaining({ topic: "orders" }) }),
  );
});

test("a frame that is cut off is damage, not an end", () => {
  const whole = frame(0, ["a"]);
  const chunk = new FetchedChunk(place, whole.subarray(0, whole.length - 3), 1);
  expect(() => take(chunk, 0, 1)).toThrow(expect.objectContaining({ code: "CORRUPT_BATCH" }));
});

test("a chunk without a byte is exhausted at once", () => {
  expect(new FetchedChunk(place, Buffer.alloc(0), 12).isExhausted(10)).toBe(true);
});

/** A batch of a transaction of producer `producerId`. */
function ofTransaction(baseOffset: number, producerId: number, values: readonly string[]): Buffer {
  const records = values.map((value) => ({
    key: null,
    value: Buffer.from(value),
    timestampMs: 5,
    headers: [],
  }));
  const sequence = { producerId, producerEpoch: 0, baseSequence: 0, transactional: true };
  const bytes = encodeBatch({ records, ...sequence });
  assignBatch(bytes, { baseOffset, leaderEpoch: 0 });
  return bytes;
}

function marker(baseOffset: number, producerId: number, control: "commit" | "abort"): Buffer {
  const facts = {
    control,
    producerId,
    producerEpoch: 1,
    coordinatorEpoch: 0,
    firstOffset: 0,
    timestampMs: 5,
  };
  const bytes = encodeMarker(facts);
  assignBatch(bytes, { baseOffset, leaderEpoch: 0 });
  return bytes;
}

test("records of aborted transactions are passed over, and so are the markers of all", () => {
  const bytes = Buffer.concat([
    ofTransaction(0, 1, ["kept"]),
    ofTransaction(1, 2, ["gone", "gone too"]),
    frame(3, ["plain"]),
    marker(4, 2, "abort"),
    marker(5, 1, "commit"),
    ofTransaction(6, 2, ["later"]),
    marker(7, 2, "commit"),
  ]);
  const aborted = [{ producerId: 2, firstOffset: 1, lastOffset: 4 }];
  const chunk = new FetchedChunk(place, bytes, 8, aborted);
  expect(take(chunk, 0, 10).map(({ value }) => value?.toString())).toEqual(["kept", "plain", "later"]);
  expect(chunk.isExhausted(7)).toBe(true);
});

test("what is aborted is hidden also when reading begins in its middle", () => {
  const bytes = Buffer.concat([
    ofTransaction(4, 2, ["gone"]),
    marker(5, 2, "abort"),
    ofTransaction(6, 2, ["b"]),
  ]);
  const chunk = new FetchedChunk(place, bytes, 7, [{ producerId: 2, firstOffset: 0, lastOffset: 5 }]);
  expect(take(chunk, 4, 10).map(({ offset }) => offset)).toEqual([6]);
});

test.each(["gzip", "snappy", "lz4", "zstd"] as const)(
  "records that were packed with %s come out",
  (codec) => {
    const packed = packedFrame(frame(2, ["a", "b"]), codec, compression);
    const chunk = new FetchedChunk(place, Buffer.concat([frame(0, ["x", "y"]), packed, frame(4, ["c"])]), 5);
    expect(take(chunk, 1, 10).map(({ offset, value }) => `${offset} ${value}`)).toEqual([
      ...["1 y", "2 a", "3 b", "4 c"],
    ]);
  },
);

test("records that cannot be unpacked are CORRUPT_BATCH, after those before them were handed out", () => {
  const packed = packedFrame(frame(1, ["a"]), "zstd", compression);
  packed.fill(0, packed.length - 6);
  packed.writeUInt32BE(crc32(packed.subarray(12)), 8);
  const chunk = new FetchedChunk(place, Buffer.concat([frame(0, ["x"]), packed]), 2);
  expect(take(chunk, 0, 10)).toHaveLength(1);
  expect(() => take(chunk, 1, 10)).toThrow(expect.objectContaining({ code: "CORRUPT_BATCH" }));
});
