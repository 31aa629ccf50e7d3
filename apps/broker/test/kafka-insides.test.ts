/** What administrators see of the insides of partitions. */
import { expect, test } from "vitest";
import { Session } from "./support/broker.ts";
import { KafkaClient, openKafkaBroker } from "./support/kafka-client.ts";
import { kafkaBatch } from "./support/kafka-records.ts";
import { TransactionalSession } from "./support/transactions.ts";

async function openWithTopic({ clock = "auto" } = {}) {
  const broker = await openKafkaBroker({ brokers: 2, clock });
  broker.cluster.createTopic({ topic: "orders", partitions: 2, replicationFactor: 1 });
  broker.cluster.createTopic({ topic: "copied", partitions: 1, replicationFactor: 2 });
  return { broker, client: await KafkaClient.open(broker, 1) };
}

async function send(client: KafkaClient, name: string, records: Buffer, acks = -1) {
  const topicData = [{ name, partitionData: [{ index: 0, records }] }];
  const { responses } = await client.ask("Produce", 9, { acks, timeoutMs: 5_000, topicData });
  expect(responses[0]?.partitionResponses[0]?.errorCode).toBe(0);
}

test("DescribeLogDirs tells in every version how large the logs are that the asked broker holds", async () => {
  const { broker, client } = await openWithTopic();
  await send(client, "orders", kafkaBatch(["a", "b"]));
  const { segments } = broker.cluster.describePartition({ topic: "orders", partition: 0 });
  const partitionSize = segments[0]?.sizeBytes ?? 0;
  expect(partitionSize).toBeGreaterThan(0);
  const orders = {
    name: "orders",
    partitions: [{ partitionIndex: 0, partitionSize, offsetLag: 0, isFutureKey: false }],
  };
  const copied = {
    name: "copied",
    partitions: [{ partitionIndex: 0, partitionSize: 0, offsetLag: 0, isFutureKey: false }],
  };
  for (let version = 1; version <= 4; version += 1) {
    const all = await client.ask("DescribeLogDirs", version, { topics: null });
    expect(all.results).toMatchObject([{ errorCode: 0, logDir: "/data", topics: [copied, orders] }]);
    const asked = [
      { topic: "orders", partitions: [0, 9] },
      { topic: "missing", partitions: [0] },
      { topic: "orders", partitions: [1] },
    ];
    const some = await client.ask("DescribeLogDirs", version, { topics: asked });
    expect(some.results).toMatchObject([{ errorCode: 0, topics: [orders] }]);
  }
  const other = await KafkaClient.open(broker, 2);
  const { results } = await other.ask("DescribeLogDirs", 4, { topics: null });
  expect(
    results[0]?.topics.map(({ name, partitions }) => [name, partitions.map((each) => each.partitionIndex)]),
  ).toEqual([
    ["copied", [0]],
    ["orders", [1]],
  ]);
  expect(results[0]).toMatchObject({ totalBytes: -1, usableBytes: -1 });
});

test("DescribeProducers tells who has written to a partition, and where an open transaction of his begins", async () => {
  const { broker, client } = await openWithTopic();
  const json = Session.open(broker);
  const plain = await json.call("init_producer", {});
  const producer = { producerId: plain.producer_id, producerEpoch: plain.producer_epoch };
  await send(client, "orders", kafkaBatch(["a", "b"], { ...producer, baseSequence: 0 }));
  const topics = [
    { name: "orders", partitionIndexes: [0, 1, 9] },
    { name: "missing", partitionIndexes: [0] },
  ];
  const answer = await client.ask("DescribeProducers", 0, { topics });
  expect(
    answer.topics.map(({ name, partitions }) => [name, partitions.map(({ errorCode }) => errorCode)]),
  ).toEqual([
    ["orders", [0, 6, 3]],
    ["missing", [3]],
  ]);
  expect(answer.topics[0]?.partitions[0]?.activeProducers).toEqual([
    {
      ...producer,
      lastSequence: 1,
      lastTimestamp: expect.any(Number),
      coordinatorEpoch: -1,
      currentTxnStartOffset: -1,
    },
  ]);
  const transactional = await TransactionalSession.open(json);
  await transactional.begin();
  await transactional.produce("c");
  const { topics: again } = await client.ask("DescribeProducers", 0, { topics: topics.slice(0, 1) });
  const { producer_id: producerId, producer_epoch: producerEpoch } = transactional.identity;
  expect(again[0]?.partitions[0]?.activeProducers).toContainEqual({
    ...{ producerId, producerEpoch, lastSequence: 0, lastTimestamp: expect.any(Number) },
    ...{ coordinatorEpoch: -1, currentTxnStartOffset: 2 },
  });
});

