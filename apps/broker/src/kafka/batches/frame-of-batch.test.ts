import { assignBatch, encodeBatch, readBatchHeader, recordsProblem, writeInt64 } from "@minikafka/record";
import fc from "fast-check";
import { expect, test } from "vitest";
import { ATTRIBUTE, BATCH_HEADER_BYTES, PLACE } from "./batch-layout.ts";
import { BatchRefused } from "./batch-refused.ts";
import { batchesOfFrames } from "./batches-of-frames.ts";
import { crc32c, crc32cByTable, isCrc32cNative } from "./crc32c.ts";
import { frameOfBatch } from "./frame-of-batch.ts";

const VERSION = 9;

function soundBatch(): Buffer {
  const records = [1, 2, 3].map((number) => ({
    key: null,
    value: Buffer.from(`value ${number}`),
    timestampMs: 1_700_000_000_000 + number,
    headers: [],
  }));
  const frame = encodeBatch({ producerId: 7, producerEpoch: 1, baseSequence: 5, records });
  assignBatch(frame, { baseOffset: 0, leaderEpoch: 0 });
  return batchesOfFrames(frame).batches;
}

/** With a checksum that fits what was changed. */
function sealed(batch: Buffer): Buffer {
  batch.writeUInt32BE(crc32c(batch.subarray(PLACE.attributes)), PLACE.crc);
  return batch;
}

function changed(change: (batch: Buffer) => void): Buffer {
  const batch = soundBatch();
  change(batch);
  return sealed(batch);
}

function addAttribute(batch: Buffer, attribute: number): void {
  batch.writeInt16BE(batch.readInt16BE(PLACE.attributes) | attribute, PLACE.attributes);
}

function refusalOf(bytes: Buffer | null, version = VERSION): string | null {
  try {
    frameOfBatch(bytes, version);
    return null;
  } catch (error) {
    if (error instanceof BatchRefused) return error.errorName;
    throw error;
  }
}

test("the checksum is Castagnoli's, natively and by the table", () => {
  expect(crc32c(Buffer.from("123456789"))).toBe(0xe3069283);
  expect(isCrc32cNative).toBe(true);
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      expect(crc32cByTable(bytes)).toBe(crc32c(bytes));
    }),
  );
});

const WRONG: readonly [what: string, bytes: Buffer | null, errorName: string][] = [
  ["null", null, "INVALID_RECORD"],
  ["nothing", Buffer.alloc(0), "INVALID_RECORD"],
  ["less than a length", soundBatch().subarray(0, 11), "INVALID_RECORD"],
  ["a batch cut off in its header", soundBatch().subarray(0, 40), "INVALID_RECORD"],
  ["a batch without its last byte", soundBatch().subarray(0, -1), "INVALID_RECORD"],
  ["a negative length", changed((batch) => batch.writeInt32BE(-1, PLACE.length)), "CORRUPT_MESSAGE"],
  [
    "a length of 2^31 - 1",
    changed((batch) => batch.writeInt32BE(2 ** 31 - 1, PLACE.length)),
    "INVALID_RECORD",
  ],
  ["magic 0", changed((batch) => batch.writeInt8(0, PLACE.magic)), "INVALID_RECORD"],
  ["magic 1", changed((batch) => batch.writeInt8(1, PLACE.magic)), "INVALID_RECORD"],
  ["magic 3", changed((batch) => batch.writeInt8(3, PLACE.magic)), "CORRUPT_MESSAGE"],
  ["magic -1", changed((batch) => batch.writeInt8(-1, PLACE.magic)), "CORRUPT_MESSAGE"],
  ["two batches", Buffer.concat([soundBatch(), soundBatch()]), "INVALID_RECORD"],
  ["a byte behind the batch", Buffer.concat([soundBatch(), Buffer.alloc(1)]), "INVALID_RECORD"],
  ["a header without its end", shortened(), "CORRUPT_MESSAGE"],
  ["a base offset", changed((batch) => writeInt64(batch, PLACE.baseOffset, 1)), "INVALID_RECORD"],
  ["a control batch", changed((batch) => addAttribute(batch, ATTRIBUTE.control)), "INVALID_RECORD"],
  ["a delete horizon", changed((batch) => addAttribute(batch, ATTRIBUTE.deleteHorizon)), "INVALID_RECORD"],
  ["append times", changed((batch) => addAttribute(batch, ATTRIBUTE.appendTime)), "INVALID_TIMESTAMP"],
  ["codec 5", changed((batch) => addAttribute(batch, 5)), "UNSUPPORTED_COMPRESSION_TYPE"],
  ["codec 7", changed((batch) => addAttribute(batch, 7)), "UNSUPPORTED_COMPRESSION_TYPE"],
  ["no record", changed((batch) => batch.writeInt32BE(0, PLACE.recordCount)), "INVALID_RECORD"],
  ["less than no record", changed((batch) => batch.writeInt32BE(-1, PLACE.recordCount)), "INVALID_RECORD"],
  ["another count", changed((batch) => batch.writeInt32BE(2, PLACE.recordCount)), "INVALID_RECORD"],
  ["another last offset", changed((batch) => batch.writeInt32BE(1, PLACE.lastOffsetDelta)), "INVALID_RECORD"],
  [
    "a base time of -2",
    changed((batch) => writeInt64(batch, PLACE.baseTimestampMs, -2)),
    "INVALID_TIMESTAMP",
  ],
  ["times past 2^53", changed((batch) => batch.fill(0x7f, PLACE.maxTimestampMs, 43)), "INVALID_TIMESTAMP"],
  ["a producer id past 2^53", changed((batch) => batch.fill(0x7f, PLACE.producerId, 51)), "INVALID_RECORD"],
  ["no epoch", changed((batch) => batch.writeInt16BE(-1, PLACE.producerEpoch)), "INVALID_RECORD"],
  ["no sequence", changed((batch) => batch.writeInt32BE(-1, PLACE.baseSequence)), "INVALID_RECORD"],
];

