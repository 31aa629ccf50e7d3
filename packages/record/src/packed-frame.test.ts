import { deflateRawSync, inflateRawSync } from "node:zlib";
import { expect, test } from "vitest";
import { assignBatch, encodeBatch } from "./batch.ts";
import { HEADER_BYTES, readBatchHeader } from "./batch-header.ts";
import { emptiedFrame, thinnedFrame } from "./compacted-batch.ts";
import { type Compression, CompressionError } from "./compression.ts";
import { frameProblem } from "./frame-check.ts";
import { isPlain, packedFrame, plainFrame } from "./packed-frame.ts";
import { decodeRecords } from "./records-section.ts";

/** Any codec is another one here: what matters is which bytes it is given. */
const deflate: Compression = {
  decompress: (_codec, bytes, bytesMax) => inflateRawSync(bytes, { maxOutputLength: bytesMax }),
  compress: (_codec, bytes) => deflateRawSync(bytes),
};

function frame(): Buffer {
  const records = [3, 8, 5].map((timestampMs) => ({
    key: Buffer.from("key"),
    value: Buffer.alloc(200, "v"),
    timestampMs,
    headers: [{ key: "name", value: null }],
  }));
  const bytes = encodeBatch({
    records,
    producerId: 7,
    producerEpoch: 1,
    baseSequence: 4,
    transactional: true,
  });
  assignBatch(bytes, { baseOffset: 100, leaderEpoch: 2 });
  return bytes;
}

test("a packed frame says all that the plain one does but its codec and size, and is sound", () => {
  const plain = frame();
  for (const codec of ["gzip", "snappy", "lz4", "zstd"] as const) {
    const packed = packedFrame(plain, codec, deflate);
    expect(frameProblem(packed, 0, packed.length)).toBeNull();
    const { frameBytes, crc } = readBatchHeader(packed);
    expect(frameBytes).toBe(packed.length);
    expect(readBatchHeader(packed)).toEqual({ ...readBatchHeader(plain), frameBytes, crc, codec });
    expect(isPlain(readBatchHeader(packed))).toBe(false);
  }
});

test("unpacked again it is the same but for its CRC, and so are its records", () => {
  const plain = frame();
  const packed = packedFrame(plain, "zstd", deflate);
  const unpacked = plainFrame(packed, deflate);
  expect(decodeRecords(unpacked)).toEqual(decodeRecords(plain));
  expect(unpacked.subarray(12).equals(plain.subarray(12))).toBe(true);
});

test("a plain frame, and one without records, is handed back as it is", () => {
  const plain = frame();
  expect(plainFrame(plain, undefined)).toBe(plain);
  const emptied = emptiedFrame(packedFrame(plain, "gzip", deflate));
  expect(emptied.length).toBe(HEADER_BYTES);
  expect(plainFrame(emptied, undefined)).toBe(emptied);
});

test("without anything that unpacks, a packed frame is refused by the name of its codec", () => {
  const packed = packedFrame(frame(), "lz4", deflate);
  expect(() => plainFrame(packed, undefined)).toThrow(CompressionError);
  expect(() => plainFrame(packed, undefined)).toThrow("lz4 cannot be read here");
});

test("the bound is handed on", () => {
  const packed = packedFrame(frame(), "gzip", deflate);
  expect(() => plainFrame(packed, deflate, 100)).toThrow("larger than 100 bytes");
});

test("what stays of an unpacked frame is packed again", () => {
  const thinned = thinnedFrame(plainFrame(packedFrame(frame(), "gzip", deflate), deflate), {
    stays: ({ offsetDelta }) => offsetDelta === 1,
    deleteHorizonMs: null,
  });
  const packed = packedFrame(thinned, "gzip", deflate);
  expect(frameProblem(packed, 0, packed.length)).toBeNull();
  expect(decodeRecords(plainFrame(packed, deflate)).map(({ offset }) => offset)).toEqual([101]);
});
