/** Where this broker answers otherwise than Apache Kafka, on purpose (docs/kafka-mapping.md, what the oracle finds). */
import { ZERO_UUID } from "@minikafka/protocol/kafka";
import { expect, test } from "vitest";
import { KafkaClient, openKafkaBroker } from "./support/kafka-client.ts";
import { kafkaBatch } from "./support/kafka-records.ts";

const CONFIG_OF_TOPIC = 2;
const CONFIG_OF_GROUP = 32;

async function open(config: Readonly<Record<string, string | number>> = {}) {
  const broker = await openKafkaBroker();
  await broker.cluster.createTopic({ topic: "orders", partitions: 1, config });
  return { broker, client: await KafkaClient.open(broker) };
}

function partitionOf(records: Buffer) {
  return { timeoutMs: 5_000, topicData: [{ name: "orders", partitionData: [{ index: 0, records }] }] };
}

async function produced(client: KafkaClient, records: Buffer, acks = 1) {
  const { responses } = await client.ask("Produce", 8, { acks, ...partitionOf(records) });
  return responses[0]?.partitionResponses[0];
}

const OFFSETS = [
  { name: "orders", partitions: [{ partitionIndex: 0, committedOffset: 1, committedMetadata: "" }] },
];

test("an error has words, and tells neither where the log begins nor which record it was", async () => {
  const { client } = await open({ cleanup_policy: "compact" });
  const refused = await produced(client, kafkaBatch(["no key"]));
  expect(refused).toMatchObject({ errorCode: 87, logStartOffset: -1, recordErrors: [] });
  expect(refused?.errorMessage).toContain("key");
});

test("a number that means nothing is INVALID_REQUEST: the isolation of a fetch, an operation on a setting", async () => {
  const { client } = await open();
  const partitions = [{ partition: 0, fetchOffset: 0, partitionMaxBytes: 1_000 }];
  const bounds = { maxWaitMs: 0, minBytes: 0, maxBytes: 1_000 };
  const fetch = { ...bounds, isolationLevel: 7, topics: [{ topic: "orders", partitions }] };
  expect(await client.ask("Fetch", 12, fetch)).toMatchObject({ errorCode: 42 });
  // Before version 7 an error can stand with the partitions alone.
  const { responses } = await client.ask("Fetch", 6, fetch);
  expect(responses[0]?.partitions).toMatchObject([{ errorCode: 42 }]);
  const configs = [{ name: "retention.ms", value: "5", configOperation: 9 }];
  const resources = [{ resourceType: CONFIG_OF_TOPIC, resourceName: "orders", configs }];
  const altered = await client.ask("IncrementalAlterConfigs", 1, { resources });
  expect(altered.responses).toMatchObject([{ errorCode: 42 }]);
});

test("min.insync.replicas is meant as it is said, also above the replicas that there are", async () => {
  const { client } = await open({ min_insync_replicas: 2 });
  expect(await produced(client, kafkaBatch(["a"]), -1)).toMatchObject({ errorCode: 19 });
  expect(await produced(client, kafkaBatch(["a"]), 1)).toMatchObject({ errorCode: 0 });
});

test("a batch counts 3 bytes more against max.message.bytes than it has", async () => {
  const batch = kafkaBatch(["a"]);
  const { client } = await open({ max_message_bytes: batch.length + 2 });
  expect(await produced(client, batch)).toMatchObject({ errorCode: 10 });
  const { client: other } = await open({ max_message_bytes: batch.length + 3 });
  expect(await produced(other, batch)).toMatchObject({ errorCode: 0 });
});

test("a batch that comes again is answered as the first time, without a time of the append", async () => {
  const { client } = await open();
  const { producerId, producerEpoch } = await client.ask("InitProducerId", 4, {
    transactionalId: null,
    transactionTimeoutMs: 60_000,
  });
  const batch = kafkaBatch(["a"], { producerId, producerEpoch, baseSequence: 0 });
  const first = await produced(client, batch);
  expect(first).toMatchObject({ errorCode: 0, baseOffset: 0, logAppendTimeMs: -1 });
  expect(await produced(client, batch)).toEqual(first);
});

test("a partition that a fetch asks for twice is answered twice", async () => {
  const { client } = await open();
  await produced(client, kafkaBatch(["a"]));
  const one = { partition: 0, fetchOffset: 0, partitionMaxBytes: 1_000 };
  const topics = [{ topic: "orders", partitions: [one, one] }];
  const { responses } = await client.ask("Fetch", 12, {
    maxWaitMs: 0,
    minBytes: 0,
    maxBytes: 10_000,
    topics,
  });
  expect(responses.flatMap(({ partitions }) => partitions)).toMatchObject([
    { errorCode: 0 },
    { errorCode: 0 },
  ]);
});

test("settings that are nobody's here are not told", async () => {
  const { client } = await open();
  const resources = [{ resourceType: CONFIG_OF_TOPIC, resourceName: "orders" }];
  const { results } = await client.ask("DescribeConfigs", 4, { resources });
  const names = results[0]?.configs.map(({ name }) => name) ?? [];
  expect(names).toContain("retention.ms");
  for (const untold of [
    "compression.gzip.level",
    "file.delete.delay.ms",
    "local.retention.ms",
    "segment.index.bytes",
  ]) {
    expect(names).not.toContain(untold);
  }
});

