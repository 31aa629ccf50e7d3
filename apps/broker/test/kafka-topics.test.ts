import { ZERO_UUID } from "@minikafka/protocol/kafka";
import { expect, test } from "vitest";
import type { RawSettings } from "../src/config.ts";
import { Session } from "./support/broker.ts";
import { KafkaClient, openKafkaBroker } from "./support/kafka-client.ts";

const TIMEOUT_MS = 1000;

async function open(settings: RawSettings = {}) {
  const broker = await openKafkaBroker(settings);
  return { broker, client: await KafkaClient.open(broker) };
}

/** A topic as a request asks for it. */
function wanted(name: string, more: object = {}) {
  return { name, numPartitions: 2, replicationFactor: 1, ...more };
}

test("CreateTopics makes topics in every version, and tells since version 5 what was made, and since 7 its id", async () => {
  const { broker, client } = await open({ brokers: 3 });
  for (let version = 2; version <= 7; version += 1) {
    const name = `topic-${version}`;
    const topic = wanted(name, { replicationFactor: 3, configs: [{ name: "retention.ms", value: "60000" }] });
    const { topics } = await client.ask("CreateTopics", version, { topics: [topic], timeoutMs: TIMEOUT_MS });
    expect(topics).toHaveLength(1);
    expect(topics[0]).toMatchObject({ name, errorCode: 0, errorMessage: null });
    const { topicId, partitions, replicationFactor, config } = broker.cluster.describeTopic(name);
    expect({ partitions, replicationFactor, config }).toEqual({
      partitions: 2,
      replicationFactor: 3,
      config: { retention_ms: 60_000 },
    });
    expect(topics[0]?.topicId).toBe(version >= 7 ? topicId : ZERO_UUID);
    if (version < 5) continue;
    expect(topics[0]).toMatchObject({ numPartitions: 2, replicationFactor: 3 });
    expect(topics[0]?.configs).toContainEqual({
      name: "retention.ms",
      value: "60000",
      readOnly: false,
      configSource: 1,
      isSensitive: false,
    });
  }
});

test("of a setting that is named twice for a new topic the last counts, as in Kafka", async () => {
  const { broker, client } = await open();
  const configs = ["1", "2"].map((value) => ({ name: "retention.ms", value }));
  const { topics } = await client.ask("CreateTopics", 7, {
    topics: [wanted("orders", { configs })],
    timeoutMs: TIMEOUT_MS,
  });
  expect(topics).toMatchObject([{ errorCode: 0 }]);
  expect(broker.cluster.describeTopic("orders").config).toEqual({ retention_ms: 2 });
});

test("what JSON clients make and what Kafka's make is the same kind of topic", async () => {
  const { broker, client } = await open();
  const json = Session.open(broker);
  await client.ask("CreateTopics", 4, { topics: [wanted("orders")], timeoutMs: TIMEOUT_MS });
  const { topics } = await json.call("list_topics", {});
  expect(topics).toMatchObject([{ topic: "orders", partitions: 2 }]);
});

test.each([
  ["a name that cannot be", wanted("no/name"), 17],
  ["a topic that is there", wanted("there"), 36],
  ["no partition", wanted("a", { numPartitions: 0 }), 37],
  ["fewer than none", wanted("a", { numPartitions: -2 }), 37],
  ["more partitions than there may be", wanted("a", { numPartitions: 1_001 }), 37],
  ["more partitions than can be", wanted("a", { numPartitions: 2 ** 31 - 1 }), 37],
  [
    "more assigned partitions than there may be",
    assigned(Array.from({ length: 1_001 }, (_none, partition) => [partition, [1]])),
    37,
  ],
  ["no replica", wanted("a", { replicationFactor: 0 }), 38],
  ["more replicas than brokers", wanted("a", { replicationFactor: 4 }), 38],
  ["a setting that there is not", wanted("a", { configs: [{ name: "retention.s", value: "1" }] }), 40],
  ["our name of a setting", wanted("a", { configs: [{ name: "retention_ms", value: "1" }] }), 40],
  ["a value that cannot be", wanted("a", { configs: [{ name: "retention.ms", value: "soon" }] }), 40],
  ["a setting without a value", wanted("a", { configs: [{ name: "retention.ms", value: null }] }), 40],
  ["what nothing here does", wanted("a", { configs: [{ name: "preallocate", value: "true" }] }), 40],
  ["numbers beside an assignment", wanted("a", { assignments: [{ partitionIndex: 0, brokerIds: [1] }] }), 42],
  [
    "an assignment with a hole",
    assigned([
      [0, [1]],
      [2, [1]],
    ]),
    39,
  ],
  ["an assignment to nobody", assigned([[0, []]]), 39],
  ["an assignment to a broker that there is not", assigned([[0, [9]]]), 39],
  ["an assignment to one broker twice", assigned([[0, [1, 1]]]), 39],
])(
  "CreateTopics with %s is refused in its own place, and the topic beside it is made",
  async (_what, topic, errorCode) => {
    const { broker, client } = await open({ brokers: 3 });
    broker.cluster.createTopic({ topic: "there", partitions: 1 });
    const { topics } = await client.ask("CreateTopics", 7, {
      topics: [topic, wanted("beside")],
      timeoutMs: TIMEOUT_MS,
    });
    expect(topics.map((each) => [each.name, each.errorCode])).toEqual([
      [topic.name, errorCode],
      ["beside", 0],
    ]);
    expect(topics[0]?.errorMessage).toEqual(expect.any(String));
    expect(broker.cluster.listTopics().map((each) => each.topic)).toEqual(["beside", "there"]);
  },
);

