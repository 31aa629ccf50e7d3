import { MemoryDisk } from "@minikafka/core/testing";
import { expect, test } from "vitest";
import { base64, Session, settle } from "./support/broker.ts";
import { fetchRequest, listed, read, send } from "./support/kafka-asks.ts";
import { KafkaClient, openKafkaBroker } from "./support/kafka-client.ts";
import { kafkaBatch, kafkaValues } from "./support/kafka-records.ts";

async function openWithTopic(settings = {}, partitions = 2) {
  const broker = await openKafkaBroker(settings);
  const { topicId } = broker.cluster.createTopic({ topic: "orders", partitions });
  return { broker, topicId, client: await KafkaClient.open(broker) };
}

/** Until a request has arrived, and waits; the test's own time limit ends it otherwise. */
async function untilWaiting(json: Session, what: "long_poll" | "answer"): Promise<void> {
  for (;;) {
    const { deadlines } = await json.call("pending_steps");
    if (deadlines.some((each) => each.what === what)) return;
  }
}

test("what is produced in any version is read in any version, and by the JSON protocol; and the other way round", async () => {
  const { broker, client, topicId } = await openWithTopic();
  const json = Session.open(broker);
  for (let version = 3; version <= 11; version += 1) {
    const answer = await send(client, kafkaBatch([`a${version}`, `b${version}`]), { version });
    expect(answer).toMatchObject({ errorCode: 0, baseOffset: (version - 3) * 3, logAppendTimeMs: -1 });
    await json.call("produce", { topic: "orders", partition: 0, value_b64: base64(`c${version}`) });
  }
  const expected = Array.from({ length: 9 }, (_none, index) => [
    { baseOffset: index * 3, values: [`a${index + 3}`, `b${index + 3}`] },
    { baseOffset: index * 3 + 2, values: [`c${index + 3}`] },
  ]).flat();
  for (let version = 4; version <= 17; version += 1) {
    const found = await read(client, { version, ...(version >= 13 && { topicId }) });
    expect(found).toMatchObject({ errorCode: 0, highWatermark: 27, lastStableOffset: 27 });
    expect(kafkaValues(found?.records ?? null), `version ${version}`).toEqual(expected);
  }
  const { records } = await json.call("fetch", { topic: "orders", partition: 0, offset: 0 });
  const values = records?.map(({ value_b64 }) => String(value_b64));
  expect(values).toHaveLength(27);
});

test("a fetch in the middle of a batch brings the whole batch, and one batch however little is asked for", async () => {
  const { client } = await openWithTopic();
  await send(client, kafkaBatch(["a", "b", "c"]));
  await send(client, kafkaBatch(["d"]));
  const middle = await read(client, { offset: 1, partitionMaxBytes: 1 });
  expect(kafkaValues(middle?.records ?? null)).toEqual([{ baseOffset: 0, values: ["a", "b", "c"] }]);
  const least = await read(client, { offset: 3, maxBytes: 1 });
  expect(kafkaValues(least?.records ?? null)).toEqual([{ baseOffset: 3, values: ["d"] }]);
  expect((await read(client, { offset: 4 }))?.records).toHaveLength(0);
  expect(await read(client, { offset: 5 })).toMatchObject({ errorCode: 1, highWatermark: -1 });
});

test("of several partitions only the first batch of all may be longer than what was asked for", async () => {
  const { client } = await openWithTopic();
  await send(client, kafkaBatch(["a".repeat(100)]), { partition: 0 });
  await send(client, kafkaBatch(["b".repeat(100)]), { partition: 1 });
  const request = fetchRequest({ maxBytes: 150 });
  const other = { partition: 1, fetchOffset: 0, partitionMaxBytes: 1 << 20 };
  const [topic] = request.topics;
  const topics = [{ topic: "orders", partitions: [...(topic?.partitions ?? []), other] }];
  const { responses } = await client.ask("Fetch", 11, { ...request, topics });
  const bytes = responses[0]?.partitions.map(({ records }) => records?.length);
  expect(bytes?.[0]).toBeGreaterThan(150);
  expect(bytes?.[1]).toBe(0);
});

