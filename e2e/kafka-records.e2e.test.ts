/** Records through Kafka's protocol by kafkajs, against the running daemon, and the same records through the other protocol. */
import type { Client, ConsumerRecord } from "@minikafka/client";
import type { Kafka, Message } from "kafkajs";
import { expect, test } from "vitest";
import { kafkaWorld, Member, opened } from "./support/kafka-world.ts";

const texts = (count: number) => Array.from({ length: count }, (_, index) => ({ value: `v${index}` }));

async function produced(kafka: Kafka, topic: string, messages: Message[], acks = -1) {
  const producer = await opened(kafka.producer());
  return producer.send({ topic, messages, acks });
}

async function readAll(client: Client, topic: string, count: number): Promise<ConsumerRecord[]> {
  const consumer = client.consumer({ autoOffsetReset: "earliest" });
  consumer.assign([{ topic, partition: 0 }]);
  const found: ConsumerRecord[] = [];
  while (found.length < count) found.push(...(await consumer.poll({ timeoutMs: 1_000 })));
  await consumer.close();
  return found;
}

const plain = (value: Buffer | string | undefined | null) => value?.toString() ?? null;

test("a first record makes its topic, and is acknowledged with its offset by one broker or by all", async () => {
  const { kafka, client } = await kafkaWorld();
  expect(await produced(kafka, "made", texts(3), -1)).toMatchObject([{ errorCode: 0, baseOffset: "0" }]);
  expect(await produced(kafka, "made", texts(2), 1)).toMatchObject([{ errorCode: 0, baseOffset: "3" }]);
  expect((await client.admin().listTopics()).map(({ topic }) => topic)).toEqual(["made"]);
});

test("with a timeout of 0 kafkajs is acknowledged, and what it sends is there once", async () => {
  const { kafka, client } = await kafkaWorld();
  const producer = await opened(kafka.producer());
  for (const [index, timeout] of [0, -1].entries())
    expect(await producer.send({ topic: "t", acks: -1, timeout, messages: texts(1) })).toMatchObject([
      { errorCode: 0, baseOffset: `${index}` },
    ]);
  expect(await readAll(client, "t", 2)).toHaveLength(2);
});

test("a record to which kafkajs gives no time has none: to kafkajs, to the SDK, and to who seeks a time", async () => {
  const { kafka, client } = await kafkaWorld();
  await produced(kafka, "t", [{ value: "untimed", timestamp: "-1" }]);
  await produced(kafka, "t", [{ value: "timed", timestamp: "5000" }]);
  const found = await readAll(client, "t", 2);
  expect(found.map(({ timestampMs }) => timestampMs)).toEqual([-1, 5_000]);
  const member = await Member.begin(kafka, { topic: "t" });
  await member.until(() => member.messages.length === 2);
  expect(member.messages.map(({ timestamp }) => timestamp)).toEqual(["-1", "5000"]);
  const admin = await opened(kafka.admin());
  expect(await admin.fetchTopicOffsetsByTimestamp("t", 0)).toEqual([{ partition: 0, offset: "1" }]);
});

test("records that nobody acknowledges are there as well, in their order", async () => {
  const { kafka, client } = await kafkaWorld();
  const producer = await opened(kafka.producer());
  for (let index = 0; index < 20; index += 1)
    expect(await producer.send({ topic: "t", acks: 0, messages: [{ value: `${index}` }] })).toEqual([]);
  // Behind them in the same connection.
  await producer.send({ topic: "t", messages: [{ value: "last" }] });
  const found = await readAll(client, "t", 21);
  expect(found.map(({ value }) => `${value}`)).toEqual([
    ...Array.from({ length: 20 }, (_, index) => `${index}`),
    "last",
  ]);
});

test("what kafkajs writes the SDK reads: keys, null keys and values, empty ones, headers and times", async () => {
  const { kafka, client } = await kafkaWorld();
  const bytes = Buffer.from([0, 255, 128, 10]);
  await produced(kafka, "t", [
    {
      key: "k",
      value: "v",
      timestamp: "1700000000001",
      headers: { name: "one", two: ["a", "b"], raw: bytes },
    },
    { key: null, value: null, timestamp: "1700000000000" },
    { key: "", value: "", timestamp: "1700000000002" },
    { key: bytes, value: bytes, timestamp: "1700000000003" },
  ]);
  const found = await readAll(client, "t", 4);
  expect(found.map(({ offset, key, value, timestampMs }) => [offset, key, value, timestampMs])).toEqual([
    [0, Buffer.from("k"), Buffer.from("v"), 1700000000001],
    [1, null, null, 1700000000000],
    [2, Buffer.alloc(0), Buffer.alloc(0), 1700000000002],
    [3, bytes, bytes, 1700000000003],
  ]);
  expect(found[0]?.headers).toEqual([
    { key: "name", value: Buffer.from("one") },
    { key: "two", value: Buffer.from("a") },
    { key: "two", value: Buffer.from("b") },
    { key: "raw", value: bytes },
  ]);
});

