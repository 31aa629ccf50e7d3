import { crc32 } from "node:zlib";
import { assignBatch, encodeBatch } from "@minikafka/record";
import { describe, expect, test } from "vitest";
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
    requireAdmissible(frame, { batchBytesMax, acks: "all", ...admission });
    return null;
  } catch (problem) {
    return problem;
  }
}

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
  ["a compressed batch", (frame) => frame.writeUInt8(0x08, FLAGS)],
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
