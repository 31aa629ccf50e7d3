import {
  type Codec,
  decodeRecords,
  encodeBatch,
  frameProblem,
  plainFrame,
  readBatchHeader,
} from "@minikafka/record";
import { expect, test } from "vitest";
import { gzipOnly, packedBatch } from "../../test/packing.ts";
import { LIMITS } from "../limits.ts";
import { requireAdmissible } from "./batch-admission.ts";
import { asKept } from "./batch-keeping.ts";

const RECORDS = Array.from({ length: 50 }, (_, number) => ({
  key: Buffer.from(`key ${number % 7}`),
  value: number === 3 ? null : Buffer.from(`a value that repeats itself, ${number}`),
  timestampMs: 1000 - number,
  headers: [{ key: "number", value: Buffer.from([number]) }],
}));
const BATCH = { records: RECORDS, producerId: 7, producerEpoch: 2, baseSequence: 31, transactional: true };

function kept(frame: Buffer, codec: Codec | null, batchBytesMax: number = LIMITS.batchBytesMax): Buffer {
  const admission = { batchBytesMax: LIMITS.batchBytesMax, acks: "all", inTransaction: true } as const;
  const admitted = requireAdmissible(frame, { ...admission, compression: gzipOnly });
  return asKept(frame, admitted, { codec, batchBytesMax }, gzipOnly);
}

const FORMS = { plain: () => encodeBatch(BATCH), packed: () => packedBatch(BATCH) } as const;

test.each<[form: keyof typeof FORMS, codec: Codec | null]>([
  ["plain", null],
  ["packed", null],
  ["plain", "none"],
  ["packed", "gzip"],
])("a batch that is %s stays as it came where %s is wanted", (form, codec) => {
  const frame = FORMS[form]();
  expect(kept(frame, codec)).toBe(frame);
});

test.each<[form: keyof typeof FORMS, codec: Codec]>([
  ["plain", "gzip"],
  ["packed", "none"],
])("a batch that is %s is kept with %s, and is the same in all else", (form, codec) => {
  const frame = FORMS[form]();
  const other = kept(frame, codec);
  expect(frameProblem(other, 0, LIMITS.batchBytesMax)).toBeNull();
  const { crc: _crc, ...header } = readBatchHeader(other);
  const { crc: _before, ...sent } = readBatchHeader(frame);
  expect(header).toEqual({ ...sent, codec, frameBytes: other.length });
  expect(header).toMatchObject({ producerId: 7, producerEpoch: 2, baseSequence: 31, transactional: true });
  expect(header).toMatchObject({ recordCount: 50, maxTimestampMs: 1000 });
  expect(decodeRecords(plainFrame(other, gzipOnly))).toEqual(decodeRecords(encodeBatch(BATCH)));
});

test("a codec that is wanted is used also where it makes the batch larger", () => {
  const small = encodeBatch({ records: RECORDS.slice(0, 1) });
  const admitted = requireAdmissible(small, { batchBytesMax: 1000, acks: 1, compression: gzipOnly });
  const packed = asKept(small, admitted, { codec: "gzip", batchBytesMax: 1000 }, gzipOnly);
  expect(packed.length).toBeGreaterThan(small.length);
  expect(readBatchHeader(packed).codec).toBe("gzip");
});

test("a batch that fits packed and not unpacked is RECORD_TOO_LARGE, which says why", () => {
  const frame = packedBatch(BATCH);
  const plainBytes = encodeBatch(BATCH).length;
  expect(frame.length).toBeLessThan(1000);
  expect(() => kept(frame, "none", 1000)).toThrow(
    expect.objectContaining({
      code: "RECORD_TOO_LARGE",
      message: `the batch has ${plainBytes} bytes, as the topic's compression_type is uncompressed; expected at most 1000`,
      details: { batch_bytes: plainBytes, batch_bytes_max: 1000 },
    }),
  );
});

test("a codec that nothing here writes is UNSUPPORTED_COMPRESSION_TYPE, and names the setting", () => {
  const refusal = (act: () => unknown) =>
    expect(act).toThrow(
      expect.objectContaining({
        code: "UNSUPPORTED_COMPRESSION_TYPE",
        message: expect.stringContaining("the topic's compression_type is lz4"),
      }),
    );
  refusal(() => kept(encodeBatch(BATCH), "lz4"));
  const frame = encodeBatch({ records: RECORDS });
  const admitted = requireAdmissible(frame, { batchBytesMax: LIMITS.batchBytesMax, acks: 1 });
  refusal(() => asKept(frame, admitted, { codec: "lz4", batchBytesMax: LIMITS.batchBytesMax }, undefined));
});
