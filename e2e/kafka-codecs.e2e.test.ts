/** Batches that Kafka's clients have compressed: each codec that they have is read by all of them and by the SDK. */
import { createRequire } from "node:module";
import {
  Consumer,
  compressionsAlgorithms,
  Producer,
  stringDeserializers,
  stringSerializers,
} from "@platformatic/kafka";
import kafkajs from "kafkajs";
import { expect, onTestFinished, test } from "vitest";
import { valuesOf } from "./support/committed-values.ts";
import { addressesOf, kafkaWorld, Member, opened } from "./support/kafka-world.ts";

type Codec = keyof typeof compressionsAlgorithms;

const VALUES = Array.from(
  { length: 200 },
  (_, number) => `${number} ${"a value that repeats itself ".repeat(4)}`,
);

/** In this program alone, as its users do. */
function isAvailable(codec: Codec): boolean {
  return compressionsAlgorithms[codec].available !== false;
}

test.for(["gzip", "snappy", "lz4", "zstd"] as const)(
  "what @platformatic/kafka packs with %s comes out whole, for itself and for the SDK",
  async (codec, { skip }) => {
    if (!isAvailable(codec)) {
      console.log(`skipped: this Node has no such codec: ${codec}`);
      skip("this Node has no such codec");
    }
    const { daemon, client } = await kafkaWorld();
    const base = { clientId: "e2e", bootstrapBrokers: addressesOf(daemon), retryDelay: 20 };
    const producer = new Producer({
      ...base,
      serializers: stringSerializers,
      autocreateTopics: true,
      compression: codec,
    });
    const options = { groupId: "readers", maxWaitTime: 50, deserializers: stringDeserializers };
    const consumer = new Consumer({ ...base, ...options });
    onTestFinished(async () => {
      await producer.close(true);
      await consumer.close(true);
    });
    await producer.send({ messages: VALUES.map((value) => ({ topic: "t", value })) });
    expect(await valuesOf(client, "t")).toEqual(VALUES);
    const { segments } = await client.admin().describePartition({ topic: "t", partition: 0 });
    const plainBytes = VALUES.join("").length;
    expect(segments.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)).toBeLessThan(plainBytes / 2);
    const found: string[] = [];
    for await (const { value } of await consumer.consume({ topics: ["t"], mode: "earliest" })) {
      found.push(value);
      if (found.length === VALUES.length) break;
    }
    expect(found).toEqual(VALUES);
  },
);

const { CompressionTypes } = kafkajs;
/** It comes with gzip; others are plugged in, for the whole program. This one writes raw blocks, and reads framed ones as well. */
kafkajs.CompressionCodecs[CompressionTypes.Snappy] = createRequire(import.meta.url)("kafkajs-snappy");

test.for([
  ["gzip", CompressionTypes.GZIP],
  ["snappy", CompressionTypes.Snappy],
] as const)(
  "what kafkajs packs with %s comes out whole, for itself and for the SDK",
  async ([, compression]) => {
    const { kafka, client } = await kafkaWorld();
    const producer = await opened(kafka.producer());
    const messages = VALUES.map((value) => ({ value }));
    await producer.send({ topic: "t", compression, messages });
    expect(await valuesOf(client, "t")).toEqual(VALUES);
    const member = await Member.join(kafka, { topic: "t" });
    await member.read(VALUES.length);
    expect(member.values).toEqual(VALUES);
  },
);

test.for(["gzip", "snappy"] as const)("what the SDK packs with %s kafkajs reads", async (compression) => {
  const { kafka, client } = await kafkaWorld();
  await client.admin().createTopic({ topic: "t", partitions: 1 });
  const records = VALUES.map((value) => ({ topic: "t", partition: 0, value }));
  await client.producer({ acks: "all", compression }).sendMany(records);
  const member = await Member.join(kafka, { topic: "t" });
  await member.read(VALUES.length);
  expect(member.values).toEqual(VALUES);
});

test("a topic that is made with compression.type keeps in that form what comes plain, and gives it out whole", async () => {
  const { kafka, client } = await kafkaWorld();
  const configEntries = [{ name: "compression.type", value: "gzip" }];
  await (await opened(kafka.admin())).createTopics({ topics: [{ topic: "t", configEntries }] });
  const producer = await opened(kafka.producer());
  await producer.send({ topic: "t", messages: VALUES.map((value) => ({ value })) });
  const { segments } = await client.admin().describePartition({ topic: "t", partition: 0 });
  expect(segments.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)).toBeLessThan(
    VALUES.join("").length / 2,
  );
  expect(await valuesOf(client, "t")).toEqual(VALUES);
  const member = await Member.join(kafka, { topic: "t" });
  await member.read(VALUES.length);
  expect(member.values).toEqual(VALUES);
});

test.for(["gzip", "snappy", "lz4", "zstd"] as const)(
  "compaction looks into what @platformatic/kafka packs with %s: the latest of each key is left, and read",
  async (codec, { skip }) => {
    if (!isAvailable(codec)) {
      console.log(`skipped: this Node has no such codec: ${codec}`);
      skip("this Node has no such codec");
    }
    const { daemon, client } = await kafkaWorld(["--lab"]);
    const config = { cleanup_policy: "compact", min_cleanable_dirty_ratio: 0 };
    await client.admin().createTopic({ topic: "t", config });
    const base = { clientId: "e2e", bootstrapBrokers: addressesOf(daemon), retryDelay: 20 };
    const producer = new Producer({ ...base, serializers: stringSerializers, compression: codec });
    const options = { groupId: "readers", maxWaitTime: 50, deserializers: stringDeserializers };
    const consumer = new Consumer({ ...base, ...options });
    onTestFinished(async () => {
      await producer.close(true);
      await consumer.close(true);
    });
    const packed = (value: string, keys: readonly string[]) =>
      producer.send({ messages: keys.map((key) => ({ topic: "t", key, value: value.repeat(40) })) });
    await packed("old", ["a", "b", "c"]);
    await packed("new", ["b", "c"]);
    await client.stepper().rollSegment({ topic: "t", partition: 0 });
    await client.stepper().flushLogs();
    const { compacted } = await client.stepper().compact({ topic: "t" });
    expect(compacted).toMatchObject([{ recordsKept: 3, recordsDropped: 2 }]);
    const latest = ["old", "new", "new"].map((value) => value.repeat(40));
    expect(await valuesOf(client, "t")).toEqual(latest);
    const found: string[] = [];
    for await (const { value } of await consumer.consume({ topics: ["t"], mode: "earliest" })) {
      found.push(value);
      if (found.length === latest.length) break;
    }
    expect(found).toEqual(latest);
  },
);