function assigned(partitions: readonly (readonly [number, readonly number[]])[]) {
  const assignments = partitions.map(([partitionIndex, brokerIds]) => ({ partitionIndex, brokerIds }));
  return wanted("a", { numPartitions: -1, replicationFactor: -1, assignments });
}

test.each([true, false])(
  "replicas are where they were assigned, and defaults stand for -1, whether topics are made on demand or not (%s)",
  async (onDemand) => {
    const { broker, client } = await open({
      brokers: 3,
      auto_create_topics: onDemand,
      auto_create_partitions: 4,
      auto_create_replication_factor: 2,
    });
    const byHand = assigned([
      [1, [1, 2]],
      [0, [3, 1]],
    ]);
    const standard = wanted("standard", { numPartitions: -1, replicationFactor: -1 });
    const { topics } = await client.ask("CreateTopics", 5, {
      topics: [byHand, standard],
      timeoutMs: TIMEOUT_MS,
    });
    expect(
      topics.map(({ errorCode, numPartitions, replicationFactor }) => [
        errorCode,
        numPartitions,
        replicationFactor,
      ]),
    ).toEqual([
      [0, 2, 2],
      [0, 4, 2],
    ]);
    expect(
      broker.cluster.metadata("a").partitions.map(({ replicas, leaderId }) => [leaderId, replicas]),
    ).toEqual([
      [3, [3, 1]],
      [1, [1, 2]],
    ]);
  },
);

test("with validateOnly it is said what would be, and nothing is made; a name that stands there twice is INVALID_REQUEST", async () => {
  const { broker, client } = await open();
  const topics = [wanted("fine"), wanted("bad", { numPartitions: 0 }), wanted("twice"), wanted("twice")];
  const answer = await client.ask("CreateTopics", 5, { topics, timeoutMs: TIMEOUT_MS, validateOnly: true });
  expect(answer.topics.map(({ name, errorCode }) => [name, errorCode])).toEqual([
    ["fine", 0],
    ["bad", 37],
    ["twice", 42],
  ]);
  expect(broker.cluster.listTopics()).toEqual([]);
});

test("DeleteTopics removes topics by name in every version, and by id in version 6", async () => {
  const { broker, client } = await open();
  for (let version = 1; version <= 6; version += 1) {
    const { topicId } = broker.cluster.createTopic({ topic: "orders", partitions: 1 });
    const names = ["orders", "missing"];
    const asked = version < 6 ? { topicNames: names } : { topics: names.map((name) => ({ name })) };
    const { responses } = await client.ask("DeleteTopics", version, { ...asked, timeoutMs: TIMEOUT_MS });
    expect(responses.map(({ name, errorCode }) => [name, errorCode])).toEqual([
      ["orders", 0],
      ["missing", 3],
    ]);
    if (version === 6) expect(responses[0]?.topicId).toBe(topicId);
    expect(broker.cluster.hasTopic("orders")).toBe(false);
  }
  const { topicId } = broker.cluster.createTopic({ topic: "orders", partitions: 1 });
  const unknownId = "12345678-1234-1234-1234-123456789abc";
  const byId = [{ topicId }, { topicId: unknownId }, { name: "orders", topicId }];
  const { responses } = await client.ask("DeleteTopics", 6, { topics: byId, timeoutMs: TIMEOUT_MS });
  expect(responses).toMatchObject([
    { name: "orders", topicId, errorCode: 0 },
    { name: null, topicId: unknownId, errorCode: 100 },
    { name: "orders", topicId, errorCode: 42 },
  ]);
  expect(broker.cluster.listTopics()).toEqual([]);
});

