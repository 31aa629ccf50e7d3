/** Where a log begins, and where the records of its leaders end. */
import { expect, test } from "vitest";
import { Session } from "./support/broker.ts";
import { KafkaClient, openKafkaBroker } from "./support/kafka-client.ts";
import { kafkaBatch } from "./support/kafka-records.ts";

async function openWithRecords(values: readonly string[], config: { cleanup_policy?: string } = {}) {
  const broker = await openKafkaBroker({ brokers: 2 });
  broker.cluster.createTopic({ topic: "orders", partitions: 2, replicationFactor: 2, config });
  const client = await KafkaClient.open(broker, 1);
  for (const value of values) await send(client, value);
  return { broker, client };
}

async function send(client: KafkaClient, value: string) {
  const partitionData = [{ index: 0, records: kafkaBatch([value]) }];
  const topicData = [{ name: "orders", partitionData }];
  const { responses } = await client.ask("Produce", 9, { acks: -1, timeoutMs: 5_000, topicData });
  expect(responses[0]?.partitionResponses[0]?.errorCode).toBe(0);
}

function deleteBelow(
  client: KafkaClient,
  version: number,
  offset: number,
  partitionIndex = 0,
  name = "orders",
) {
  const topics = [{ name, partitions: [{ partitionIndex, offset }] }];
  return client
    .ask("DeleteRecords", version, { topics, timeoutMs: 1000 })
    .then(({ topics: [topic] }) => topic?.partitions[0]);
}

test("DeleteRecords moves the start of a log in every version, and -1 moves it to the high watermark", async () => {
  const { broker, client } = await openWithRecords(["a", "b", "c", "d"]);
  for (let version = 0; version <= 2; version += 1) {
    const answer = { partitionIndex: 0, lowWatermark: version + 1, errorCode: 0 };
    expect(await deleteBelow(client, version, version + 1)).toEqual(answer);
    expect(broker.cluster.listOffsets({ topic: "orders", partition: 0 }, -2).offset).toBe(version + 1);
  }
  expect(await deleteBelow(client, 2, 1)).toMatchObject({ lowWatermark: 3, errorCode: 0 });
  expect(await deleteBelow(client, 2, -1)).toMatchObject({ lowWatermark: 4, errorCode: 0 });
});

test("what cannot be deleted is told in its place, and changes nothing", async () => {
  const { broker, client } = await openWithRecords(["a", "b"]);
  expect(await deleteBelow(client, 2, 3)).toEqual({ partitionIndex: 0, lowWatermark: -1, errorCode: 1 });
  expect(await deleteBelow(client, 2, -2)).toMatchObject({ errorCode: 1 });
  expect(await deleteBelow(client, 2, 1, 7)).toMatchObject({ errorCode: 3 });
  expect(await deleteBelow(client, 2, 1, 0, "missing")).toMatchObject({ errorCode: 3 });
  // Broker 2 leads the other partition.
  expect(await deleteBelow(client, 2, 0, 1)).toMatchObject({ errorCode: 6 });
  broker.cluster.alterConfig("orders", { cleanup_policy: "compact" });
  expect(await deleteBelow(client, 2, 1)).toMatchObject({ errorCode: 44 });
  expect(broker.cluster.listOffsets({ topic: "orders", partition: 0 }, -2).offset).toBe(0);
});

interface AskedEpoch {
  readonly leaderEpoch: number;
  readonly currentLeaderEpoch?: number;
  readonly partition?: number;
  readonly topic?: string;
}

function endOf(client: KafkaClient, version: number, asked: AskedEpoch) {
  const { topic = "orders", partition = 0, ...epochs } = asked;
  const topics = [{ topic, partitions: [{ partition, ...epochs }] }];
  return client
    .ask("OffsetForLeaderEpoch", version, { topics })
    .then(({ topics: [found] }) => found?.partitions[0]);
}

test("OffsetForLeaderEpoch tells in every version where the records of each leader end", async () => {
  const { broker } = await openWithRecords(["a", "b", "c"]);
  const json = Session.open(broker);
  await json.call("promote", { topic: "orders", partition: 0, broker_id: 2 });
  const client = await KafkaClient.open(broker, 2);
  await send(client, "d");
  for (let version = 2; version <= 4; version += 1) {
    const first = { partition: 0, errorCode: 0, leaderEpoch: 0, endOffset: 3 };
    expect(await endOf(client, version, { leaderEpoch: 0 })).toEqual(first);
    expect(await endOf(client, version, { leaderEpoch: 1, currentLeaderEpoch: 1 })).toEqual({
      ...first,
      leaderEpoch: 1,
      endOffset: 4,
    });
  }
  expect(await endOf(client, 4, { leaderEpoch: 2 })).toMatchObject({
    errorCode: 0,
    leaderEpoch: -1,
    endOffset: -1,
  });
  expect(await endOf(client, 4, { leaderEpoch: -1 })).toMatchObject({
    errorCode: 0,
    leaderEpoch: -1,
    endOffset: -1,
  });
});

test("who does not lead tells no end, and an epoch that is over or to come is named as that", async () => {
  const { broker, client } = await openWithRecords(["a"]);
  const json = Session.open(broker);
  expect(await endOf(client, 4, { leaderEpoch: 0, currentLeaderEpoch: 5 })).toMatchObject({ errorCode: 75 });
  expect(await endOf(client, 4, { leaderEpoch: 0, partition: 1 })).toMatchObject({ errorCode: 6 });
  expect(await endOf(client, 4, { leaderEpoch: 0, partition: 9 })).toMatchObject({ errorCode: 3 });
  await json.call("promote", { topic: "orders", partition: 0, broker_id: 2 });
  expect(await endOf(client, 4, { leaderEpoch: 0 })).toMatchObject({ errorCode: 6, endOffset: -1 });
  const leader = await KafkaClient.open(broker, 2);
  expect(await endOf(leader, 4, { leaderEpoch: 0, currentLeaderEpoch: 0 })).toMatchObject({ errorCode: 74 });
});