function shortened(): Buffer {
  const batch = soundBatch().subarray(0, BATCH_HEADER_BYTES - 1);
  batch.writeInt32BE(batch.length - 12, PLACE.length);
  return sealed(batch);
}

test.each(WRONG)("%s is refused as Kafka does it", (_what, bytes, errorName) => {
  expect(refusalOf(soundBatch())).toBeNull();
  expect(refusalOf(bytes)).toBe(errorName);
});

test("one changed bit anywhere that the checksum covers is CORRUPT_MESSAGE", () => {
  const bits = 8 * (soundBatch().length - PLACE.crc);
  fc.assert(
    fc.property(fc.nat(bits - 1), (bit) => {
      const batch = soundBatch();
      const at = PLACE.crc + (bit >>> 3);
      batch.writeUInt8(batch.readUInt8(at) ^ (1 << (bit & 7)), at);
      expect(refusalOf(batch)).toBe("CORRUPT_MESSAGE");
    }),
  );
});

test("whatever bytes come, a batch is refused or becomes a frame that is no larger than they are", () => {
  const damage = fc.array(fc.tuple(fc.nat(soundBatch().length - 1), fc.nat(255)), { maxLength: 6 });
  const bytes = fc.oneof(
    fc.uint8Array({ maxLength: 120 }).map((drawn) => Buffer.from(drawn)),
    damage.map((spots) =>
      changed((batch) => {
        for (const [at, byte] of spots) batch.writeUInt8(byte, at);
      }),
    ),
  );
  fc.assert(
    fc.property(bytes, fc.integer({ min: 3, max: 11 }), (drawn, version) => {
      if (refusalOf(drawn, version) !== null) return;
      const frame = frameOfBatch(drawn, version);
      expect(frame.length).toBe(drawn.length + 3);
      expect(recordsProblem(frame)).toSatisfy((problem) => problem === null || typeof problem === "string");
    }),
    { numRuns: 2000 },
  );
});

test("zstd is taken since version 7 of Produce", () => {
  const zstd = changed((batch) => addAttribute(batch, 4));
  expect([6, 7].map((version) => refusalOf(zstd, version))).toEqual(["UNSUPPORTED_COMPRESSION_TYPE", null]);
});

test("without a producer id, epoch and sequence are nothing, whatever they say", () => {
  const batch = changed((each) => {
    writeInt64(each, PLACE.producerId, -1);
    each.writeInt16BE(0, PLACE.producerEpoch);
    each.writeInt32BE(0, PLACE.baseSequence);
  });
  expect(readBatchHeader(frameOfBatch(batch, VERSION))).toMatchObject({
    producerId: -1,
    producerEpoch: -1,
    baseSequence: -1,
  });
});

test("a latest time that is not that of the records is set right, and a first time may be any", () => {
  const batch = changed((each) => {
    writeInt64(each, PLACE.baseTimestampMs, 1_600_000_000_000);
    writeInt64(each, PLACE.maxTimestampMs, 5);
  });
  const frame = frameOfBatch(batch, VERSION);
  expect(recordsProblem(frame)).toBeNull();
  expect(readBatchHeader(frame).maxTimestampMs).toBe(1_600_000_000_002);
});