test("cleanup.policy is never empty and told in one order; a number with spaces is none", async () => {
  const { client } = await open();
  const alter = async (name: string, value: string) => {
    const configs = [{ name, value, configOperation: 0 }];
    const resources = [{ resourceType: CONFIG_OF_TOPIC, resourceName: "orders", configs }];
    return (await client.ask("IncrementalAlterConfigs", 1, { resources })).responses[0]?.errorCode;
  };
  expect(await alter("cleanup.policy", "")).toBe(40);
  expect(await alter("retention.ms", " 5 ")).toBe(40);
  expect(await alter("cleanup.policy", "delete,compact")).toBe(0);
  const resources = [
    { resourceType: CONFIG_OF_TOPIC, resourceName: "orders", configurationKeys: ["cleanup.policy"] },
  ];
  const { results } = await client.ask("DescribeConfigs", 4, { resources });
  expect(results[0]?.configs).toMatchObject([{ value: "compact,delete" }]);
});

test("a group without members whose last offset was deleted is not there any more", async () => {
  const { client } = await open();
  const nobody = { generationIdOrMemberEpoch: -1, memberId: "" };
  const committed = await client.ask("OffsetCommit", 8, { groupId: "g", ...nobody, topics: OFFSETS });
  expect(committed.topics[0]?.partitions[0]).toMatchObject({ errorCode: 0 });
  const topics = [{ name: "orders", partitions: [{ partitionIndex: 0 }] }];
  expect(await client.ask("OffsetDelete", 0, { groupId: "g", topics })).toMatchObject({ errorCode: 0 });
  expect((await client.ask("ListGroups", 4, {})).groups).toEqual([]);
  expect((await client.ask("DeleteGroups", 2, { groupsNames: ["g"] })).results).toMatchObject([
    { errorCode: 69 },
  ]);
});

test("a group of which an open transaction alone has offsets is not there for who says that it is a member", async () => {
  const { client } = await open();
  const { producerId, producerEpoch } = await client.ask("InitProducerId", 4, {
    transactionalId: "t",
    transactionTimeoutMs: 60_000,
  });
  const producer = { transactionalId: "t", producerId, producerEpoch, groupId: "g" };
  expect(await client.ask("AddOffsetsToTxn", 3, producer)).toMatchObject({ errorCode: 0 });
  const pending = await client.ask("TxnOffsetCommit", 3, {
    ...producer,
    generationId: -1,
    memberId: "",
    topics: OFFSETS,
  });
  expect(pending.topics[0]?.partitions[0]).toMatchObject({ errorCode: 0 });
  const member = { groupId: "g", generationIdOrMemberEpoch: 1, memberId: "m", topics: OFFSETS };
  const answer = await client.ask("OffsetCommit", 8, member);
  expect(answer.topics[0]?.partitions[0]).toMatchObject({ errorCode: 22 });
});

test("a transactional id that is new gets a new identity, whatever its producer says that it had", async () => {
  const { client } = await open();
  const asked = { transactionalId: "t", transactionTimeoutMs: 60_000, producerId: 12_345, producerEpoch: 7 };
  const given = await client.ask("InitProducerId", 4, asked);
  expect(given).toMatchObject({ errorCode: 0, producerEpoch: 0 });
  expect(given.producerId).not.toBe(12_345);
});

test("DescribeProducers tells no coordinator's epoch, and no beginning of a transaction that is over", async () => {
  const { client } = await open();
  const { producerId, producerEpoch } = await client.ask("InitProducerId", 4, {
    transactionalId: null,
    transactionTimeoutMs: 60_000,
  });
  await produced(client, kafkaBatch(["a"], { producerId, producerEpoch, baseSequence: 0 }, 1_000));
  const topics = [{ name: "orders", partitionIndexes: [0] }];
  const answer = await client.ask("DescribeProducers", 0, { topics });
  const [producer] = answer.topics[0]?.partitions[0]?.activeProducers ?? [];
  expect(producer).toMatchObject({ producerId, coordinatorEpoch: -1, currentTxnStartOffset: -1 });
  expect(Number(producer?.lastTimestamp)).toBeGreaterThan(1_000);
});

test("groups have no settings: neither to tell nor to change", async () => {
  const { client } = await open();
  const resource = { resourceType: CONFIG_OF_GROUP, resourceName: "g" };
  const { results } = await client.ask("DescribeConfigs", 4, { resources: [resource] });
  expect(results).toMatchObject([{ errorCode: 42, configs: [] }]);
  const configs = [{ name: "consumer.session.timeout.ms", value: "50000", configOperation: 0 }];
  const { responses } = await client.ask("IncrementalAlterConfigs", 1, {
    resources: [{ ...resource, configs }],
  });
  expect(responses).toMatchObject([{ errorCode: 42 }]);
});

test("a topic that was only tried has no id, and its settings are not told", async () => {
  const { client } = await open();
  const topic = { name: "tried", numPartitions: 1, replicationFactor: 1 };
  const { topics } = await client.ask("CreateTopics", 7, {
    topics: [topic],
    timeoutMs: 5_000,
    validateOnly: true,
  });
  expect(topics).toMatchObject([{ errorCode: 0, configs: [] }]);
  expect(topics[0]?.topicId).toBe(ZERO_UUID);
});
