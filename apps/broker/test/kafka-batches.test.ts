/** Batches of Kafka's clients and frames of ours, both ways, against the clients' own code. */
import { gunzipSync } from "node:zlib";
import { API_TABLE, decodeRequest } from "@minikafka/protocol/kafka";
import {
  assignBatch,
  type BatchHeader,
  type BatchProducer,
  decodeRecords,
  encodeBatch,
  frameProblem,
  frameRecords,
  HEADER_BYTES,
  type Record,
  readBatchHeader,
  recordsProblem,
  type StoredRecord,
} from "@minikafka/record";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { batchesOfFrames } from "../src/kafka/batches/batches-of-frames.ts";
import { frameOfBatch } from "../src/kafka/batches/frame-of-batch.ts";
import {
  batchOfPlatformatic,
  type Meant,
  NOBODY,
  produceOfKafkaJs,
  readByKafkaJs,
  readByPlatformatic,
  type Seen,
  type Sender,
} from "./support/npm-batches.ts";

const NAMES = ["a", "trace-id", "größe"];
const nullableBytes = fc.option(
  fc.uint8Array({ maxLength: 90 }).map((drawn) => Buffer.from(drawn)),
  { nil: null },
);
const meantRecord: fc.Arbitrary<Meant> = fc.record({
  key: nullableBytes,
  value: nullableBytes,
  timestampMs: fc.option(fc.integer({ min: 1, max: 4_000_000_000_000 }), { nil: null }),
  headers: fc.dictionary(
    fc.constantFrom(...NAMES),
    fc.uint8Array({ maxLength: 20 }).map((drawn) => Buffer.from(drawn)),
    { noNullPrototype: true },
  ),
});
const meantRecords = fc.array(meantRecord, { minLength: 1, maxLength: 12 });
const drawnSender: fc.Arbitrary<Sender> = fc.oneof(
  fc.constant(NOBODY),
  fc.record({
    producerId: fc.maxSafeNat(),
    producerEpoch: fc.nat(32_767),
    baseSequence: fc.nat(2 ** 31 - 1),
    transactionalId: fc.constantFrom(null, "payments"),
    codec: fc.constantFrom("none" as const, "gzip" as const),
  }),
);

async function batchOfKafkaJs(records: readonly Meant[], sender: Sender): Promise<Buffer> {
  const { topicData } = decodeRequest(API_TABLE[0], 3, await produceOfKafkaJs(records, sender));
  return topicData[0]?.partitionData[0]?.records ?? Buffer.alloc(0);
}

const CLIENTS = [
  { client: "kafkajs", write: batchOfKafkaJs, read: readByKafkaJs, hasFarTimes: true },
  {
    client: "@platformatic/kafka",
    write: async (records: readonly Meant[], sender: Sender) => batchOfPlatformatic(records, sender),
    hasFarTimes: false,
    read: async (batches: Buffer) => readByPlatformatic(batches),
  },
];

/** The frame with its records uncompressed, so that they can be read. */
function plainFrame(frame: Buffer, header: BatchHeader): Buffer {
  if (header.codec === "none") return frame;
  return frameRecords(gunzipSync(frame.subarray(HEADER_BYTES)), { ...header, codec: "none" });
}

function seenOf({ key, value, timestampMs, headers, offset }: StoredRecord): Seen {
  const named = headers.map((header) => [header.key, header.value ?? Buffer.alloc(0)] as const);
  return {
    offset,
    timestampMs,
    key: key === null ? null : Buffer.from(key),
    value: value === null ? null : Buffer.from(value),
    headers: Object.fromEntries(named.map(([name, bytes]) => [name, Buffer.from(bytes)])),
    isControl: false,
  };
}

/** All times within 24 days: 1.35.0 of @platformatic/kafka cuts the distance from the first one to 32 bits. */
function nearTimes(records: readonly Meant[]): Meant[] {
  const isGiven = records[0]?.timestampMs !== null;
  return records.map((record) => ({
    ...record,
    timestampMs: isGiven ? 1_700_000_000_000 + ((record.timestampMs ?? 0) % 2 ** 31) : null,
  }));
}