test("a long poll is answered when there is enough, and holds up no answer of a request that was sent before it", async () => {
  const { broker, client } = await openWithTopic();
  const writer = await KafkaClient.open(broker);
  const waiting = read(client, { maxWaitMs: 30_000, minBytes: 100 });
  // Too little.
  await send(writer, kafkaBatch(["a"]));
  await send(writer, kafkaBatch(["b".repeat(100)]));
  const found = await waiting;
  expect(kafkaValues(found?.records ?? null).map(({ baseOffset }) => baseOffset)).toEqual([0, 1]);
});

test("a long poll ends when its time is over, with what there is, and at once when there is an error to tell", async () => {
  const broker = await openKafkaBroker({ clock: "manual" });
  broker.cluster.createTopic({ topic: "orders", partitions: 1 });
  const client = await KafkaClient.open(broker);
  const json = Session.open(broker);
  const waiting = read(client, { maxWaitMs: 1_000, minBytes: 1 });
  // Behind it, on the same connection: taken at once, answered in its turn.
  const behind = client.ask("ApiVersions", 0, {});
  await untilWaiting(json, "long_poll");
  expect(client.correlationIds).toEqual([]);
  await json.call("advance_clock", { ms: 1_000 });
  expect((await waiting)?.records).toHaveLength(0);
  expect((await behind).errorCode).toBe(0);
  expect(client.correlationIds).toEqual([1, 2]);
  expect(await read(client, { topic: "unknown", maxWaitMs: 1_000 })).toMatchObject({ errorCode: 3 });
});

test("fetch sessions are declined: a first fetch gets session 0 and everything, and one that goes on with a session is told that there is none", async () => {
  const { client } = await openWithTopic();
  await send(client, kafkaBatch(["a"]));
  for (const sessionEpoch of [-1, 0]) {
    const first = await client.ask("Fetch", 11, fetchRequest({ sessionId: 0, sessionEpoch }));
    expect(first).toMatchObject({ errorCode: 0, sessionId: 0 });
    expect(first.responses[0]?.partitions[0]?.records?.length).toBeGreaterThan(0);
  }
  const unknown = await client.ask("Fetch", 11, fetchRequest({ sessionId: 7, sessionEpoch: 3 }));
  expect(unknown).toMatchObject({ errorCode: 70, sessionId: 0 });
  const wrong = await client.ask("Fetch", 11, fetchRequest({ sessionId: 0, sessionEpoch: 3 }));
  expect(wrong).toMatchObject({ errorCode: 71 });
  const closing = await client.ask("Fetch", 11, fetchRequest({ sessionId: 7, sessionEpoch: -1 }));
  expect(closing).toMatchObject({ errorCode: 0 });
});

test("acks 0 is not answered, and takes no place in the order; one that is refused ends the connection", async () => {
  const { broker, client } = await openWithTopic();
  const partitionData = [{ index: 0, records: kafkaBatch(["a"]) }];
  const silent = { acks: 0, timeoutMs: 1_000, topicData: [{ name: "orders", partitionData }] };
  client.send(client.frame("Produce", 7, silent));
  expect((await client.ask("ApiVersions", 0, {})).errorCode).toBe(0);
  expect(client.correlationIds).toEqual([2]);
  expect(broker.cluster.describeOffsets({ topic: "orders", partition: 0 }).logEndOffset).toBe(1);
  client.send(client.frame("Produce", 7, { ...silent, topicData: [{ name: "unknown", partitionData }] }));
  await client.closed();
});

