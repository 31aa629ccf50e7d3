import { expect, test } from "vitest";
import { batch, readBatches, TRANSACTIONAL } from "./batches.ts";
import { crc32c } from "./crc32c.ts";

test("the checksum is CRC-32C: its check value", () => {
  expect(crc32c(Buffer.from("123456789")).toString(16)).toBe("e3069283");
});

test("a batch that is made is read as it was meant", () => {
  const records = [{ key: "a", value: null, timestampDelta: -3 }, { value: "x".repeat(300) }];
  const producer = { producerId: 7, producerEpoch: 1, baseSequence: 9, attributes: TRANSACTIONAL };
  expect(readBatches(batch({ records, ...producer, baseOffset: 5n }))).toMatchObject([
    {
      ...{ baseOffset: 5, lastOffsetDelta: 1, isIntact: true, maxTimestamp: 1_000_000 },
      ...producer,
      content: [
        { key: "a", value: null, timestamp: 999_997 },
        { key: null, value: "x".repeat(300) },
      ],
    },
  ]);
});

test("each part of a batch can be wrong alone", () => {
  const [good] = readBatches(batch());
  const [damaged] = readBatches(batch({ isDamaged: true }));
  expect({ ...damaged, isIntact: true }).toEqual(good);
  expect(batch({ lengthOffBy: 4 }).readInt32BE(8)).toBe(batch().readInt32BE(8) + 4);
  expect(batch({ magic: 1 }).readInt8(16)).toBe(1);
});

test("a part of a batch at the end is no batch", () => {
  const whole = batch();
  expect(readBatches(Buffer.concat([whole, whole.subarray(0, whole.length - 1)]))).toHaveLength(1);
  expect(readBatches(whole.subarray(0, 30))).toEqual([]);
});
