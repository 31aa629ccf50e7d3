import { expect, test } from "vitest";
import { failure } from "../../test/support/failure.ts";
import { producing } from "../../test/support/producing.ts";
import { quiet } from "../../test/support/scripted-peer.ts";
import { stringSerializer } from "../serdes/ready-serdes.ts";

test("the first record of the book lands in partition 1 at offset 0, and its promise says so", async () => {
  const { broker, client, producer } = await producing({ batchBytes: 1 });
  const metadata = await producer.send({ topic: "orders", key: "alice", value: "created" });
  expect(metadata).toEqual({ topic: "orders", partition: 1, offset: 0, timestampMs: 1_000 });
  expect(broker.values("orders", 1)).toEqual(["created"]);
  await client.close();
});

test("one key gives one partition, and offsets keep the order of the sends", async () => {
  const { broker, client, producer } = await producing({ batchBytes: 4_096, lingerMs: 1_000 });
  const pending = [0, 1, 2].map((index) =>
    producer.send({ topic: "orders", key: "alice", value: String(index) }),
  );
  await producer.flush();
  const metadata = await Promise.all(pending);
  expect(new Set(metadata.map(({ partition }) => partition))).toEqual(new Set([1]));
  expect(metadata.map(({ offset }) => offset)).toEqual([0, 1, 2]);
  expect(broker.values("orders", 1)).toEqual(["0", "1", "2"]);
  expect(broker.produced).toHaveLength(1);
  await client.close();
});

test("bytes, text, tombstones, empty values, header order and times arrive as they were given", async () => {
  const { broker, client, producer } = await producing();
  await producer.sendMany([
    {
      topic: "orders",
      partition: 0,
      key: Buffer.from([0, 255]),
      value: new Uint8Array([1, 2]),
      timestampMs: 7,
    },
    { topic: "orders", partition: 0, key: "k", value: null },
    { topic: "orders", partition: 0, key: "", value: "" },
    {
      topic: "orders",
      partition: 0,
      headers: [{ key: "b", value: "1" }, { key: "a" }, { key: "b", value: "" }],
    },
  ]);
  const shown = broker.records("orders", 0).map(({ key, value, timestampMs, headers }) => ({
    key: key && [...key],
    value: value && [...value],
    timestampMs,
    headers: headers.map((header) => [header.key, header.value && [...header.value]]),
  }));
  expect(shown).toEqual([
    { key: [0, 255], value: [1, 2], timestampMs: 7, headers: [] },
    { key: [107], value: null, timestampMs: 1_000, headers: [] },
    { key: [], value: [], timestampMs: 1_000, headers: [] },
    {
      key: null,
      value: null,
      timestampMs: 1_000,
      headers: [
        ["b", [49]],
        ["a", null],
        ["b", []],
      ],
    },
  ]);
  await client.close();
});

test("sendMany accepts all or nothing", async () => {
  const { broker, client, producer } = await producing({ bufferBytesMax: 500 });
  const records = Array.from({ length: 6 }, () => ({ topic: "orders", value: "x".repeat(50) }));
  expect(await failure(producer.sendMany(records))).toMatchObject({ code: "BUFFER_FULL" });
  expect(await failure(producer.sendMany([{ topic: "orders" }, { topic: "" }]))).toMatchObject({
    code: "USAGE",
  });
  expect(producer.buffered).toEqual({ records: 0, bytes: 0 });
  expect(await producer.sendMany([])).toEqual([]);
  expect(broker.produced).toHaveLength(0);
  await client.close();
});

test("sendMany resolves in the order of its records, also across partitions, and a failure says how many failed", async () => {
  const { broker, peer, client, producer } = await producing();
  const both = [0, 1, 0].map((partition) => ({ topic: "orders", partition, value: "v" }));
  const metadata = await producer.sendMany(both);
  expect(metadata.map(({ partition, offset }) => [partition, offset])).toEqual([
    [0, 0],
    [1, 0],
    [0, 1],
  ]);
  broker.byHand("produce", 1);
  const failed = failure(producer.sendMany(both));
  (await peer.next("produce")).refuse("STORAGE_ERROR");
  expect(await failed).toMatchObject({ code: "STORAGE_ERROR", details: { records: 3, failed: 2 } });
  expect(broker.values("orders", 1)).toEqual(["v", "v"]);
  await client.close();
});

test("a record that no batch can hold fails alone with RECORD_TOO_LARGE", async () => {
  const { broker, client, producer } = await producing({ batchBytes: 500, batchBytesMax: 500, lingerMs: 10 });
  const small = producer.send({ topic: "orders", partition: 0, value: "small" });
  const large = failure(producer.send({ topic: "orders", partition: 0, value: "x".repeat(600) }));
  expect(await large).toMatchObject({ code: "RECORD_TOO_LARGE", retriable: false });
  await producer.flush();
  await small;
  expect(broker.values("orders", 0)).toEqual(["small"]);
  await client.close();
});

test("records wait in order for their topic's partitions, which are asked for once", async () => {
  const { broker, peer, client, producer } = await producing();
  broker.byHand("metadata", 1);
  const sends = ["1", "2", "3"].map((value) => producer.send({ topic: "orders", key: "alice", value }));
  const request = await peer.next("metadata");
  await quiet();
  expect(peer.unread).toHaveLength(0);
  broker.answerMetadata(request);
  await Promise.all(sends);
  expect(broker.values("orders", 1)).toEqual(["1", "2", "3"]);
  await client.close();
});

