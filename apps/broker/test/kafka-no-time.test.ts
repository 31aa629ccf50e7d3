/** Records to which their producer gave no time: -1, which Kafka's clients may write and its brokers keep. */
import { gzipSync } from "node:zlib";
import { MemoryDisk } from "@minikafka/core/testing";
import { decodeRecords, encodeBatch } from "@minikafka/record";
import { expect, test } from "vitest";
import type { RawSettings } from "../src/config.ts";
import { BATCH_HEADER_BYTES, BATCH_PREFIX_BYTES, PLACE } from "../src/kafka/batches/batch-layout.ts";
import { batchesOfFrames } from "../src/kafka/batches/batches-of-frames.ts";
import { crc32c } from "../src/kafka/batches/crc32c.ts";
import { frameOfBatch } from "../src/kafka/batches/frame-of-batch.ts";
import { Session } from "./support/broker.ts";
import { KafkaClient, openKafkaBroker } from "./support/kafka-client.ts";

const VERSION = 9;
const NONE = -1n;
const GZIP = 1;

/** A batch whose records have these times, and whose header says that `latest` is the latest. */
function batchOf(times: readonly number[], latest: bigint, key: string | null = null): Buffer {
  const first = BigInt(times[0] ?? 0);
  // Only what lies between the times is in the records: the first is moved to where it may not be written.
  const records = times.map((time) => ({
    key: key === null ? null : Buffer.from(key),
    value: Buffer.from(`of ${time}`),
    timestampMs: 10_000 + time - (times[0] ?? 0),
    headers: [],
  }));
  const batch = Buffer.from(batchesOfFrames(encodeBatch({ records })).batches);
  batch.writeBigInt64BE(0n, PLACE.baseOffset);
  batch.writeBigInt64BE(first, PLACE.baseTimestampMs);
  batch.writeBigInt64BE(latest, PLACE.maxTimestampMs);
  return sealed(batch);
}

function sealed(batch: Buffer): Buffer {
  batch.writeUInt32BE(crc32c(batch.subarray(PLACE.attributes)), PLACE.crc);
  return batch;
}

/** The same records, packed together. */
function gzipped(batch: Buffer): Buffer {
  const records = gzipSync(batch.subarray(BATCH_HEADER_BYTES));
  const packed = Buffer.concat([batch.subarray(0, BATCH_HEADER_BYTES), records]);
  packed.writeInt32BE(packed.length - BATCH_PREFIX_BYTES, PLACE.length);
  packed.writeInt16BE(GZIP, PLACE.attributes);
  return sealed(packed);
}

async function open(settings: RawSettings = {}, disk = new MemoryDisk()) {
  const broker = await openKafkaBroker(settings, disk);
  if (!broker.cluster.hasTopic("orders")) broker.cluster.createTopic({ topic: "orders", partitions: 1 });
  return { broker, client: await KafkaClient.open(broker), json: Session.open(broker) };
}

async function send(client: KafkaClient, records: Buffer) {
  const topicData = [{ name: "orders", partitionData: [{ index: 0, records }] }];
  const { responses } = await client.ask("Produce", VERSION, { acks: -1, timeoutMs: 5_000, topicData });
  return responses[0]?.partitionResponses[0];
}

/** The times of all records, as they come over the wire. */
async function times(client: KafkaClient): Promise<number[]> {
  const partitions = [{ partition: 0, fetchOffset: 0, partitionMaxBytes: 1 << 20 }];
  const topics = [{ topic: "orders", partitions }];
  const { responses } = await client.ask("Fetch", 11, { maxWaitMs: 0, minBytes: 1, topics });
  const records = responses[0]?.partitions[0]?.records ?? Buffer.alloc(0);
  const found: number[] = [];
  for (let at = 0; at < records.length; ) {
    const end = at + 12 + records.readInt32BE(at + PLACE.length);
    const batch = Buffer.from(records.subarray(at, end));
    batch.writeBigInt64BE(0n, PLACE.baseOffset);
    found.push(...[...decodeRecords(frameOfBatch(batch, VERSION))].map(({ timestampMs }) => timestampMs));
    at = end;
  }
  return found;
}

async function found(client: KafkaClient, timestamp: number) {
  const topics = [{ name: "orders", partitions: [{ partitionIndex: 0, timestamp }] }];
  const [topic] = (await client.ask("ListOffsets", 7, { topics })).topics;
  return topic?.partitions.map(({ offset, timestamp: time }) => [offset, time])[0];
}

