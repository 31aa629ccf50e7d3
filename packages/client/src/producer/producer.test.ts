import { decodeRecords } from "@minikafka/record";
import { expect, test } from "vitest";
import { MemoryBroker } from "../../test/support/memory-broker.ts";
import { quiet } from "../../test/support/scripted-peer.ts";
import { connect } from "../client.ts";
import { ManualClock } from "../clock.ts";
import type { MiniKafkaError } from "../errors.ts";
import type { ProducerOptions } from "./producer-options.ts";

async function producing(options: ProducerOptions = {}, topics: { [topic: string]: number } = { orders: 2 }) {
  const broker = new MemoryBroker(topics);
  const clock = new ManualClock(1_000);
  const client = await connect({ link: broker.peer.link }, { clock });
  const producer = client.producer(options);
  return { broker, peer: broker.peer, clock, client, producer };
}

const failure = (promise: Promise<unknown>) =>
  promise.then(
    () => null,
    (error: MiniKafkaError) => error,
  );

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

test("batchBytes 1 sends each record by itself", async () => {
  const { broker, client, producer } = await producing({ batchBytes: 1, lingerMs: 1_000 });
  await Promise.all(
    [0, 1, 2].map((index) => producer.send({ topic: "orders", partition: 0, value: String(index) })),
  );
  expect(broker.produced).toHaveLength(3);
  expect(broker.values("orders", 0)).toEqual(["0", "1", "2"]);
  await client.close();
});

test("without linger, the sends of one turn share a batch", async () => {
  const { broker, client, producer } = await producing();
  await producer.send({ topic: "orders", partition: 0, value: "first" });
  await Promise.all(
    [1, 2, 3].map((value) => producer.send({ topic: "orders", partition: 0, value: `${value}` })),
  );
  expect(broker.produced).toHaveLength(2);
  await client.close();
});

test("a batch never grows past batchBytes, and a record that passes it goes alone", async () => {
  const { broker, client, producer } = await producing({ batchBytes: 400, lingerMs: 1_000 });
  const values = ["a".repeat(150), "b".repeat(150), "c".repeat(150), "d".repeat(900), "e".repeat(10)];
  const pending = values.map((value) => producer.send({ topic: "orders", partition: 0, value }));
  await producer.flush();
  await Promise.all(pending);
  const counts = broker.produced.map(({ batch_b64: frame }) => decodeRecords(frame as Buffer).length);
  expect(counts).toEqual([2, 1, 1, 1]);
  expect(broker.values("orders", 0)).toEqual(values);
  await client.close();
});

test("with a manual clock a lingering batch goes when it is due and runDueFlushes is called, not before and not by itself", async () => {
  const { broker, clock, client, producer } = await producing({ lingerMs: 100 });
  const sent = producer.send({ topic: "orders", key: "alice", value: "v" });
  await quiet();
  clock.advance(99);
  expect(await producer.runDueFlushes()).toBe(0);
  clock.advance(1);
  await quiet();
  expect(broker.produced).toHaveLength(0);
  expect(await producer.runDueFlushes()).toBe(1);
  expect((await sent).offset).toBe(0);
  expect(await producer.runDueFlushes()).toBe(0);
  await client.close();
});

test("linger counts from the send, also when the topic's partitions had to be asked for first", async () => {
  const { broker, peer, clock, client, producer } = await producing({ lingerMs: 100 });
  broker.byHand("metadata", 1);
  const sent = producer.send({ topic: "orders", key: "alice", value: "v" });
  const request = await peer.next("metadata");
  clock.advance(100);
  const flushed = producer.runDueFlushes();
  broker.answerMetadata(request);
  expect(await flushed).toBe(1);
  await sent;
  await client.close();
});