test("an unknown topic fails its sends, and one that is made later is found", async () => {
  const { broker, client, producer } = await producing();
  expect(await failure(producer.send({ topic: "later", value: "v" }))).toMatchObject({
    code: "UNKNOWN_TOPIC",
  });
  expect(producer.buffered).toEqual({ records: 0, bytes: 0 });
  broker.create("later", 1);
  expect((await producer.send({ topic: "later", value: "v" })).offset).toBe(0);
  await client.close();
});

test("a topic that was deleted and made again with other partitions is noticed at the first error", async () => {
  const { broker, client, producer } = await producing({}, { orders: 4 });
  const key = ["a", "b", "c", "d", "e"].find((each) => each === "b") ?? "b";
  const { partition } = await producer.send({ topic: "orders", key, value: "v" });
  expect(partition).toBeGreaterThan(0);
  broker.delete("orders");
  broker.create("orders", 1);
  expect(await failure(producer.send({ topic: "orders", key, value: "v" }))).toMatchObject({
    code: "UNKNOWN_PARTITION",
  });
  expect(await producer.send({ topic: "orders", key, value: "v" })).toMatchObject({
    partition: 0,
    offset: 0,
  });
  await client.close();
});

test("with acks 0 a send is done when the link has taken it, without an answer and without an offset", async () => {
  const { broker, client, producer } = await producing({ acks: 0 });
  const metadata = await producer.send({ topic: "orders", partition: 0, value: "v" });
  expect(metadata.offset).toBeNull();
  await quiet();
  expect(broker.produced[0]).toMatchObject({ acks: 0, one_way: true });
  expect(broker.values("orders", 0)).toEqual(["v"]);
  await client.close();
});

test("acks all asks the broker for it, with a bound", async () => {
  const { broker, client, producer } = await producing({ acks: "all" });
  await producer.send({ topic: "orders", partition: 0, value: "v" });
  expect(broker.produced[0]).toMatchObject({ acks: "all", timeout_ms: 30_000 });
  await client.close();
});

test.each([
  [{ topic: "" }],
  [{ topic: "t", partition: -1 }],
  [{ topic: "t", partition: 0.5 }],
  [{ topic: "t", timestampMs: -5 }],
  [{ topic: "t", timestampMs: Number.NaN }],
  [{ topic: "t", value: "half \ud83d" }],
  [{ topic: "t", headers: [{ key: "\udd8a", value: null }] }],
  [{ topic: "t", headers: "trace" }],
  [{ topic: "t", headers: [null] }],
  [null],
  ["value"],
])("a send that cannot be meant fails with USAGE: %j", async (record) => {
  const { client, producer } = await producing();
  const typed = client.producer({ serializers: { key: stringSerializer } });
  const usage = { code: "USAGE", retriable: false };
  for (const each of [producer, typed]) {
    expect(await failure(each.send(record as never))).toMatchObject(usage);
    expect(await failure(each.sendMany([record as never]))).toMatchObject(usage);
    expect(await failure(each.sendMany(record as never))).toMatchObject(usage);
  }
  await client.close();
});

test.each([
  [{ topic: "orders", val: "x" }, 'a record has no "val"; expected topic, key, value'],
  [{ topic: "orders", key: Buffer.from("a"), Value: Buffer.from("x") }, 'a record has no "Value"'],
  [{ topic: "orders", value: "x", headers: [{ key: "a", val: "x" }] }, 'a header has no "val"'],
])("a misspelt value is no tombstone: %j is refused, and nothing is sent", async (record, message) => {
  const { broker, client, producer } = await producing();
  const refusal = { code: "USAGE", message: expect.stringContaining(message) };
  expect(await failure(producer.send(record))).toMatchObject(refusal);
  expect(await failure(producer.sendMany([{ topic: "orders", value: "x" }, record]))).toMatchObject(refusal);
  expect(producer.buffered).toEqual({ records: 0, bytes: 0 });
  await client.close();
  expect(broker.produced).toEqual([]);
});

test("a value that is left out, undefined or null is a tombstone", async () => {
  const { client, producer } = await producing();
  const records = [
    { topic: "orders" },
    { topic: "orders", value: undefined },
    { topic: "orders", value: null },
  ];
  await producer.sendMany(records);
  const consumer = client.consumer({ autoOffsetReset: "earliest" });
  consumer.assign([
    { topic: "orders", partition: 0 },
    { topic: "orders", partition: 1 },
  ]);
  expect((await consumer.poll()).map(({ value }) => value)).toEqual([null, null, null]);
  await client.close();
});

test("a partitioner that fails, or gives no number of a partition, fails the record and nothing else", async () => {
  const partitioner = (key: Uint8Array) => {
    if (key.length === 3) throw new Error("no three");
    return key.length - 2;
  };
  const { client, producer } = await producing({ partitioner });
  expect(await failure(producer.send({ topic: "orders", key: "abc" }))).toMatchObject({ code: "USAGE" });
  expect(await failure(producer.send({ topic: "orders", key: "a" }))).toMatchObject({ code: "USAGE" });
  expect(producer.buffered).toEqual({ records: 0, bytes: 0 });
  expect((await producer.send({ topic: "orders", key: "abcde" })).partition).toBe(1);
  await client.close();
});
