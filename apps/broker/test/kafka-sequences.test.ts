import type { RequestInputOf } from "@minikafka/protocol/kafka";
import { encodeBatch } from "@minikafka/record";
import { expect, test } from "vitest";
import { Session } from "./support/broker.ts";
import { KafkaClient, openKafkaBroker } from "./support/kafka-client.ts";
import { kafkaBatch } from "./support/kafka-records.ts";

/** OUT_OF_ORDER_SEQUENCE_NUMBER. */
const REFUSED = { errorCode: 45, baseOffset: -1 };
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

test("a batch with the sequences and records of an earlier one is its retry, whatever their times; with other records it is refused, with each of the acks and in a transaction", async () => {
  const { broker, client } = await openWithTopic();
  const endOf = () => broker.cluster.describeOffsets(PLACE).logEndOffset;
  const plain = broker.cluster.initProducer({});
  for (const [round, acks] of [1, -1].entries()) {
    const [baseSequence, baseOffset] = [2 * round, 2 * round];
    const of = (values: string[], timesMs: number[]) =>
      kafkaBatch(values, { ...plain, baseSequence }, timesMs);
    for (const timesMs of [
      [1, 2_000],
      [1, 9_000],
    ])
      expect(await send(client, of(["a", "b"], timesMs), { acks })).toMatchObject({
        errorCode: 0,
        baseOffset,
      });
    for (const values of [["a", "other"], ["a"], ["a", "b", "c"]])
      expect(await send(client, of(values, [1, 2_000]), { acks })).toMatchObject(REFUSED);
    expect(endOf()).toBe(2 * round + 2);
  }
  const transactionalId = "billing";
  const begun = await client.ask("InitProducerId", 1, { transactionalId, transactionTimeoutMs: 60_000 });
  const { producerId, producerEpoch } = begun;
  const topics = [{ name: "orders", partitions: [0] }];
  await client.ask("AddPartitionsToTxn", 1, { transactionalId, producerId, producerEpoch, topics });
  const of = (second: string, timesMs: number[]) =>
    kafkaBatch(["a", second], { producerId, producerEpoch, baseSequence: 0, transactional: true }, timesMs);
  const within = { acks: -1, transactionalId };
  for (const timesMs of [
    [1, 2_000],
    [1, 9_000],
  ])
    expect(await send(client, of("b", timesMs), within)).toMatchObject({ errorCode: 0, baseOffset: 4 });
  expect(await send(client, of("other", [1, 2_000]), within)).toMatchObject(REFUSED);
  expect(endOf()).toBe(6);
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