describe.each(CLIENTS)("$client", ({ write, read, hasFarTimes }) => {
  const sent = hasFarTimes ? meantRecords : meantRecords.map(nearTimes);

  test("what it sends becomes a sound frame of the same records, producer and transaction", async () => {
    await fc.assert(
      fc.asyncProperty(sent, drawnSender, async (records, sender) => {
        const before = Date.now();
        const frame = frameOfBatch(await write(records, sender), 7);
        expect(frameProblem(frame, 0, frame.length)).toBeNull();
        const header = readBatchHeader(frame);
        const isKnown = sender.producerId >= 0;
        expect(header).toMatchObject({
          codec: sender.codec,
          transactional: sender.transactionalId !== null,
          control: null,
          producerId: sender.producerId,
          producerEpoch: isKnown ? sender.producerEpoch : -1,
          baseSequence: isKnown ? sender.baseSequence : -1,
          recordCount: records.length,
        });
        const plain = plainFrame(frame, header);
        if (header.codec === "none") expect(recordsProblem(plain)).toBeNull();
        assignPlace(plain, 0);
        expect(decodeRecords(plain).map(seenOf)).toEqual(
          records.map((record, offset) => ({
            ...record,
            offset,
            timestampMs: record.timestampMs ?? expect.toSatisfy((ms: number) => ms >= before),
            isControl: false,
          })),
        );
      }),
      { numRuns: 60 },
    );
  });

  test("it reads several frames behind each other as the records that they hold, where they lie", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(meantRecords, { minLength: 1, maxLength: 4 }),
        fc.maxSafeNat(),
        async (batches, at) => {
          let baseOffset = Math.floor(at / 2);
          const frames = batches.map((records) => {
            const frame = encodeBatch({ records: records.map(recordOf) });
            assignPlace(frame, baseOffset);
            baseOffset = readBatchHeader(frame).nextOffset;
            return frame;
          });
          const { batches: answer, hasRecords } = batchesOfFrames(Buffer.concat(frames));
          expect(hasRecords).toBe(true);
          expect(await read(answer)).toEqual(frames.flatMap((frame) => decodeRecords(frame).map(seenOf)));
        },
      ),
      { numRuns: 60 },
    );
  });

  test("what it sends comes back to it as it was, compressed or not", async () => {
    await fc.assert(
      fc.asyncProperty(sent, drawnSender, async (records, sender) => {
        const frame = frameOfBatch(await write(records, sender), 7);
        assignPlace(frame, 7);
        expect(await read(batchesOfFrames(frame).batches)).toEqual(
          records.map((record, index) => ({
            ...record,
            offset: 7 + index,
            timestampMs: record.timestampMs ?? expect.any(Number),
            isControl: false,
          })),
        );
      }),
      { numRuns: 60 },
    );
  });
});

function assignPlace(frame: Buffer, baseOffset: number): void {
  assignBatch(frame, { baseOffset, leaderEpoch: 3 });
}

function recordOf({ key, value, timestampMs, headers }: Meant): Record {
  const named = Object.entries(headers).map(([name, bytes]) => ({ key: name, value: bytes }));
  return { key, value, timestampMs: timestampMs ?? 5, headers: named };
}

test("a producer's fields, its transaction and its times are the same in both forms", () => {
  fc.assert(
    fc.property(meantRecords, drawnSender, (records, sender) => {
      const producer: BatchProducer =
        sender.producerId < 0 ? {} : { ...sender, transactional: sender.transactionalId !== null };
      const frame = encodeBatch({ ...producer, records: records.map(recordOf) });
      assignPlace(frame, 0);
      const back = frameOfBatch(batchesOfFrames(frame).batches, 3);
      assignPlace(back, 0);
      expect(back).toEqual(frame);
    }),
  );
});
