import { expect, test } from "vitest";
import { encodeBatch } from "./batch.ts";
import { BatchBuilder } from "./batch-builder.ts";
import { HEADER_BYTES } from "./batch-header.ts";
import type { Record } from "./record.ts";
import { recordBytes } from "./records-section.ts";

function record(value: string, timestampMs = 1_000): Record {
  const headers = [{ key: "größe", value: Buffer.from("xl") }];
  return { key: Buffer.from("k"), value: Buffer.from(value), timestampMs, headers };
}

const RECORDS = [record("one"), record("x".repeat(300), 900), record("", 2_000_000), record("four")];

const ROOMS = [0, HEADER_BYTES, 150, 10_000].flatMap((bytes) => [
  ["expected bytes", bytes, bytes] as const,
  ["bytes of used memory", bytes, Buffer.alloc(bytes, 0xee)] as const,
]);

test.each(ROOMS)(
  "a batch that grows from %s (%d) has the bytes of one that was encoded as a whole",
  (_what, _bytes, room) => {
    const builder = new BatchBuilder(room);
    for (const each of RECORDS) expect(builder.add(each)).toBe(true);
    expect(builder.recordCount).toBe(RECORDS.length);
    const { frameBytes } = builder;
    const producer = { producerId: 7, producerEpoch: 1, baseSequence: 40, transactional: true };
    const frame = builder.finish(producer);
    expect(frame).toEqual(encodeBatch({ records: RECORDS, ...producer }));
    expect(frame.length).toBe(frameBytes);
  },
);

test("a record that does not fit is left out, and the batch is as if it had never come", () => {
  const builder = new BatchBuilder(HEADER_BYTES);
  const [first, second] = RECORDS as [Record, Record];
  const bytesMax = HEADER_BYTES + recordBytes(first, 0, first.timestampMs);
  expect(builder.add(first, bytesMax - 1)).toBe(false);
  expect(builder.add(first, bytesMax)).toBe(true);
  expect(builder.add(second, bytesMax)).toBe(false);
  expect(builder.frameBytes).toBe(bytesMax);
  expect(builder.finish()).toEqual(encodeBatch({ records: [first] }));
});

test("a record is copied when it is added", () => {
  const value = Buffer.from("before");
  const expected = encodeBatch({ records: [{ ...record(""), value: Buffer.from(value) }] });
  const builder = new BatchBuilder(HEADER_BYTES);
  builder.add({ ...record(""), value });
  value.write("after!");
  expect(builder.finish()).toEqual(expected);
});

test("an empty batch and a time out of range are refused", () => {
  expect(() => new BatchBuilder(HEADER_BYTES).finish()).toThrow(RangeError);
  expect(() => new BatchBuilder(HEADER_BYTES).add(record("a", -1))).toThrow(/record 0 has timestamp -1/);
});