test("what is amiss stands with its partition, and the others are appended", async () => {
  const { broker, client } = await openWithTopic();
  const batch = kafkaBatch(["a"]);
  const damaged = Buffer.from(batch);
  damaged.writeUInt8(damaged.readUInt8(damaged.length - 1) ^ 1, damaged.length - 1);
  const { responses } = await client.ask("Produce", 9, {
    acks: 1,
    timeoutMs: 1_000,
    topicData: [
      {
        name: "orders",
        partitionData: [
          { index: 0, records: damaged },
          { index: 1, records: batch },
          { index: 7, records: batch },
        ],
      },
      { name: "unknown", partitionData: [{ index: 0, records: batch }] },
    ],
  });
  const codes = responses.map(({ partitionResponses }) =>
    partitionResponses.map(({ errorCode }) => errorCode),
  );
  expect(codes).toEqual([[2, 0, 3], [3]]);
  expect(responses[0]?.partitionResponses[0]?.errorMessage).toMatch(/CRC/i);
  expect(await send(client, batch, { acks: 2 })).toMatchObject({ errorCode: 21 });
  expect(await send(client, null)).toMatchObject({ errorCode: 87 });
  expect(await send(client, Buffer.concat([batch, batch]))).toMatchObject({ errorCode: 87 });
  broker.cluster.alterConfig("orders", { max_message_bytes: 1_000 });
  const tooLong = await send(client, kafkaBatch(["x".repeat(2_000)]));
  expect(tooLong).toMatchObject({ errorCode: 10, baseOffset: -1 });
});

test("a batch of an idempotent producer that comes again is answered with the offset that it got; a gap and an old epoch are refused", async () => {
  const { broker, client } = await openWithTopic();
  const { producerId, producerEpoch } = broker.cluster.initProducer({});
  const of = (baseSequence: number, epoch = producerEpoch) =>
    kafkaBatch(["a", "b"], { producerId, producerEpoch: epoch, baseSequence });
  expect(await send(client, of(0))).toMatchObject({ errorCode: 0, baseOffset: 0 });
  expect(await send(client, of(2))).toMatchObject({ errorCode: 0, baseOffset: 2 });
  expect(await send(client, of(0))).toMatchObject({ errorCode: 0, baseOffset: 0 });
  expect(await send(client, of(9))).toMatchObject({ errorCode: 45, baseOffset: -1 });
  expect(broker.cluster.describeOffsets({ topic: "orders", partition: 0 }).logEndOffset).toBe(4);
  const next = broker.cluster.initProducer({ current: { producerId, producerEpoch } });
  expect(await send(client, of(0, next.producerEpoch))).toMatchObject({ errorCode: 0, baseOffset: 4 });
  expect(await send(client, of(4))).toMatchObject({ errorCode: 47 });
});

test("where the leader gives the time, its answer tells it", async () => {
  const { broker, client } = await openWithTopic();
  broker.cluster.alterConfig("orders", { message_timestamp_type: "LogAppendTime" });
  const answer = await send(client, kafkaBatch(["a"]));
  expect(answer?.logAppendTimeMs).toBeGreaterThan(1_700_000_000_000);
  const found = await read(client);
  // Attributes with the bit of append times; the latest time is that of the append.
  expect(found?.records?.readInt16BE(21)).toBe(8);
  expect(Number(found?.records?.readBigInt64BE(35))).toBe(answer?.logAppendTimeMs);
});

test("acks -1 that cannot be kept in time is REQUEST_TIMED_OUT", async () => {
  const broker = await openKafkaBroker({ clock: "manual", brokers: 2 });
  broker.cluster.createTopic({ topic: "orders", partitions: 1, replicationFactor: 2 });
  const client = await KafkaClient.open(broker);
  const json = Session.open(broker);
  const sent = send(client, kafkaBatch(["a"]));
  await untilWaiting(json, "answer");
  await json.call("advance_clock", { ms: 5_000 });
  expect(await sent).toMatchObject({ errorCode: 7 });
});