test("with a clock that runs, a timer ends the linger", async () => {
  const broker = new MemoryBroker({ orders: 1 });
  const stepped = new ManualClock();
  const running = {
    mode: "auto" as const,
    nowMs: () => stepped.nowMs(),
    elapsedMs: () => stepped.elapsedMs(),
    after: (delayMs: number, action: () => void) => stepped.after(delayMs, action),
  };
  const client = await connect({ link: broker.peer.link }, { clock: running });
  const producer = client.producer({ lingerMs: 50 });
  const first = producer.send({ topic: "orders", value: "1" });
  await quiet();
  stepped.advance(30);
  const second = producer.send({ topic: "orders", value: "2" });
  await quiet();
  expect(broker.produced).toHaveLength(0);
  stepped.advance(20);
  await Promise.all([first, second]);
  expect(broker.produced).toHaveLength(1);
  const third = producer.send({ topic: "orders", value: "3" });
  await producer.flush();
  await third;
  const fourth = producer.send({ topic: "orders", value: "4" });
  stepped.advance(49);
  await quiet();
  expect(broker.produced).toHaveLength(2);
  stepped.advance(1);
  await fourth;
  await client.close();
  expect(stepped.waiting).toBe(0);
});

test("keyless records stick to a partition until its batch closes, each topic on its own", async () => {
  const { client, producer } = await producing({ lingerMs: 10 }, { orders: 3, events: 3 });
  const places: number[][] = [];
  for (let round = 0; round < 3; round += 1) {
    const topics = round === 1 ? ["orders", "orders"] : ["orders", "orders", "events"];
    const pending = topics.map((topic) => producer.send({ topic, value: "x" }));
    await producer.flush();
    places.push((await Promise.all(pending)).map(({ partition }) => partition));
  }
  expect(places).toEqual([
    [0, 0, 0],
    [1, 1],
    [2, 2, 1],
  ]);
  await client.close();
});

test("a keyless record that the open batch has no room for begins the next partition's batch", async () => {
  const { broker, client, producer } = await producing({ batchBytes: 400, lingerMs: 10 }, { orders: 3 });
  const pending = Array.from({ length: 5 }, () => producer.send({ topic: "orders", value: "v".repeat(150) }));
  await producer.flush();
  expect((await Promise.all(pending)).map(({ partition }) => partition)).toEqual([0, 0, 1, 1, 2]);
  expect(broker.produced).toHaveLength(3);
  await client.close();
});

