/** Numbers of 64 bits that no offset, time or producer's id of ours has: each is judged in its own place, and costs no other its answer. */
import type { ApiName, RequestInputOf, ResponseValueOf } from "@minikafka/protocol/kafka";
import { decodeResponse } from "@minikafka/protocol/kafka";
import { expect, test } from "vitest";
import { apiNamed, KafkaClient, openKafkaBroker } from "./support/kafka-client.ts";
import { kafkaBatch } from "./support/kafka-records.ts";

/** The codec writes no number beyond 2^53: this one stands in its place until the frame is made. */
const PLACEHOLDER = 0x12_3456_789a_bcde;
const BEYOND = [2n ** 53n, 2n ** 63n - 1n];
const BELOW = [-(2n ** 53n), -(2n ** 63n)];
const RESPONSE_HEADER_BYTES = 4;

async function openWithTopic() {
  const broker = await openKafkaBroker();
  broker.cluster.createTopic({ topic: "orders", partitions: 2 });
  const client = await KafkaClient.open(broker);
  for (const index of [0, 1]) {
    const topicData = [{ name: "orders", partitionData: [{ index, records: kafkaBatch(["a", "b"]) }] }];
    await client.ask("Produce", 7, { acks: 1, timeoutMs: 5_000, topicData });
  }
  return { broker, client };
}

/** The answer in a version that is not flexible, to a request in which `number` stands wherever {@link PLACEHOLDER} does. */
async function ask<Name extends ApiName>(
  client: KafkaClient,
  [name, version]: readonly [Name, number],
  number: bigint,
  request: RequestInputOf<Name>,
): Promise<ResponseValueOf<Name>> {
  const frame = client.frame(name, version, request);
  const placeholder = Buffer.alloc(8);
  placeholder.writeBigInt64BE(BigInt(PLACEHOLDER));
  let places = 0;
  for (let at = frame.indexOf(placeholder); at !== -1; at = frame.indexOf(placeholder, at)) {
    frame.writeBigInt64BE(number, at);
    places += 1;
  }
  expect(places).toBeGreaterThan(0);
  const answer = await client.exchange(frame);
  if (answer === null) throw new Error(`${name} with ${number} ended the connection`);
  return decodeResponse(
    apiNamed(name),
    version,
    answer.subarray(RESPONSE_HEADER_BYTES),
  ) as ResponseValueOf<Name>;
}

test("behind every time there is no record, and before every time there is no meaning", async () => {
  const { client } = await openWithTopic();
  const times = (timestamp: number) => ({ partitionIndex: 0, timestamp });
  const partitions = [times(PLACEHOLDER), { partitionIndex: 1, timestamp: 0 }];
  const asked = { isolationLevel: 0, topics: [{ name: "orders", partitions }] };
  for (const time of BEYOND) {
    const [topic] = (await ask(client, ["ListOffsets", 5], time, asked)).topics;
    expect(topic?.partitions).toMatchObject([
      { errorCode: 0, offset: -1, timestamp: -1 },
      { errorCode: 0, offset: 0 },
    ]);
  }
  for (const time of BELOW) {
    const [topic] = (await ask(client, ["ListOffsets", 5], time, asked)).topics;
    expect(topic?.partitions).toMatchObject([{ errorCode: 35 }, { errorCode: 0, offset: 0 }]);
  }
});

test("a fetch from where no offset is, is out of range in its place, and the others are read", async () => {
  const { client } = await openWithTopic();
  const from = (partition: number, fetchOffset: number) => ({
    partition,
    fetchOffset,
    partitionMaxBytes: 4096,
  });
  const partitions = [from(0, PLACEHOLDER), from(1, 0)];
  const asked = { maxWaitMs: 0, minBytes: 1, maxBytes: 4096, topics: [{ topic: "orders", partitions }] };
  for (const offset of [...BEYOND, ...BELOW]) {
    const [topic] = (await ask(client, ["Fetch", 11], offset, asked)).responses;
    expect(topic?.partitions).toMatchObject([{ errorCode: 1 }, { errorCode: 0, highWatermark: 2 }]);
    expect(topic?.partitions[1]?.records?.length).toBeGreaterThan(0);
  }
  // What a replica says of itself is passed over.
  const follower = {
    ...asked,
    topics: [{ topic: "orders", partitions: [{ ...from(0, 0), logStartOffset: PLACEHOLDER }] }],
  };
  for (const offset of [...BEYOND, ...BELOW]) {
    const [topic] = (await ask(client, ["Fetch", 11], offset, follower)).responses;
    expect(topic?.partitions).toMatchObject([{ errorCode: 0, highWatermark: 2 }]);
  }
});

