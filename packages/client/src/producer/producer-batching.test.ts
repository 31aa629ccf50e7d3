import { decodeRecords, readBatchHeader } from "@minikafka/record";
import { expect, test } from "vitest";
import { failure } from "../../test/support/failure.ts";
import { MemoryBroker } from "../../test/support/memory-broker.ts";
import { producing } from "../../test/support/producing.ts";
import { quiet } from "../../test/support/scripted-peer.ts";
import { connect } from "../client.ts";
import { ManualClock } from "../clock.ts";

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

test.each(["gzip", "snappy", "lz4", "zstd"] as const)(
  "with compression %s batches are packed, and their records are those that were sent",
  async (compression) => {
    const { broker, client, producer } = await producing({ compression, lingerMs: 1_000 });
    const values = Array.from({ length: 50 }, (_, index) => `${index}: ${"abc".repeat(30)}`);
    const sent = values.map((value) => producer.send({ topic: "orders", partition: 0, value }));
    await producer.flush();
    expect((await Promise.all(sent)).map(({ offset }) => offset)).toEqual([...values.keys()]);
    const frames = broker.produced.map(({ batch_b64: frame }) => frame as Buffer);
    expect(frames.map((frame) => readBatchHeader(frame).codec)).toEqual([compression]);
    expect(frames[0]?.length).toBeLessThan(2_000);
    expect(broker.values("orders", 0)).toEqual(values);
    await client.close();
  },
);

test("a batch that compression would not make smaller goes as it is", async () => {
  const { broker, client, producer } = await producing({ compression: "gzip" });
  await producer.send({ topic: "orders", partition: 0, value: "v" });
  const [sent] = broker.produced;
  expect(readBatchHeader(sent?.batch_b64 as Buffer).codec).toBe("none");
  await client.close();
});

test("a compressed batch that the broker finds too large is halved, and the halves are compressed as well", async () => {
  const options = { compression: "zstd", idempotent: true, lingerMs: 10 } as const;
  const { broker, peer, client, producer } = await producing(options);
  broker.byHand("produce", 1);
  const values = ["1", "2", "3"].map((value) => value.padEnd(300, "."));
  const sent = values.map((value) => producer.send({ topic: "orders", partition: 0, value }));
  void producer.flush();
  (await peer.next("produce")).refuse("RECORD_TOO_LARGE");
  await Promise.all(sent);
  expect(broker.values("orders", 0)).toEqual(values);
  const headers = broker.produced.map(({ batch_b64: frame }) => readBatchHeader(frame as Buffer));
  expect(headers).toMatchObject([
    { codec: "zstd", baseSequence: 0, recordCount: 3 },
    { codec: "zstd", baseSequence: 0, recordCount: 2 },
    { codec: "zstd", baseSequence: 2, recordCount: 1 },
  ]);
  await client.close();
});

test("an unknown compression is refused when the producer is made", async () => {
  const { client } = await producing();
  const options = { compression: "brotli" } as unknown as { compression: "gzip" };
  expect(() => client.producer(options)).toThrow(
    expect.objectContaining({
      code: "USAGE",
      message: 'compression is "brotli"; expected one of none, gzip, snappy, lz4, zstd',
    }),
  );
  await client.close();
});