test("DeleteTopics deletes nothing that is named twice, by its name, its id or once by each, and nothing that is not named", async () => {
  const { broker, client } = await open();
  const made = (topic: string) => broker.cluster.createTopic({ topic, partitions: 1 }).topicId;
  made("a");
  const [b, c, d] = [made("b"), made("c"), made("d")];
  const asked = [
    ...[{ name: "a" }, { name: "d" }, { topicId: b }, { name: "c" }, {}],
    ...[{ topicId: c }, { topicId: b }, { name: "a" }, { name: "missing" }, { name: "missing" }],
  ];
  const { responses } = await client.ask("DeleteTopics", 6, {
    topics: asked.map((each) => ({ name: null, ...each })),
    timeoutMs: TIMEOUT_MS,
  });
  expect(responses.map(({ name, topicId, errorCode }) => [name, topicId, errorCode])).toEqual([
    ["a", ZERO_UUID, 42],
    ["d", d, 0],
    [null, b, 42],
    ["c", ZERO_UUID, 42],
    [null, ZERO_UUID, 42],
    ["missing", ZERO_UUID, 42],
  ]);
  expect(broker.cluster.listTopics().map(({ topic }) => topic)).toEqual(["a", "b", "c"]);
  const old = await client.ask("DeleteTopics", 1, { topicNames: ["a", "b", "a"], timeoutMs: TIMEOUT_MS });
  expect(old.responses).toMatchObject([
    { name: "a", errorCode: 42 },
    { name: "b", errorCode: 0 },
  ]);
});

test("CreatePartitions adds partitions in every version, but no fewer, not where somebody says, and not for a look", async () => {
  const { broker, client } = await open();
  broker.cluster.createTopic({ topic: "orders", partitions: 1 });
  const ask = async (
    version: number,
    topic: { name: string; count: number; assignments?: [] },
    validateOnly = false,
  ) => {
    const request = { topics: [topic], timeoutMs: TIMEOUT_MS, validateOnly };
    return (await client.ask("CreatePartitions", version, request)).results[0]?.errorCode;
  };
  for (let version = 0; version <= 3; version += 1)
    expect(await ask(version, { name: "orders", count: version + 2 })).toBe(0);
  expect(broker.cluster.describeTopic("orders").partitions).toBe(5);
  expect(await ask(3, { name: "orders", count: 5 })).toBe(37);
  expect(await ask(3, { name: "orders", count: 0 })).toBe(37);
  expect(await ask(3, { name: "orders", count: 1_001 })).toBe(37);
  expect(await ask(3, { name: "orders", count: 1_001 }, true)).toBe(37);
  expect(await ask(3, { name: "missing", count: 2 })).toBe(3);
  expect(await ask(3, { name: "orders", count: 6, assignments: [] })).toBe(39);
  expect(await ask(3, { name: "orders", count: 6 }, true)).toBe(0);
  expect(broker.cluster.describeTopic("orders").partitions).toBe(5);
});

test("CreatePartitions beside a creation or another growth of the topic comes after it, as with Kafka's controller", async () => {
  const { broker, client } = await open();
  const made = broker.cluster.createTopicLater({ topic: "orders", partitions: 1 });
  const ask = async (count: number) => {
    const request = { topics: [{ name: "orders", count }], timeoutMs: TIMEOUT_MS, validateOnly: false };
    return (await client.ask("CreatePartitions", 3, request)).results[0]?.errorCode;
  };
  const asked = ask(3);
  const grown = broker.cluster.growTopic("orders", 5);
  await Promise.all([made, grown]);
  expect([await asked, await ask(5)]).toEqual([expect.toBeOneOf([0, 37]), 37]);
  expect(broker.cluster.describeTopic("orders").partitions).toBe(5);
});

test("DescribeCluster tells the brokers that run, and nothing of controllers", async () => {
  const { broker, client } = await open({ brokers: 2 });
  const json = Session.open(broker);
  const both = await client.ask("DescribeCluster", 0, { includeClusterAuthorizedOperations: true });
  expect(both).toMatchObject({ errorCode: 0, clusterId: broker.cluster.clusterId, controllerId: 1 });
  expect(both.brokers.map(({ brokerId, port }) => [brokerId, port])).toEqual(
    broker.kafkaAddresses.map(({ brokerId, port }) => [brokerId, port]),
  );
  expect(both.clusterAuthorizedOperations).toBeGreaterThan(0);
  await json.call("stop_broker", { broker_id: 2 });
  const { brokers } = await client.ask("DescribeCluster", 1, {});
  expect(brokers.map(({ brokerId }) => brokerId)).toEqual([1]);
  expect((await client.ask("DescribeCluster", 1, { endpointType: 2 })).errorCode).toBe(114);
  expect((await client.ask("DescribeCluster", 1, { endpointType: 3 })).errorCode).toBe(115);
});

test("SASL is refused clearly, and the connection goes on", async () => {
  const { client } = await open();
  for (const version of [0, 1]) {
    const answer = await client.ask("SaslHandshake", version, { mechanism: "PLAIN" });
    expect(answer).toEqual({ errorCode: 33, mechanisms: [] });
  }
  for (const version of [0, 1, 2]) {
    const answer = await client.ask("SaslAuthenticate", version, { authBytes: Buffer.from("\0a\0b") });
    expect(answer).toMatchObject({ errorCode: 34, errorMessage: expect.stringContaining("without SASL") });
  }
  expect((await client.ask("Metadata", 1, { topics: [] })).brokers).toHaveLength(1);
});
