import { crc32 } from "node:zlib";
import fc from "fast-check";
import { expect, test } from "vitest";
import { assignBatch, encodeBatch } from "./batch.ts";
import { HEADER_BYTES, POSITION, readBatchHeader, writeInt64 } from "./batch-header.ts";
import { emptiedFrame, thinnedFrame } from "./compacted-batch.ts";
import { contentCrc } from "./content-crc.ts";

const content = fc.record({
  records: fc.array(
    fc.record({
      key: fc.constant(null),
      value: fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes)),
      timestampMs: fc.nat(),
      headers: fc.constant([]),
    }),
    { minLength: 1, maxLength: 4 },
  ),
  producerId: fc.nat(),
  producerEpoch: fc.nat(32_767),
  baseSequence: fc.nat(),
  transactional: fc.boolean(),
});

test("the header alone tells the CRC of everything from the producer's id on", () => {
  fc.assert(
    fc.property(content, (batch) => {
      const frame = encodeBatch(batch);
      expect(contentCrc(readBatchHeader(frame))).toBe(crc32(frame.subarray(POSITION.producerId)));
    }),
  );
});

test("what a broker gives a batch, its place and its time, does not change it", () => {
  fc.assert(
    fc.property(content, fc.nat(), fc.nat(), (batch, baseOffset, leaderEpoch) => {
      const frame = encodeBatch(batch);
      const sent = contentCrc(readBatchHeader(frame));
      assignBatch(frame, { baseOffset, leaderEpoch });
      expect(contentCrc(readBatchHeader(frame))).toBe(sent);
      writeInt64(frame, POSITION.maxTimestampMs, 7);
      frame.writeUInt8(frame.readUInt8(POSITION.flags) | 0x40, POSITION.flags);
      frame.writeUInt32BE(crc32(frame.subarray(12)), POSITION.crc);
      expect(contentCrc(readBatchHeader(frame))).toBe(sent);
    }),
  );
});

test("every bit of a record and of the producer's fields changes it", () => {
  const record = { key: null, value: Buffer.from("paid"), timestampMs: 5, headers: [] };
  const frame = encodeBatch({ records: [record], producerId: 7, producerEpoch: 0, baseSequence: 3 });
  const sent = contentCrc(readBatchHeader(frame));
  for (let bit = POSITION.producerId * 8; bit < frame.length * 8; bit += 1) {
    const changed = Buffer.from(frame);
    changed.writeUInt8(changed.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
    changed.writeUInt32BE(crc32(changed.subarray(12)), POSITION.crc);
    expect(contentCrc(readBatchHeader(changed))).not.toBe(sent);
  }
  expect(frame.length).toBeGreaterThan(HEADER_BYTES);
});

test("what compaction has made of a batch does not tell what was sent", () => {
  const record = { key: null, value: Buffer.from("paid"), timestampMs: 5, headers: [] };
  const frame = encodeBatch({ records: [record, record], producerId: 7, producerEpoch: 0, baseSequence: 3 });
  const horizon = thinnedFrame(frame, { stays: () => true, deleteHorizonMs: 9 });
  const thinned = thinnedFrame(frame, {
    stays: ({ offsetDelta }) => offsetDelta === 0,
    deleteHorizonMs: null,
  });
  for (const each of [horizon, thinned, emptiedFrame(frame)])
    expect(contentCrc(readBatchHeader(each))).toBeNull();
});
