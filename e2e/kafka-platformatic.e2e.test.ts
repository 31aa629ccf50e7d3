/** @platformatic/kafka against the running daemon: flexible versions, topic ids in Fetch, and groups of its own kind. */
import {
  Admin,
  Consumer,
  type Message,
  Producer,
  stringDeserializers,
  stringSerializers,
} from "@platformatic/kafka";
import { expect, onTestFinished, test } from "vitest";
import { addressesOf, type KafkaWorld, kafkaWorld, Member, opened } from "./support/kafka-world.ts";
import { quietOnceClosed } from "./support/quiet-once-closed.ts";

type Text = Message<string, string, string, string>;

/** `close` returns a promise, whatever its overloads say. */
function closing<Part>(part: Part, close: (part: Part) => unknown): Part {
  onTestFinished(async () => {
    await Promise.resolve(close(part)).catch(() => {});
  });
  return part;
}

const base = ({ daemon }: KafkaWorld) => ({
  clientId: "e2e",
  bootstrapBrokers: addressesOf(daemon),
  retryDelay: 20,
});

function producerOf(world: KafkaWorld) {
  const producer = new Producer({ ...base(world), serializers: stringSerializers, autocreateTopics: true });
  return closing(producer, (each) => each.close(true));
}

function consumerOf(world: KafkaWorld, groupId = "readers") {
  const options = {
    groupId,
    heartbeatInterval: 50,
    maxWaitTime: 50,
    sessionTimeout: 10_000,
    rebalanceTimeout: 10_000,
  };
  const consumer = new Consumer({ ...base(world), ...options, deserializers: stringDeserializers });
  quietOnceClosed(consumer);
  return closing(consumer, (each) => each.close(true));
}

type Reader = ReturnType<typeof consumerOf>;
type StreamOptions = Omit<Parameters<Reader["consume"]>[0], "topics">;

/** The first `count` of what comes. */
async function read(
  consumer: Reader,
  topic: string,
  count: number,
  options: StreamOptions = {},
): Promise<Text[]> {
  const stream = await consumer.consume({ topics: [topic], mode: "earliest", autocommit: false, ...options });
  const found: Text[] = [];
  for await (const message of stream) {
    found.push(message);
    if (found.length === count) break;
  }
  return found;
}

const values = (messages: readonly Text[]) => messages.map(({ value }) => value);
const texts = (topic: string, count: number) =>
  Array.from({ length: count }, (_, index) => ({ topic, value: `v${index}` }));

test("@platformatic/kafka produces with acks 0, 1 and -1 into a topic that its first record makes, and reads all of it", async () => {
  const world = await kafkaWorld();
  const producer = producerOf(world);
  const send = (value: string, acks: number) => producer.send({ acks, messages: [{ topic: "t", value }] });
  expect((await send("all", -1)).offsets).toEqual([{ topic: "t", partition: 0, offset: 0n }]);
  await send("none", 0);
  expect((await send("one", 1)).offsets).toEqual([{ topic: "t", partition: 0, offset: 2n }]);
  expect(values(await read(consumerOf(world), "t", 3))).toEqual(["all", "none", "one"]);
});

test("@platformatic/kafka, kafkajs and the SDK read what each of them wrote", async () => {
  const world = await kafkaWorld();
  const headers = { h: "1" };
  await producerOf(world).send({
    messages: [{ topic: "t", key: "p", value: "platformatic", headers, timestamp: 1700000000000n }],
  });
  const kafkajs = await opened(world.kafka.producer());
  await kafkajs.send({
    topic: "t",
    messages: [{ key: "k", value: "kafkajs", headers, timestamp: "1700000000001" }],
  });
  await world.client.producer({ acks: "all" }).send({
    ...{ topic: "t", partition: 0, key: "s", value: "sdk", timestampMs: 1700000000002 },
    headers: [{ key: "h", value: "1" }],
  });
  const expected = ["p/platformatic/1/1700000000000", "k/kafkajs/1/1700000000001", "s/sdk/1/1700000000002"];
  const own = await read(consumerOf(world), "t", 3);
  expect(
    own.map(({ key, value, headers, timestamp }) => `${key}/${value}/${headers.get("h")}/${timestamp}`),
  ).toEqual(expected);
  const others = await (await Member.join(world.kafka, { topic: "t", groupId: "others" })).read(3);
  expect(
    others.map(({ key, value, headers, timestamp }) => `${key}/${value}/${headers?.h}/${timestamp}`),
  ).toEqual(expected);
});