test("what the SDK writes kafkajs reads: keys, null keys and values, headers and times", async () => {
  const { kafka, client } = await kafkaWorld();
  await client.admin().createTopic({ topic: "t", partitions: 1 });
  await client.producer().sendMany([
    { topic: "t", key: "k", value: "v", timestampMs: 1700000000001, headers: [{ key: "h", value: "1" }] },
    { topic: "t", value: null, timestampMs: 1700000000000 },
    { topic: "t", key: Buffer.alloc(0), value: "ü€", timestampMs: 1700000000002 },
  ]);
  const messages = await (await Member.join(kafka, { topic: "t" })).read(3);
  expect(
    messages.map(({ offset, key, value, timestamp }) => [offset, plain(key), plain(value), timestamp]),
  ).toEqual([
    ["0", "k", "v", "1700000000001"],
    ["1", null, null, "1700000000000"],
    ["2", "", "ü€", "1700000000002"],
  ]);
  expect(messages.map(({ headers }) => plain(headers?.h as Buffer | undefined))).toEqual(["1", null, null]);
});

test("a consumer begins at the start, at the end, at an offset, and at a time", async () => {
  const { kafka } = await kafkaWorld();
  const at = (index: number) => `${1700000000000 + index * 1000}`;
  const messages = texts(10).map((message, index) => ({ ...message, timestamp: at(index) }));
  await produced(kafka, "t", messages);
  const fromStart = await Member.join(kafka, { topic: "t", groupId: "start" });
  const fromEnd = await Member.join(kafka, { topic: "t", groupId: "end", fromBeginning: false });
  const fromOffset = await Member.join(kafka, { topic: "t", groupId: "offset", fromBeginning: false });
  const admin = await opened(kafka.admin());
  const [found] = await admin.fetchTopicOffsetsByTimestamp("t", Number(at(7)) - 999);
  expect(found).toEqual({ partition: 0, offset: "7" });
  expect(await admin.fetchTopicOffsetsByTimestamp("t", Number(at(10)))).toEqual([
    { partition: 0, offset: "10" },
  ]);
  fromOffset.consumer.seek({ topic: "t", partition: 0, offset: found?.offset ?? "" });
  expect((await fromOffset.read(3)).map(({ offset }) => offset)).toEqual(["7", "8", "9"]);
  await fromStart.read(10);
  expect(fromStart.values).toEqual(messages.map(({ value }) => value));
  // Wherever the end was when it looked, what comes after its first empty fetch is seen.
  await produced(kafka, "t", [{ value: "new" }]);
  await fromEnd.read(1);
  expect(fromEnd.values).toEqual(["new"]);
});

test("seek goes back and forth within a partition, and from an offset that is not there on the consumer begins anew", async () => {
  const { kafka } = await kafkaWorld();
  await produced(kafka, "t", texts(5));
  const member = await Member.join(kafka, { topic: "t" });
  const offsets = () => member.messages.map(({ offset }) => Number(offset));
  await member.read(5);
  member.consumer.seek({ topic: "t", partition: 0, offset: "3" });
  await member.read(7);
  expect(offsets()).toEqual([0, 1, 2, 3, 4, 3, 4]);
  member.consumer.seek({ topic: "t", partition: 0, offset: "1000" });
  await member.read(12);
  expect(offsets().slice(7)).toEqual([0, 1, 2, 3, 4]);
});

test("records of many topics and partitions go out and come in by one request each, every one to its place", async () => {
  const { kafka, client } = await kafkaWorld(["--brokers", "3"]);
  const topics = ["one", "two", "three"];
  for (const topic of topics)
    await client.admin().createTopic({ topic, partitions: 4, replicationFactor: 3 });
  const producer = await opened(kafka.producer());
  const place = (topic: string, partition: number) => ({
    partition,
    key: topic,
    value: `${topic}/${partition}`,
  });
  await producer.sendBatch({
    topicMessages: topics.map((topic) => ({
      topic,
      messages: [0, 1, 2, 3].map((index) => place(topic, index)),
    })),
  });
  const found = new Set<string>();
  for (const topic of topics) {
    const member = await Member.join(kafka, { topic, groupId: `of ${topic}` });
    for (const each of await member.read(4)) found.add(`${each.value}=${each.topic}/${each.partition}`);
  }
  expect([...found].sort()).toEqual(
    topics.flatMap((topic) => [0, 1, 2, 3].map((index) => `${topic}/${index}=${topic}/${index}`)).sort(),
  );
});

test("a record that is too large is refused with Kafka's own error, and the connection goes on", async () => {
  const { kafka, client } = await kafkaWorld();
  await client.admin().createTopic({ topic: "t", partitions: 1, config: { max_message_bytes: 1_000 } });
  const producer = await opened(kafka.producer());
  const tooLarge = producer.send({ topic: "t", messages: [{ value: "x".repeat(2_000) }] });
  await expect(tooLarge).rejects.toMatchObject({ type: "MESSAGE_TOO_LARGE" });
  expect(await producer.send({ topic: "t", messages: [{ value: "small" }] })).toMatchObject([
    { baseOffset: "0" },
  ]);
});

test("an unknown topic is made only where the setting wants it", async () => {
  const { kafka } = await kafkaWorld(["--auto-create-topics", "false"]);
  const retry = { retries: 1, initialRetryTime: 1 };
  const producer = await opened(kafka.producer({ retry }));
  await expect(producer.send({ topic: "t", messages: texts(1) })).rejects.toMatchObject({
    cause: { type: "UNKNOWN_TOPIC_OR_PARTITION" },
  });
});
