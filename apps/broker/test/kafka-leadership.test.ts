/** Each broker answers for what it leads alone, and knows the epochs of leaders. */
import { expect, test } from "vitest";
import { Session } from "./support/broker.ts";
import { fetchRequest, listed, read, send } from "./support/kafka-asks.ts";
import { KafkaClient, openKafkaBroker } from "./support/kafka-client.ts";
import { kafkaBatch } from "./support/kafka-records.ts";
import { TransactionalSession } from "./support/transactions.ts";

async function openThree() {
  const broker = await openKafkaBroker({ brokers: 3 });
  broker.cluster.createTopic({ topic: "orders", partitions: 1, replicationFactor: 3 });
  return { broker, one: await KafkaClient.open(broker, 1), two: await KafkaClient.open(broker, 2) };
}

test("others say who does", async () => {
  const { broker, one, two } = await openThree();
  expect(await send(two, kafkaBatch(["a"]), { version: 10 })).toMatchObject({
    errorCode: 6,
    currentLeader: { leaderId: 1, leaderEpoch: 0 },
  });
  expect(await read(two, { version: 12 })).toMatchObject({ errorCode: 6, currentLeader: { leaderId: 1 } });
  const { topicId } = broker.cluster.describeTopic("orders");
  const { nodeEndpoints } = await two.ask("Fetch", 16, fetchRequest({ topicId }));
  const [leader] = broker.kafkaAddresses;
  expect(nodeEndpoints).toEqual([{ nodeId: 1, host: leader?.host, port: leader?.port, rack: null }]);
  const partitionData = [{ index: 0, records: kafkaBatch(["a"]) }];
  const produce = { acks: 1, timeoutMs: 0, topicData: [{ name: "orders", partitionData }] };
  expect((await two.ask("Produce", 10, produce)).nodeEndpoints).toEqual(nodeEndpoints);
  expect((await one.ask("Fetch", 16, fetchRequest({ topicId }))).nodeEndpoints).toEqual([]);
  expect(await send(one, kafkaBatch(["a"]))).toMatchObject({ errorCode: 0, baseOffset: 0 });
});

test("after a promotion the new leader does, and old and unknown epochs are told so", async () => {
  const { broker, one, two } = await openThree();
  expect(await send(one, kafkaBatch(["a"]))).toMatchObject({ errorCode: 0 });
  await broker.cluster.promote({ topic: "orders", partition: 0 }, 2);
  expect(await send(one, kafkaBatch(["b"]))).toMatchObject({ errorCode: 6 });
  expect(await send(two, kafkaBatch(["b"]))).toMatchObject({ errorCode: 0, baseOffset: 1 });
  expect(await read(two, { currentLeaderEpoch: 0 })).toMatchObject({ errorCode: 74 });
  expect(await read(two, { currentLeaderEpoch: 9 })).toMatchObject({ errorCode: 75 });
  expect(await read(two, { currentLeaderEpoch: 1 })).toMatchObject({ errorCode: 0 });
  expect(await read(one, { currentLeaderEpoch: 0 })).toMatchObject({ errorCode: 74 });
  expect(await read(one, { currentLeaderEpoch: 9 })).toMatchObject({ errorCode: 75 });
  expect(await read(one, { currentLeaderEpoch: 1 })).toMatchObject({ errorCode: 6 });
  const found = await listed(broker, two, -2);
  expect(found).toMatchObject({ offset: 0, leaderEpoch: 0 });
  expect(await listed(broker, two, -1)).toMatchObject({ offset: 2, leaderEpoch: 1 });
  const transaction = await TransactionalSession.open(Session.open(broker));
  await transaction.begin();
  await transaction.produce("open");
  await broker.cluster.promote({ topic: "orders", partition: 0 }, 3);
  const three = await KafkaClient.open(broker, 3);
  // What is open was written by the leader before.
  expect(await listed(broker, three, -1, 7, 1)).toMatchObject({ offset: 2, leaderEpoch: 2 });
  expect(await listed(broker, one, -1)).toMatchObject({ errorCode: 6, offset: -1 });
});