test.each([
  [0, "auto", 1],
  [-1, "auto", 1],
  [0, "manual", 2],
] as const)(
  "acks -1 with a timeout of %d, clock %s, waits for its own disk alone (of %d replicas)",
  async (timeoutMs, clock, replicas) => {
    const disk = new MemoryDisk();
    const broker = await openKafkaBroker({ clock, brokers: replicas }, disk);
    const place = { topic: "orders", partition: 0 };
    broker.cluster.createTopic({ topic: "orders", partitions: 1, replicationFactor: replicas });
    const client = await KafkaClient.open(broker);
    if (replicas > 1) broker.cluster.removeFromIsr(place, 2);
    disk.holdSyncs();
    const sent = send(client, kafkaBatch(["a"]), { timeoutMs });
    while (broker.cluster.describeOffsets(place).logEndOffset < 1) await settle();
    await settle();
    disk.releaseSyncs();
    expect(await sent).toMatchObject({ errorCode: 0, baseOffset: 0 });
  },
);

test("acks -1 without any time for its follower is REQUEST_TIMED_OUT at once", async () => {
  const broker = await openKafkaBroker({ clock: "manual", brokers: 2 });
  broker.cluster.createTopic({ topic: "orders", partitions: 1, replicationFactor: 2 });
  const client = await KafkaClient.open(broker);
  expect(await send(client, kafkaBatch(["a"]), { timeoutMs: 0 })).toMatchObject({ errorCode: 7 });
});

test("ListOffsets finds the start, the end, a time, the latest time, and nothing behind it; in every version", async () => {
  const { broker, client } = await openWithTopic();
  for (const [value, timeMs] of [
    ["a", 1_000],
    ["b", 3_000],
    ["c", 2_000],
  ] as const)
    await send(client, kafkaBatch([value], {}, timeMs));
  for (let version = 1; version <= 7; version += 1) {
    expect(await listed(broker, client, -2, version)).toMatchObject({
      errorCode: 0,
      offset: 0,
      timestamp: -1,
    });
    expect(await listed(broker, client, -1, version)).toMatchObject({
      errorCode: 0,
      offset: 3,
      timestamp: -1,
    });
    expect(await listed(broker, client, 1_500, version)).toMatchObject({ offset: 1, timestamp: 3_000 });
    expect(await listed(broker, client, 9_000, version)).toMatchObject({
      errorCode: 0,
      offset: -1,
      timestamp: -1,
    });
  }
  expect(await listed(broker, client, -3, 7)).toMatchObject({ offset: 1, timestamp: 3_000 });
  expect(await listed(broker, client, -3, 6)).toMatchObject({ errorCode: 35, offset: -1 });
  expect(await listed(broker, client, -4, 7)).toMatchObject({ errorCode: 35 });
  const twice = { partitionIndex: 0, timestamp: -1 };
  const { topics } = await client.ask("ListOffsets", 3, {
    topics: [
      { name: "orders", partitions: [twice, twice, { partitionIndex: 1, timestamp: -3 }] },
      { name: "unknown", partitions: [twice] },
    ],
  });
  const codes = topics.map(({ partitions }) => partitions.map(({ errorCode }) => errorCode));
  expect(codes).toEqual([[42, 42, 35], [3]]);
});

test("an empty partition has no latest time, and an id of no topic is told in its place", async () => {
  const { broker, client, topicId } = await openWithTopic();
  expect(await listed(broker, client, -3)).toMatchObject({ errorCode: 0, offset: -1, timestamp: -1 });
  expect(await read(client, { version: 13, topicId })).toMatchObject({ errorCode: 0 });
  const unknown = "12345678-1234-1234-1234-123456789abc";
  expect(await read(client, { version: 13, topicId: unknown })).toMatchObject({ errorCode: 100 });
  broker.cluster.deleteTopic("orders");
  expect(await read(client, { version: 13, topicId })).toMatchObject({ errorCode: 100 });
});
