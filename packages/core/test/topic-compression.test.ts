/** A topic whose batches the leader packs or unpacks. */
import { decodeRecords, encodeBatch, plainFrame, readBatchHeader, splitFrames } from "@minikafka/record";
import { expect, test } from "vitest";
import type { BrokerCluster } from "../src/cluster/cluster.ts";
import { openCluster } from "./cluster-world.ts";
import { gzipOnly, packedBatch } from "./packing.ts";
import { memoryWorld, rejection, START_MS, type World } from "./world.ts";

const ORDERS = { topic: "orders", partition: 0 };

async function opened(config: object, world: World = memoryWorld()): Promise<BrokerCluster> {
  const cluster = await openCluster({ ...world, compression: gzipOnly });
  cluster.createTopic({ topic: "orders", partitions: 1, config: { ...config } });
  return cluster;
}

function content(value: string, more: object = {}) {
  const records = [
    { key: Buffer.from("k"), value: Buffer.from(value.repeat(30)), timestampMs: 5, headers: [] },
  ];
  return { records, ...more };
}

/** Each batch: its codec, and what its records say. */
function found(cluster: BrokerCluster) {
  const frames = splitFrames(cluster.fetch(ORDERS, 0, { bytesMax: 1 << 20 }).batches);
  return frames.map((frame) => [
    readBatchHeader(frame).codec,
    ...decodeRecords(plainFrame(frame, gzipOnly)).map(
      ({ offset, value, timestampMs }) => `${offset} ${value?.toString()[0]} ${timestampMs}`,
    ),
  ]);
}

test("batches are kept as compression_type says at their append, however they came; what is there stays as it is", async () => {
  const cluster = await opened({});
  const both = async (one: string, other: string) => {
    await cluster.appendBatch(ORDERS, encodeBatch(content(one)), { acks: 1 });
    await cluster.appendBatch(ORDERS, packedBatch(content(other)), { acks: 1 });
  };
  await both("a", "b");
  cluster.alterConfig("orders", { compression_type: "gzip" });
  await both("c", "d");
  cluster.alterConfig("orders", { compression_type: "uncompressed" });
  await both("e", "f");
  expect(found(cluster)).toEqual([
    ["none", "0 a 5"],
    ["gzip", "1 b 5"],
    ["gzip", "2 c 5"],
    ["gzip", "3 d 5"],
    ["none", "4 e 5"],
    ["none", "5 f 5"],
  ]);
});

test("a batch that is packed here has the leader's time where the topic wants that", async () => {
  const cluster = await opened({ compression_type: "gzip", message_timestamp_type: "LogAppendTime" });
  const appended = await cluster.appendBatch(ORDERS, encodeBatch(content("a")), { acks: 1 });
  expect(appended).toMatchObject({ appendTimeMs: START_MS });
  expect(found(cluster)).toEqual([["gzip", `0 a ${START_MS}`]]);
  expect(cluster.listOffsets(ORDERS, START_MS)).toEqual({ offset: 0, timestampMs: START_MS });
});

test("a batch of an idempotent producer is known again when it comes again, in whatever form it was kept; another one is not", async () => {
  const cluster = await opened({ compression_type: "gzip" });
  const producer = { ...cluster.initProducer({}), baseSequence: 0 };
  const send = (pack: typeof encodeBatch, value: string) =>
    cluster.appendBatch(ORDERS, pack(content(value, producer)), { acks: 1 });
  expect(await send(encodeBatch, "a")).toMatchObject({ baseOffset: 0, duplicate: false });
  for (const compression_type of ["gzip", "uncompressed", "producer"]) {
    cluster.alterConfig("orders", { compression_type });
    for (const pack of [encodeBatch, packedBatch]) {
      expect(await send(pack, "a")).toMatchObject({ baseOffset: 0, duplicate: true });
      expect(await rejection(send(pack, "b"))).toMatchObject({ code: "OUT_OF_ORDER_SEQUENCE" });
    }
  }
  expect(found(cluster)).toEqual([["gzip", "0 a 5"]]);
});

test("nothing of a batch is kept that cannot be packed as the topic wants it", async () => {
  const cluster = await opened({ compression_type: "lz4" });
  const refused = cluster.appendBatch(ORDERS, encodeBatch(content("a")), { acks: 1 });
  expect(await rejection(refused)).toMatchObject({ code: "UNSUPPORTED_COMPRESSION_TYPE" });
  expect(found(cluster)).toEqual([]);
});