test("a full buffer refuses a send at once with BUFFER_FULL, and takes more when acknowledgements have made room", async () => {
  const { broker, peer, client, producer } = await producing({ bufferBytesMax: 1_000, batchBytes: 1 });
  broker.byHand("produce", 1);
  const first = producer.send({ topic: "orders", partition: 0, value: "x".repeat(800) });
  const refused = await failure(producer.send({ topic: "orders", partition: 0, value: "y".repeat(200) }));
  expect(refused).toMatchObject({ code: "BUFFER_FULL", retriable: true, details: { bufferBytesMax: 1_000 } });
  expect(producer.buffered).toEqual({ records: 1, bytes: 864 });
  let drained = false;
  const drain = producer.drain().then(() => {
    drained = true;
  });
  await quiet();
  expect(drained).toBe(false);
  broker.answerProduce(await peer.next("produce"));
  await first;
  await drain;
  expect(producer.buffered).toEqual({ records: 0, bytes: 0 });
  await producer.send({ topic: "orders", partition: 0, value: "y".repeat(200) });
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

test("a retriable refusal is tried again before anything that came after it, so that order holds", async () => {
  const { broker, peer, clock, client, producer } = await producing({ batchBytes: 1 });
  broker.byHand("produce", 2);
  const sends = ["1", "2", "3"].map((value) => producer.send({ topic: "orders", partition: 0, value }));
  (await peer.next("produce")).refuse("NOT_ENOUGH_REPLICAS");
  await quiet();
  expect(broker.produced).toHaveLength(1);
  clock.advance(100);
  (await peer.next("produce")).refuse("LEADER_NOT_AVAILABLE");
  await quiet();
  clock.advance(199);
  await quiet();
  expect(broker.produced).toHaveLength(2);
  clock.advance(1);
  expect((await Promise.all(sends)).map(({ offset }) => offset)).toEqual([0, 1, 2]);
  expect(broker.values("orders", 0)).toEqual(["1", "2", "3"]);
  await client.close();
  expect(clock.waiting).toBe(0);
});

test("one batch of a partition is out at once, while other partitions go side by side", async () => {
  const { broker, peer, client, producer } = await producing({ batchBytes: 1 });
  broker.byHand("produce", 3);
  const sends = [0, 0, 1].map((partition) => producer.send({ topic: "orders", partition, value: "v" }));
  const first = await peer.next("produce");
  const other = await peer.next("produce");
  await quiet();
  expect([first.fields.partition, other.fields.partition, peer.unread.length]).toEqual([0, 1, 0]);
  broker.answerProduce(other);
  broker.answerProduce(first);
  broker.answerProduce(await peer.next("produce"));
  await Promise.all(sends);
  await client.close();
});

test("with more batches of a partition out, retries keep their order among themselves", async () => {
  const { broker, peer, clock, client, producer } = await producing({
    batchBytes: 1,
    inFlightPerPartitionMax: 3,
  });
  await producer.send({ topic: "orders", partition: 0, value: "0" });
  broker.byHand("produce", 3);
  const sends = ["1", "2", "3"].map((value) => producer.send({ topic: "orders", partition: 0, value }));
  const requests = [await peer.next("produce"), await peer.next("produce"), await peer.next("produce")];
  for (const index of [1, 0, 2]) requests[index]?.refuse("NOT_ENOUGH_REPLICAS");
  await quiet();
  clock.advance(1_000);
  await Promise.all(sends);
  expect(broker.values("orders", 0)).toEqual(["0", "1", "2", "3"]);
  await client.close();
});

test("a produce that was under way when the link broke is not sent again, and says that its fate is unknown", async () => {
  const { broker, peer, clock, client, producer } = await producing({ batchBytes: 1 });
  broker.byHand("produce", 1);
  const lost = failure(producer.send({ topic: "orders", partition: 0, value: "lost?" }));
  const next = producer.send({ topic: "orders", partition: 0, value: "next" });
  await peer.next("produce");
  peer.breakLink();
  expect(await lost).toMatchObject({ code: "CONNECTION", retriable: true, details: { sent: true } });
  clock.advance(100);
  await next;
  expect(broker.values("orders", 0)).toEqual(["next"]);
  await client.close();
});

test("who prefers duplicates to losses has it sent again, in its place", async () => {
  const { broker, peer, clock, client, producer } = await producing({
    batchBytes: 1,
    onUnknownFate: "retry",
  });
  broker.byHand("produce", 1);
  const sends = ["1", "2"].map((value) => producer.send({ topic: "orders", partition: 0, value }));
  await peer.next("produce");
  peer.breakLink();
  for (let step = 0; step < 4; step += 1) {
    await quiet();
    clock.advance(100);
  }
  await Promise.all(sends);
  expect(broker.values("orders", 0)).toEqual(["1", "2"]);
  await client.close();
});

test("a batch that cannot be delivered within its delivery timeout fails, and the next has its own time", async () => {
  const { broker, peer, clock, client, producer } = await producing({
    batchBytes: 1,
    deliveryTimeoutMs: 250,
  });
  broker.byHand("produce", 2);
  const late = failure(producer.send({ topic: "orders", partition: 0, value: "late" }));
  (await peer.next("produce")).refuse("NOT_ENOUGH_REPLICAS");
  await quiet();
  clock.advance(100);
  (await peer.next("produce")).refuse("NOT_ENOUGH_REPLICAS");
  expect(await late).toMatchObject({ code: "NOT_ENOUGH_REPLICAS" });
  await producer.send({ topic: "orders", partition: 0, value: "fine" });
  expect(broker.values("orders", 0)).toEqual(["fine"]);
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

test("when the broker takes smaller batches, only the record that is too large by itself fails", async () => {
  const { broker, peer, client, producer } = await producing({ lingerMs: 10 });
  broker.byHand("produce");
  const values = ["1", "2", "x".repeat(300), "4", "5"];
  const sends = values.map((value) => producer.send({ topic: "orders", partition: 0, value }));
  const outcomes = Promise.allSettled(sends);
  const flushed = failure(producer.flush());
  for (let settled = false; !settled; ) {
    const request = await peer.next("produce");
    if ((request.fields.batch_b64?.length ?? 0) > 300) request.refuse("RECORD_TOO_LARGE");
    else broker.answerProduce(request);
    settled = broker.values("orders", 0).length === 4;
  }
  expect((await outcomes).map(({ status }) => status)).toEqual([
    "fulfilled",
    "fulfilled",
    "rejected",
    "fulfilled",
    "fulfilled",
  ]);
  expect(await flushed).toMatchObject({ code: "RECORD_TOO_LARGE" });
  expect(broker.values("orders", 0)).toEqual(["1", "2", "4", "5"]);
  expect(producer.buffered).toEqual({ records: 0, bytes: 0 });
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

test("flush fails with the first failure, and sends that were not looked at yet do not end the process", async () => {
  const { broker, peer, client, producer } = await producing({ lingerMs: 100 });
  broker.byHand("produce", 1);
  const sent = producer.send({ topic: "orders", partition: 0, value: "v" });
  const flushed = failure(producer.flush());
  (await peer.next("produce")).refuse("STORAGE_ERROR");
  expect(await flushed).toMatchObject({ code: "STORAGE_ERROR" });
  await quiet();
  expect(await failure(sent)).toMatchObject({ code: "STORAGE_ERROR" });
  await client.close();
});

test("close sends what lingers, then refuses everything", async () => {
  const { broker, clock, client, producer } = await producing({ lingerMs: 10_000 });
  const sent = producer.send({ topic: "orders", partition: 0, value: "last" });
  await producer.close();
  expect((await sent).offset).toBe(0);
  expect(broker.values("orders", 0)).toEqual(["last"]);
  expect(await failure(producer.send({ topic: "orders", value: "v" }))).toMatchObject({ code: "CLOSED" });
  await client.close();
  expect(clock.waiting).toBe(0);
});

test("close tries what waited for a retry once more and then gives up", async () => {
  const { broker, peer, clock, client, producer } = await producing();
  broker.byHand("produce", 2);
  const sent = failure(producer.send({ topic: "orders", partition: 0, value: "v" }));
  (await peer.next("produce")).refuse("NOT_ENOUGH_REPLICAS");
  await quiet();
  const closed = failure(producer.close());
  (await peer.next("produce")).refuse("NOT_ENOUGH_REPLICAS");
  expect(await sent).toMatchObject({ code: "NOT_ENOUGH_REPLICAS" });
  expect(await closed).toMatchObject({ code: "NOT_ENOUGH_REPLICAS" });
  await client.close();
  expect(clock.waiting).toBe(0);
});

test("close does not wait longer than it may: what is left fails with CLOSED", async () => {
  const { broker, peer, clock, client, producer } = await producing();
  broker.byHand("produce", 1);
  const sent = failure(producer.send({ topic: "orders", partition: 0, value: "v" }));
  const late = await peer.next("produce");
  const closed = failure(producer.close({ timeoutMs: 200 }));
  await quiet();
  clock.advance(200);
  expect(await sent).toMatchObject({ code: "CLOSED", details: { sent: true } });
  expect(await closed).toMatchObject({ code: "CLOSED" });
  broker.answerProduce(late);
  await quiet();
  expect(producer.buffered).toEqual({ records: 0, bytes: 0 });
  await client.close();
});

test("a client that closes while the broker is gone ends its producers at once and leaves no timer", async () => {
  const { peer, clock, client, producer } = await producing({ lingerMs: 10 });
  peer.refuseLinks(new Error("gone"));
  peer.breakLink();
  const sent = failure(producer.send({ topic: "orders", value: "v" }));
  await quiet();
  expect(await failure(client.close())).toMatchObject({ code: "CLOSED" });
  expect(await sent).toMatchObject({ code: "CLOSED", details: { sent: false } });
  expect([clock.waiting, peer.openLinkCount]).toEqual([0, 0]);
});

test.each([
  [{ topic: "" }],
  [{ topic: "t", partition: -1 }],
  [{ topic: "t", partition: 0.5 }],
  [{ topic: "t", timestampMs: -5 }],
  [{ topic: "t", timestampMs: Number.NaN }],
])("a send that cannot be meant fails with USAGE: %j", async (record) => {
  const { client, producer } = await producing();
  expect(await failure(producer.send(record))).toMatchObject({ code: "USAGE", retriable: false });
  await client.close();
});

test.each([
  { batchBytes: 0 },
  { batchBytes: 3_000_000 },
  { lingerMs: -1 },
  { bufferBytesMax: 0 },
  { deliveryTimeoutMs: 5, lingerMs: 10 },
  { batchBytesMax: 4_000_000 },
])("options that do not fit together are refused: %j", async (options) => {
  const { client } = await producing();
  expect(() => client.producer(options)).toThrow(expect.objectContaining({ code: "USAGE" }));
  await client.close();
});
