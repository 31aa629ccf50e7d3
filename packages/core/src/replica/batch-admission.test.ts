import { crc32 } from "node:zlib";
import { assignBatch, encodeBatch, packedFrame, readBatchHeader } from "@minikafka/record";
import { describe, expect, test } from "vitest";
import { gzipOnly, packedBatch } from "../../test/packing.ts";
import { LIMITS } from "../limits.ts";
import { type Admission, requireAdmissible } from "./batch-admission.ts";

const alice = { key: Buffer.from("alice"), value: Buffer.from("created"), timestampMs: 5, headers: [] };
const FLAGS = 13;

/** A good frame, changed, with its CRC renewed as a faulty or hostile producer would. */
function forged(change: (frame: Buffer) => void): Buffer {
  const frame = encodeBatch({ records: [alice, alice] });
  change(frame);
  frame.writeUInt32BE(crc32(frame.subarray(12)), 8);
  return frame;
}

function writeInt64(frame: Buffer, value: number, position: number): void {
  frame.writeBigInt64BE(BigInt(value), position);
}

function producedBy(frame: Buffer, [id, epoch, sequence]: readonly [number, number, number]): void {
  writeInt64(frame, id, 46);
  frame.writeInt16BE(epoch, 54);
  frame.writeInt32BE(sequence, 56);
}

function refusal(
  frame: Buffer,
  batchBytesMax: number = LIMITS.batchBytesMax,
  admission: Partial<Admission> = {},
): unknown {
  try {
    requireAdmissible(frame, { batchBytesMax, acks: "all", compression: gzipOnly, ...admission });
    return null;
  } catch (problem) {
    return problem;
  }
}

test.each(["plain", "packed"])(
  "a record without a key is INVALID_RECORD where keys are required, %s",
  (form) => {
    const batch = form === "plain" ? encodeBatch : packedBatch;
    const whole = batch({ records: [alice, { ...alice, key: Buffer.alloc(0) }] });
    expect(refusal(whole, LIMITS.batchBytesMax, { requiresKeys: true })).toBeNull();
    const lacking = batch({ records: [alice, { ...alice, key: null }] });
    expect(refusal(lacking)).toBeNull();
    expect(refusal(lacking, LIMITS.batchBytesMax, { requiresKeys: true })).toMatchObject({
      code: "INVALID_RECORD",
      message: "record 1 has no key; expected one in each record of a compacted topic",
    });
  },
);

test("a whole batch is taken, whatever place it carries", () => {
  const frame = encodeBatch({ records: [alice] });
  expect(refusal(frame)).toBeNull();
  assignBatch(frame, { baseOffset: 7, leaderEpoch: 3 });
  expect(refusal(frame)).toBeNull();
});

test("the fields of an idempotent producer are taken, all three", () => {
  expect(refusal(forged((frame) => producedBy(frame, [7, 32_767, 2 ** 31 - 1])))).toBeNull();
});

test("a batch one byte over the limit is RECORD_TOO_LARGE with both numbers, at the limit it is taken", () => {
  const frame = encodeBatch({ records: [alice] });
  expect(refusal(frame, frame.length)).toBeNull();
  expect(refusal(frame, frame.length - 1)).toMatchObject({
    code: "RECORD_TOO_LARGE",
    message: `the batch has ${frame.length} bytes; expected at most ${frame.length - 1}`,
    details: { batch_bytes: frame.length, batch_bytes_max: frame.length - 1 },
  });
});

test("a damaged, cut or doubled batch is CORRUPT_BATCH", () => {
  const frame = encodeBatch({ records: [alice] });
  const flipped = Buffer.from(frame);
  flipped.writeUInt8(flipped.readUInt8(70) ^ 1, 70);
  for (const bytes of [flipped, frame.subarray(0, -1), Buffer.concat([frame, frame]), Buffer.alloc(0)]) {
    expect(refusal(bytes)).toMatchObject({ code: "CORRUPT_BATCH" });
  }
  expect(refusal(Buffer.concat([frame, Buffer.from("!")]))).toMatchObject({
    message: "1 bytes follow the batch; expected one batch alone",
  });
});

test.each<[string, (frame: Buffer) => void]>([
  ["a commit marker", (frame) => frame.writeUInt8(0x02, FLAGS)],
  ["an abort marker", (frame) => frame.writeUInt8(0x04, FLAGS)],
  ["a transactional batch without a producer", (frame) => frame.writeUInt8(0x01, FLAGS)],
  ["a compressed batch whose records are not compressed", (frame) => frame.writeUInt8(0x08, FLAGS)],
  ["a batch with append times", (frame) => frame.writeUInt8(0x40, FLAGS)],
  ["a batch with a producer id alone", (frame) => writeInt64(frame, 0, 46)],
  ["a batch with a producer epoch alone", (frame) => frame.writeInt16BE(0, 54)],
  ["a batch with a sequence alone", (frame) => frame.writeInt32BE(0, 56)],
  ["a batch with a producer id and no sequence", (frame) => producedBy(frame, [0, 0, -1])],
  ["a batch with a producer id and no epoch", (frame) => producedBy(frame, [0, -1, 0])],
  ["a batch with another negative epoch", (frame) => producedBy(frame, [0, -2, 0])],
  ["a batch with a gap", (frame) => frame.writeInt32BE(5, 26)],
  ["a batch whose inside is wrong", (frame) => frame.writeUInt8(4, 67)],
])("%s from a producer is INVALID_RECORD with a sentence", (_name, change) => {
  expect(refusal(forged(change))).toMatchObject({
    code: "INVALID_RECORD",
    message: expect.stringMatching(/^[a-z].{15,}/),
  });
});