test("DescribeProducers is answered by a follower too, from its own log, and by nobody who has no replica", async () => {
  const { broker, client } = await openWithTopic({ clock: "manual" });
  const { producer_id: producerId, producer_epoch: producerEpoch } = await Session.open(broker).call(
    "init_producer",
    {},
  );
  const topics = [{ name: "copied", partitionIndexes: [0] }];
  const knownTo = async (asked: KafkaClient) => {
    const answer = await asked.ask("DescribeProducers", 0, { topics });
    const [partition] = answer.topics[0]?.partitions ?? [];
    return [partition?.errorCode, partition?.activeProducers.map((each) => each.producerId)];
  };
  const { leaderId } = broker.cluster.describePartition({ topic: "copied", partition: 0 });
  const follower = await KafkaClient.open(broker, leaderId === 1 ? 2 : 1);
  const leader = await KafkaClient.open(broker, leaderId === 1 ? 1 : 2);
  const batch = kafkaBatch(["a"], { producerId, producerEpoch, baseSequence: 0 });
  await send(leader, "copied", batch, 1);
  expect(await knownTo(leader)).toEqual([0, [producerId]]);
  expect(await knownTo(follower)).toEqual([0, []]);
  await broker.cluster.replicateOnce();
  expect(await knownTo(follower)).toEqual([0, [producerId]]);
  const orders = [{ name: "orders", partitionIndexes: [1] }];
  const { topics: others } = await client.ask("DescribeProducers", 0, { topics: orders });
  expect(others[0]?.partitions).toMatchObject([{ errorCode: 6, activeProducers: [] }]);
});

test("transactional ids are described and listed by who coordinates them", async () => {
  const { broker, client } = await openWithTopic();
  const json = Session.open(broker);
  const open = await TransactionalSession.open(json, "open");
  await open.begin();
  await open.produce("a");
  const done = await TransactionalSession.open(json, "done");
  await done.begin();
  await done.produce("b");
  await done.end(true);
  const other = await KafkaClient.open(broker, 2);
  const clients = new Map([
    [1, client],
    [2, other],
  ]);
  const coordinatorOf = async (key: string) => {
    const { nodeId } = await client.ask("FindCoordinator", 1, { key, keyType: 1 });
    return clients.get(nodeId) ?? client;
  };
  const describe = async (transactionalId: string) => {
    const asked = await coordinatorOf(transactionalId);
    const answer = await asked.ask("DescribeTransactions", 0, { transactionalIds: [transactionalId] });
    return answer.transactionStates[0];
  };
  const { producer_id: producerId, producer_epoch: producerEpoch } = open.identity;
  expect(await describe("open")).toMatchObject({
    ...{ errorCode: 0, transactionalId: "open", transactionState: "Ongoing", producerId, producerEpoch },
    ...{ transactionStartTimeMs: expect.any(Number), topics: [{ topic: "orders", partitions: [0] }] },
  });
  expect(await describe("done")).toMatchObject({
    ...{ errorCode: 0, transactionState: "CompleteCommit", transactionStartTimeMs: -1, topics: [] },
  });
  expect(await describe("missing")).toMatchObject({ errorCode: 105, transactionState: "", topics: [] });
  const list = async (version: number, filters: object = {}) => {
    const request = { stateFilters: [], producerIdFilters: [], ...filters };
    const answers = [];
    for (const each of clients.values()) answers.push(await each.ask("ListTransactions", version, request));
    return {
      ids: answers
        .flatMap(({ transactionStates }) => transactionStates.map((each) => each.transactionalId))
        .sort(),
      unknown: answers[0]?.unknownStateFilters,
    };
  };
  expect(await list(0)).toEqual({ ids: ["done", "open"], unknown: [] });
  expect(await list(0, { stateFilters: ["Ongoing", "Nothing"] })).toEqual({
    ids: ["open"],
    unknown: ["Nothing"],
  });
  expect(await list(0, { producerIdFilters: [producerId] })).toEqual({ ids: ["open"], unknown: [] });
  expect(await list(1, { durationFilter: 3_600_000 })).toEqual({ ids: [], unknown: [] });
  expect(await list(1, { durationFilter: -1 })).toEqual({ ids: ["done", "open"], unknown: [] });
});