test("@platformatic/kafka reads from the end, from an offset, and goes on where its group has committed", async () => {
  const world = await kafkaWorld();
  const producer = producerOf(world);
  await producer.send({ messages: texts("t", 5) });
  const manual: StreamOptions = { mode: "manual", offsets: [{ topic: "t", partition: 0, offset: 3n }] };
  expect(values(await read(consumerOf(world, "manual"), "t", 2, manual))).toEqual(["v3", "v4"]);
  const first = consumerOf(world);
  const half = await read(first, "t", 2);
  await half[1]?.commit();
  await first.close(true);
  expect((await world.client.admin().fetchOffsets("readers"))[0]).toMatchObject({
    topic: "t",
    partition: 0,
    offset: 2,
  });
  expect(values(await read(consumerOf(world), "t", 3, { mode: "committed" }))).toEqual(["v2", "v3", "v4"]);
  const latest = consumerOf(world, "latest");
  const stream = await latest.consume({ topics: ["t"], mode: "latest", autocommit: false });
  await producer.send({ messages: [{ topic: "t", value: "new" }] });
  for await (const { value } of stream) {
    expect(value).toBe("new");
    break;
  }
});

test("three consumers of @platformatic/kafka share partitions as they come and go", async () => {
  const world = await kafkaWorld();
  await world.client.admin().createTopic({ topic: "t", partitions: 6 });
  const shares = (...consumers: Reader[]) =>
    consumers.map(({ assignments }) => assignments?.[0]?.partitions.length ?? 0);
  const joined = async (consumers: readonly Reader[], each: number) => {
    while (shares(...consumers).some((share) => share !== each))
      await new Promise((resolve) => setImmediate(resolve));
  };
  const consumers: Reader[] = [];
  for (const each of [6, 3, 2]) {
    const consumer = consumerOf(world);
    consumers.push(consumer);
    await consumer.consume({ topics: ["t"], mode: "committed", fallbackMode: "earliest" });
    await joined(consumers, each);
  }
  await consumers.shift()?.close(true);
  await joined(consumers, 3);
  await producerOf(world).send({
    messages: [0, 1, 2, 3, 4, 5].map((partition) => ({ topic: "t", partition, value: `${partition}` })),
  });
});

test("@platformatic/kafka's leaders move under it by promote, and it follows them", async () => {
  const world = await kafkaWorld(["--brokers", "3"]);
  await world.client.admin().createTopic({ topic: "t", partitions: 1, replicationFactor: 3 });
  const producer = producerOf(world);
  for (const brokerId of [2, 3, 1]) {
    await world.client.admin().promote({ topic: "t", partition: 0 }, brokerId);
    await producer.send({ messages: [{ topic: "t", value: `by ${brokerId}` }] });
  }
  expect(values(await read(consumerOf(world), "t", 3))).toEqual(["by 2", "by 3", "by 1"]);
});

test("@platformatic/kafka's metadata tells brokers, topic ids and leaders as the SDK knows them", async () => {
  const world = await kafkaWorld(["--brokers", "3"]);
  await world.client.admin().createTopic({ topic: "t", partitions: 3, replicationFactor: 2 });
  const admin = closing(new Admin(base(world)), (each) => each.close());
  const metadata = await admin.metadata({ topics: ["t"] });
  expect([...metadata.brokers.keys()]).toEqual([1, 2, 3]);
  const known = await world.client.admin().metadata("t");
  expect(metadata.topics.get("t")?.id).toMatch(/^[0-9a-f-]{36}$/);
  expect(metadata.topics.get("t")?.partitions.map(({ leader }) => leader)).toEqual(
    known.partitions.map(({ leaderId }) => leaderId),
  );
});