test("they are taken, kept as they are, and told by both protocols, also after a restart", async () => {
  const disk = new MemoryDisk();
  const { broker, client, json } = await open({}, disk);
  expect(await send(client, batchOf([-1, -1], NONE))).toMatchObject({ errorCode: 0, baseOffset: 0 });
  expect(await send(client, batchOf([-1, 5_000, -1, 4_000], 5_000n))).toMatchObject({ errorCode: 0 });
  // A latest time that no record has is set right, as in Kafka.
  expect(await send(client, batchOf([-1], 9_000n))).toMatchObject({ errorCode: 0 });
  const expected = [-1, -1, -1, 5_000, -1, 4_000, -1];
  expect(await times(client)).toEqual(expected);
  const { records } = await json.call("fetch", { topic: "orders", partition: 0, offset: 0 });
  expect(records?.map(({ timestamp_ms }) => timestamp_ms)).toEqual(expected);
  await broker.close();
  const again = await open({}, disk);
  expect(await times(again.client)).toEqual(expected);
});

test("they are taken also where they are packed, and the latest time of those is set right", async () => {
  const { client, json } = await open();
  expect(await send(client, gzipped(batchOf([-1, -1], NONE)))).toMatchObject({ errorCode: 0 });
  expect(await send(client, gzipped(batchOf([-1, -1], 9_000n)))).toMatchObject({ errorCode: 0 });
  expect(await send(client, gzipped(batchOf([-1, 3_000], NONE)))).toMatchObject({ errorCode: 0 });
  const { records } = await json.call("fetch", { topic: "orders", partition: 0, offset: 0 });
  expect(records?.map(({ timestamp_ms }) => timestamp_ms)).toEqual([-1, -1, -1, -1, -1, 3_000]);
  expect(await found(client, -3)).toEqual([5, 3_000]);
  expect(await found(client, 3_001)).toEqual([-1, -1]);
});

test("no time finds them, and they are not the latest", async () => {
  const { client } = await open();
  await send(client, batchOf([-1, -1], NONE));
  expect(await found(client, 0)).toEqual([-1, -1]);
  expect(await found(client, -3)).toEqual([-1, -1]);
  expect(await found(client, -1)).toEqual([2, -1]);
  await send(client, batchOf([-1, 5_000], 5_000n));
  await send(client, batchOf([-1], NONE));
  expect(await found(client, 0)).toEqual([3, 5_000]);
  expect(await found(client, -3)).toEqual([3, 5_000]);
  expect(await found(client, 5_001)).toEqual([-1, -1]);
});

test("where the leader gives the time they have it", async () => {
  const { broker, client } = await open();
  broker.cluster.alterConfig("orders", { message_timestamp_type: "LogAppendTime" });
  const answer = await send(client, batchOf([-1], NONE));
  expect(answer?.errorCode).toBe(0);
  expect(await found(client, 1)).toEqual([0, answer?.logAppendTimeMs]);
});

test("retention by time leaves them until later ones have one, and compaction keeps the last of each key with none", async () => {
  const { broker, client } = await open({ clock: "manual", start_time: 1_000_000 });
  const json = Session.open(broker);
  broker.cluster.alterConfig("orders", {
    retention_ms: 1_000,
    cleanup_policy: "compact,delete",
    min_cleanable_dirty_ratio: 0,
  });
  await send(client, batchOf([-1], NONE, "a"));
  await send(client, batchOf([-1], NONE, "a"));
  await json.call("roll_segment", { topic: "orders", partition: 0 });
  await json.call("flush_logs");
  await json.call("compact", { topic: "orders" });
  await json.call("apply_retention", {});
  expect(await times(client)).toEqual([-1]);
  await send(client, batchOf([5_000], 5_000n, "b"));
  await json.call("apply_retention", {});
  expect(await times(client)).toEqual([]);
});

test("other times before 1970 are refused", async () => {
  const { client } = await open();
  expect(await send(client, batchOf([-2], -2n))).toMatchObject({ errorCode: 32 });
  expect(await send(client, batchOf([0, -2], 0n))).toMatchObject({ errorCode: 87 });
  expect(await times(client)).toEqual([]);
  await send(client, batchOf([0], 0n));
  expect(await times(client)).toEqual([0]);
});
