import type { RequestInputOf } from "@minikafka/protocol/kafka";
import { encodeBatch } from "@minikafka/record";
import { expect, test } from "vitest";
import { Session } from "./support/broker.ts";
import { KafkaClient, openKafkaBroker } from "./support/kafka-client.ts";
import { kafkaBatch } from "./support/kafka-records.ts";

const PLACE = { topic: "orders", partition: 0 };

async function openWithTopic() {
  const broker = await openKafkaBroker();
  broker.cluster.createTopic({ topic: "orders", partitions: 1 });
  return { broker, client: await KafkaClient.open(broker) };
}

async function send(client: KafkaClient, records: Buffer, more: Partial<RequestInputOf<"Produce">> = {}) {
  const topicData = [{ name: "orders", partitionData: [{ index: 0, records }] }];
  const request = { acks: 1, timeoutMs: 5_000, topicData, ...more };
  return (await client.ask("Produce", 7, request)).responses[0]?.partitionResponses[0];
}

test("a batch with the sequences of an earlier one is its retry, whatever it holds, with each of the acks and in a transaction", async () => {
  const { broker, client } = await openWithTopic();
  const endOf = () => broker.cluster.describeOffsets(PLACE).logEndOffset;
  const plain = broker.cluster.initProducer({});
  for (const [round, acks] of [1, -1].entries()) {
    const [baseSequence, baseOffset] = [2 * round, 2 * round];
    const of = (...values: string[]) => kafkaBatch(values, { ...plain, baseSequence });
    expect(await send(client, of("a", "b"), { acks })).toMatchObject({ errorCode: 0, baseOffset });
    // Another time within the records, as of who makes them anew, and other records.
    const other = of("other", "records");
    expect(await send(client, other, { acks })).toMatchObject({ errorCode: 0, baseOffset });
    expect(await send(client, of("a"), { acks })).toMatchObject({ errorCode: 45, baseOffset: -1 });
    expect(endOf()).toBe(2 * round + 2);
  }
  const transactionalId = "billing";
  const begun = await client.ask("InitProducerId", 1, { transactionalId, transactionTimeoutMs: 60_000 });
  const { producerId, producerEpoch } = begun;
  const topics = [{ name: "orders", partitions: [0] }];
  await client.ask("AddPartitionsToTxn", 1, { transactionalId, producerId, producerEpoch, topics });
  const of = (value: string) =>
    kafkaBatch([value], { producerId, producerEpoch, baseSequence: 0, transactional: true });
  for (const value of ["a", "other"])
    expect(await send(client, of(value), { acks: -1, transactionalId })).toMatchObject({
      errorCode: 0,
      baseOffset: 4,
    });
  expect(endOf()).toBe(5);
});

test("our own protocol refuses other records for a sequence that Kafka's took", async () => {
  const { broker, client } = await openWithTopic();
  const producer = broker.cluster.initProducer({});
  expect(await send(client, kafkaBatch(["a"], { ...producer, baseSequence: 0 }))).toMatchObject({
    errorCode: 0,
  });
  const json = Session.open(broker);
  const framed = (value: string) => {
    const records = [{ key: null, value: Buffer.from(value), timestampMs: 1, headers: [] }];
    return encodeBatch({ records, ...producer, baseSequence: 0 }).toString("base64");
  };
  const asked = { operation: "produce", ...PLACE, acks: 1 };
  expect(await json.ask({ ...asked, batch_b64: framed("other") })).toMatchObject({
    ok: false,
    code: "OUT_OF_ORDER_SEQUENCE",
  });
  expect(await json.ask({ ...asked, batch_b64: framed("a") })).toMatchObject({ ok: true, offset: 0 });
});