test("an offset that cannot be kept as it is, is not committed, and the others are", async () => {
  const { broker, client } = await openWithTopic();
  const committed = (partitionIndex: number, committedOffset: number) => ({
    ...{ partitionIndex, committedOffset },
    committedMetadata: null,
  });
  const kept = async () => {
    const offsets = await broker.cluster.groups.committed({ groupId: "g" });
    return offsets.map(({ partition, offset }) => [partition, offset]);
  };
  for (const [round, offset] of [...BEYOND, ...BELOW].entries()) {
    const partitions = [committed(0, PLACEHOLDER), committed(1, round)];
    const asked = { groupId: "g", topics: [{ name: "orders", partitions }] };
    const [topic] = (await ask(client, ["OffsetCommit", 5], offset, asked)).topics;
    expect(topic?.partitions.map(({ errorCode }) => errorCode)).toEqual([28, 0]);
    expect(await kept()).toEqual([[1, round]]);
  }
  // How long it is to be kept, which versions before 5 say, is passed over.
  const forEver = {
    groupId: "g",
    retentionTimeMs: PLACEHOLDER,
    topics: [{ name: "orders", partitions: [committed(0, 1)] }],
  };
  const [topic] = (await ask(client, ["OffsetCommit", 4], 2n ** 63n - 1n, forEver)).topics;
  expect(topic?.partitions).toEqual([{ partitionIndex: 0, errorCode: 0 }]);
});

test("records are deleted up to no offset that is not there, and those of the others are", async () => {
  const { client } = await openWithTopic();
  const partitions = [
    { partitionIndex: 0, offset: PLACEHOLDER },
    { partitionIndex: 1, offset: 1 },
  ];
  const asked = { timeoutMs: 1_000, topics: [{ name: "orders", partitions }] };
  for (const offset of [...BEYOND, ...BELOW]) {
    const [topic] = (await ask(client, ["DeleteRecords", 1], offset, asked)).topics;
    expect(topic?.partitions).toEqual([
      { partitionIndex: 0, lowWatermark: -1, errorCode: 1 },
      { partitionIndex: 1, lowWatermark: 1, errorCode: 0 },
    ]);
  }
});

test("a producer id that nobody was given is not that of a transactional id", async () => {
  const { client } = await openWithTopic();
  const transactionalId = "t";
  for (;;) {
    const begun = await client.ask("InitProducerId", 1, { transactionalId, transactionTimeoutMs: 60_000 });
    if (begun.errorCode === 0) break;
  }
  const committed = { partitionIndex: 0, committedOffset: 1, committedMetadata: null };
  for (const number of [...BEYOND, ...BELOW]) {
    const producer = { transactionalId, producerId: PLACEHOLDER, producerEpoch: 0 };
    const end = await ask(client, ["EndTxn", 1], number, { ...producer, committed: true });
    expect(end.errorCode).toBe(49);
    const topics = [{ name: "orders", partitions: [0] }];
    const added = await ask(client, ["AddPartitionsToTxn", 1], number, { ...producer, topics });
    expect(added.results).toMatchObject([{ resultsByPartition: [{ partitionErrorCode: 49 }] }]);
    const offsets = { ...producer, groupId: "g", topics: [{ name: "orders", partitions: [committed] }] };
    const [topic] = (await ask(client, ["TxnOffsetCommit", 1], number, offsets)).topics;
    expect(topic?.partitions).toEqual([{ partitionIndex: 0, errorCode: 49 }]);
  }
});