test("a batch of more records than the limit is refused with both numbers", () => {
  const empty = { key: null, value: null, timestampMs: 0, headers: [] };
  const records = Array.from({ length: LIMITS.recordsPerBatchMax + 1 }, () => empty);
  expect(refusal(encodeBatch({ records }))).toMatchObject({
    code: "INVALID_RECORD",
    message: "the batch has 100001 records; expected at most 100000",
  });
  expect(refusal(encodeBatch({ records: records.slice(1) }))).toBeNull();
});

describe("a transactional batch", () => {
  const transactional = (ids: readonly [number, number, number]) =>
    forged((frame) => {
      frame.writeUInt8(0x01, FLAGS);
      producedBy(frame, ids);
    });
  const inTransaction = { inTransaction: true };
  const max = LIMITS.batchBytesMax;

  test("is taken when its coordinator has said that the transaction is open, and asks for acks all", () => {
    expect(refusal(transactional([7, 0, 0]), max, inTransaction)).toBeNull();
    expect(refusal(transactional([7, 0, 0]), max, { ...inTransaction, acks: 1 })).toMatchObject({
      code: "INVALID_REQUEST",
      message: "acks is 1; expected all in a transaction",
    });
  });

  test("is INVALID_TRANSACTION_STATE without that", () => {
    expect(refusal(transactional([7, 0, 0]))).toMatchObject({
      code: "INVALID_TRANSACTION_STATE",
      details: { producer_id: 7 },
    });
  });

  test("is INVALID_RECORD without all three of its producer's fields, but for a coordinator's, which has no sequence", () => {
    const coordinators = { ...inTransaction, origin: "coordinator" } as const;
    for (const ids of [
      [-1, 0, 0],
      [7, -1, 0],
      [7, 0, -1],
    ] as const)
      expect(refusal(transactional(ids), max, inTransaction)).toMatchObject({ code: "INVALID_RECORD" });
    expect(refusal(transactional([7, 0, -1]), max, coordinators)).toBeNull();
    for (const ids of [
      [-1, 0, -1],
      [7, -1, -1],
      [7, 0, 0],
    ] as const)
      expect(refusal(transactional(ids), max, coordinators)).toMatchObject({ code: "INVALID_RECORD" });
  });

  test("a plain one that is said to be in a transaction is INVALID_REQUEST", () => {
    expect(refusal(encodeBatch({ records: [alice] }), max, inTransaction)).toMatchObject({
      code: "INVALID_REQUEST",
    });
  });
});

describe("a compressed batch", () => {
  const max = LIMITS.batchBytesMax;

  /** The plain frame, changed, then packed: what is wrong lies within. */
  const packedWith = (change: (plain: Buffer) => void) => packedFrame(forged(change), "gzip", gzipOnly);

  test("is taken with the records that its header tells of, and not one of its bytes is changed", () => {
    const frame = packedBatch({ records: [alice, alice] });
    const before = Buffer.from(frame);
    expect(refusal(frame)).toBeNull();
    expect(frame.equals(before)).toBe(true);
  });

  test("is UNSUPPORTED_COMPRESSION_TYPE where nothing reads its codec, and where nothing reads any", () => {
    const gzip = packedBatch({ records: [alice] });
    const lz4 = forged((frame) => frame.writeUInt8(0x18, FLAGS));
    expect(refusal(gzip, max, { compression: undefined })).toMatchObject({
      code: "UNSUPPORTED_COMPRESSION_TYPE",
      message: "gzip cannot be read here",
    });
    expect(refusal(lz4)).toMatchObject({ code: "UNSUPPORTED_COMPRESSION_TYPE" });
  });

  test.each<[string, (plain: Buffer) => void]>([
    ["whose inside is wrong", (plain) => plain.writeUInt8(4, 67)],
    ["with more records than it says", (plain) => plain.writeUInt32BE(1, 60)],
    ["with a gap", (plain) => plain.writeInt32BE(5, 26)],
  ])("%s is INVALID_RECORD, as a plain one is", (_name, change) => {
    expect(refusal(packedWith(change))).toMatchObject({ code: "INVALID_RECORD" });
  });

  test("that was cut, or says that it is of another codec, is INVALID_RECORD", () => {
    const packed = packedBatch({ records: [alice] });
    const cut = Buffer.from(packed.subarray(0, -9));
    cut.writeUInt32BE(cut.length - 12, 4);
    cut.writeUInt32BE(crc32(cut.subarray(12)), 8);
    expect(refusal(cut)).toMatchObject({ code: "INVALID_RECORD" });
  });

  test("that unpacks to more than the bound is RECORD_TOO_LARGE, and nothing larger is made of it", () => {
    const bomb = Buffer.concat([alice.value, Buffer.alloc(LIMITS.unpackedBytesMax)]);
    const frame = packedBatch({ records: [{ ...alice, value: bomb }] });
    expect(frame.length).toBeLessThan(100_000);
    expect(refusal(frame)).toMatchObject({
      code: "RECORD_TOO_LARGE",
      details: { unpacked_bytes_max: LIMITS.unpackedBytesMax },
    });
  });

  test("gets the latest time of its records, which nobody knew before it was unpacked, and stays sound", () => {
    const later = { ...alice, timestampMs: 9 };
    const frame = packedBatch({ records: [alice, later] });
    const right = Buffer.from(frame);
    writeInt64(frame, 5, 38);
    frame.writeUInt32BE(crc32(frame.subarray(12)), 8);
    expect(refusal(frame)).toBeNull();
    expect(readBatchHeader(frame).maxTimestampMs).toBe(9);
    expect(frame.equals(right)).toBe(true);
  });
});
