import { crc32c } from "@platformatic/kafka";
import fc from "fast-check";
import { expect, test } from "vitest";
import { batchesIn, encodeBatch, recordsOf } from "./kafka-batch.ts";

const SENDER = { producerId: 7n, producerEpoch: 1, sequence: 5 };

const bytes = fc.option(fc.uint8Array({ maxLength: 20 }).map((each) => Buffer.from(each)));
const record = fc.record({
  key: bytes,
  value: bytes,
  // Any date, and none (-1).
  timestampMs: fc.oneof(fc.constant(-1), fc.nat(), fc.integer({ min: 0, max: 8_640_000_000_000_000 })),
  headers: fc.array(fc.record({ key: fc.constantFrom("a", "b", "é"), value: bytes }), { maxLength: 4 }),
});

test("what is written is read again, whatever the times, headers and nulls, in each codec", () => {
  const codecs = fc.constantFrom("none", "gzip", "snappy", "lz4", "zstd");
  fc.assert(
    fc.property(fc.array(record, { minLength: 1, maxLength: 8 }), codecs, (records, codec) => {
      const [batch, ...others] = batchesIn(encodeBatch(records, SENDER, codec, crc32c), crc32c);
      if (batch === undefined) throw new Error("there is no batch");
      expect(others).toEqual([]);
      expect(recordsOf(batch)).toEqual(records.map((each, offset) => ({ ...each, offset })));
      expect(batch).toMatchObject({ baseOffset: 0, nextOffset: records.length, producerId: "7" });
    }),
  );
});

const one = encodeBatch(
  [{ key: null, value: Buffer.from("v"), timestampMs: 1, headers: [] }],
  SENDER,
  "none",
  crc32c,
);

test("a batch that is cut at the end is left for the next read", () => {
  const two = Buffer.concat([one, one]);
  for (let cut = one.length; cut < two.length; cut += 1)
    expect(batchesIn(two.subarray(0, cut), crc32c)).toHaveLength(1);
});

test("a bit that has turned over is told, wherever the checksum covers it", () => {
  for (let at = 17; at < one.length; at += 1) {
    const damaged = Buffer.from(one);
    damaged[at] = (damaged[at] ?? 0) ^ 1;
    expect(() => batchesIn(damaged, crc32c)).toThrow(expect.objectContaining({ code: "CORRUPT_BATCH" }));
  }
});
