import fc from "fast-check";
import { expect, test } from "vitest";
import { encodeBatch } from "./batch.ts";
import { HEADER_BYTES, readBatchHeader } from "./batch-header.ts";
import { frameProblem } from "./frame-check.ts";
import { frameRecords, latestTimestampMs } from "./framed-records.ts";
import { recordsProblem } from "./records-check.ts";

const times = fc.array(fc.nat(1_000_000), { minLength: 1, maxLength: 8 });

function frameOf(timestampsMs: readonly number[]): Buffer {
  const records = timestampsMs.map((timestampMs) => ({ key: null, value: null, timestampMs, headers: [] }));
  return encodeBatch({ producerId: 3, producerEpoch: 2, baseSequence: 1, transactional: true, records });
}

test("records and a header that were taken from a frame make the same frame again", () => {
  fc.assert(
    fc.property(times, (timestampsMs) => {
      const frame = frameOf(timestampsMs);
      const { codec, ...rest } = readBatchHeader(frame);
      expect(frameRecords(frame.subarray(HEADER_BYTES), { ...rest, codec: codec ?? "none" })).toEqual(frame);
    }),
  );
});

test("the latest time is that of the records, counted from any first time, whatever the header says", () => {
  fc.assert(
    fc.property(times, fc.nat(1_000_000), (timestampsMs, firstTimestampMs) => {
      const frame = frameOf(timestampsMs);
      const moved = firstTimestampMs - (timestampsMs[0] as number);
      const maxTimestampMs = Math.max(...timestampsMs) + moved;
      expect(latestTimestampMs(frame, firstTimestampMs)).toBe(maxTimestampMs);
    }),
  );
});

test("a batch whose first time is not that of its first record is as good as any: Kafka's clients send such", () => {
  const frame = frameOf([500, 400]);
  const { codec, ...rest } = readBatchHeader(frame);
  const fields = { ...rest, codec: codec ?? "none", firstTimestampMs: 700, maxTimestampMs: 700 } as const;
  const moved = frameRecords(frame.subarray(HEADER_BYTES), fields);
  expect(frameProblem(moved, 0, moved.length)).toBeNull();
  expect(recordsProblem(moved)).toBeNull();
});

test("records that are not well formed have no latest time", () => {
  const frame = frameOf([1, 2]);
  expect(latestTimestampMs(frame.fill(0xff, HEADER_BYTES), 0)).toBeNull();
});
