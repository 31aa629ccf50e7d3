import { MemoryDisk } from "@minikafka/core/testing";
import type { RequestInputOf } from "@minikafka/protocol/kafka";
import { expect, test } from "vitest";
import type { RawSettings } from "../src/config.ts";
import { Session } from "./support/broker.ts";
import { KafkaClient, openKafkaBroker } from "./support/kafka-client.ts";
import { kafkaBatch, kafkaValues } from "./support/kafka-records.ts";

const ID = "billing";

interface Identity {
  readonly producerId: number;
  readonly producerEpoch: number;
}

async function open(settings: RawSettings = {}) {
  const broker = await openKafkaBroker(settings);
  broker.cluster.createTopic({ topic: "orders", partitions: 2 });
  return { broker, client: await KafkaClient.open(broker) };
}

async function init(
  client: KafkaClient,
  version = 1,
  fields: Partial<RequestInputOf<"InitProducerId">> = {},
) {
  return client.ask("InitProducerId", version, {
    transactionalId: ID,
    transactionTimeoutMs: 60_000,
    ...fields,
  });
}

async function add(client: KafkaClient, identity: Identity, version = 1, partitions = [0], name = "orders") {
  const { producerId, producerEpoch } = identity;
  const request = { transactionalId: ID, producerId, producerEpoch, topics: [{ name, partitions }] };
  const { results } = await client.ask("AddPartitionsToTxn", version, request);
  return results[0]?.resultsByPartition.map(({ partitionErrorCode }) => partitionErrorCode);
}

async function produce(client: KafkaClient, identity: Identity, baseSequence: number, value: string) {
  const records = kafkaBatch([value], { ...identity, baseSequence, transactional: true });
  const topicData = [{ name: "orders", partitionData: [{ index: 0, records }] }];
  const request = { transactionalId: ID, acks: -1, timeoutMs: 5_000, topicData };
  const { responses } = await client.ask("Produce", 7, request);
  return responses[0]?.partitionResponses[0];
}

async function end(
  client: KafkaClient,
  { producerId, producerEpoch }: Identity,
  committed: boolean,
  version = 1,
) {
  const request = { transactionalId: ID, producerId, producerEpoch, committed };
  return (await client.ask("EndTxn", version, request)).errorCode;
}

async function read(client: KafkaClient, isolationLevel: number) {
  const partition = { partition: 0, fetchOffset: 0, partitionMaxBytes: 1 << 20 };
  const topics = [{ topic: "orders", partitions: [partition] }];
  const request = { maxWaitMs: 0, minBytes: 1, isolationLevel, topics };
  const found = (await client.ask("Fetch", 11, request)).responses[0]?.partitions[0];
  return { ...found, batches: kafkaBaseOffsets(found?.records ?? null) };
}

/** A marker has no values that a client's reader would show. */
function kafkaBaseOffsets(records: Buffer | null): number[] {
  const found: number[] = [];
  for (let at = 0; records !== null && at < records.length; at += 12 + records.readInt32BE(at + 8))
    found.push(Number(records.readBigInt64BE(at)));
  return found;
}

test("an idempotent producer gets a new identity in every version, whatever it says that it has, and raises its epoch itself", async () => {
  const { client } = await open();
  const ids = new Set<number>();
  for (let version = 0; version <= 5; version += 1) {
    // Some clients say 0 for nothing.
    for (const said of [-1, 0]) {
      const has = version >= 3 ? { producerId: said, producerEpoch: said } : {};
      const answer = await init(client, version, { transactionalId: null, ...has });
      expect([answer.errorCode, answer.producerEpoch]).toEqual([0, 0]);
      ids.add(answer.producerId);
    }
  }
  expect(ids.size).toBe(12);
  const half = await init(client, 3, { transactionalId: null, producerId: 0, producerEpoch: -1 });
  expect(half).toMatchObject({ errorCode: 42, producerId: -1 });
  const producerId = Math.max(...ids);
  const partition = (records: Buffer) => [{ name: "orders", partitionData: [{ index: 0, records }] }];
  for (const producerEpoch of [0, 1]) {
    const topicData = partition(kafkaBatch(["a"], { producerId, producerEpoch, baseSequence: 0 }));
    const { responses } = await client.ask("Produce", 7, { acks: -1, timeoutMs: 1_000, topicData });
    expect(responses[0]?.partitionResponses[0]).toMatchObject({ errorCode: 0, baseOffset: producerEpoch });
  }
});

test("transactions follow each other with one epoch and sequences that go on; what commits is seen, what aborts is named", async () => {
  const { client } = await open();
  const identity = await init(client);
  expect(identity).toMatchObject({ errorCode: 0, producerEpoch: 0 });
  expect(await add(client, identity)).toEqual([0]);
  expect(await produce(client, identity, 0, "a")).toMatchObject({ errorCode: 0, baseOffset: 0 });
  expect(await read(client, 1)).toMatchObject({ highWatermark: 1, lastStableOffset: 0, batches: [] });
  expect(await read(client, 0)).toMatchObject({
    lastStableOffset: 0,
    batches: [0],
    abortedTransactions: null,
  });
  expect(await end(client, identity, true)).toBe(0);
  expect(await read(client, 1)).toMatchObject({ lastStableOffset: 2, batches: [0, 1] });
  expect(await add(client, identity)).toEqual([0]);
  expect(await produce(client, identity, 1, "b")).toMatchObject({ errorCode: 0, baseOffset: 2 });
  // A retry.
  expect(await produce(client, identity, 1, "b")).toMatchObject({ errorCode: 0, baseOffset: 2 });
  expect(await end(client, identity, false)).toBe(0);
  const { producerId } = identity;
  const committed = await read(client, 1);
  expect(committed).toMatchObject({ lastStableOffset: 4, batches: [0, 1, 2, 3] });
  expect(committed.abortedTransactions).toEqual([{ producerId, firstOffset: 2 }]);
  expect(await add(client, identity)).toEqual([0]);
  expect(await produce(client, identity, 2, "c")).toMatchObject({ errorCode: 0, baseOffset: 4 });
  expect(await end(client, identity, true)).toBe(0);
  const all = await read(client, 1);
  expect(all.batches).toEqual([0, 1, 2, 3, 4, 5]);
  const firstBatch = all.records?.subarray(0, 12 + (all.records?.readInt32BE(8) ?? 0)) ?? null;
  expect(kafkaValues(firstBatch)).toEqual([{ baseOffset: 0, values: ["a"] }]);
});

test("the same end again is answered the same; the other one, and an end of nothing, are refused", async () => {
  const { client } = await open();
  const identity = await init(client);
  expect(await end(client, identity, true)).toBe(48);
  await add(client, identity);
  expect(await end(client, identity, true)).toBe(0);
  expect(await end(client, identity, true)).toBe(0);
  expect(await end(client, identity, false)).toBe(48);
});

test("a wrong producer id, an epoch that is over or to come, and an id that nobody has are told apart, as each version can", async () => {
  const { client } = await open();
  const first = await init(client);
  const identity = await init(client);
  expect(identity).toMatchObject({ producerId: first.producerId, producerEpoch: 1 });
  const { producerId, producerEpoch } = identity;
  for (const [version, fenced] of [
    [1, 47],
    [2, 90],
  ] as const) {
    expect(await end(client, { producerId: producerId + 7, producerEpoch }, true, version)).toBe(49);
    expect(await end(client, { producerId, producerEpoch: 0 }, true, version)).toBe(fenced);
    expect(await end(client, { producerId, producerEpoch: 5 }, true, version)).toBe(fenced);
    expect(await add(client, { producerId: producerId + 7, producerEpoch }, version)).toEqual([49]);
    expect(await add(client, { producerId, producerEpoch: 5 }, version)).toEqual([fenced]);
    const offsets = { transactionalId: ID, producerId, producerEpoch: 0, groupId: "g" };
    expect((await client.ask("AddOffsetsToTxn", version, offsets)).errorCode).toBe(fenced);
  }
  const unknown = { transactionalId: "nobody", producerId, producerEpoch, committed: true };
  expect((await client.ask("EndTxn", 1, unknown)).errorCode).toBe(49);
  expect((await init(client, 1, { transactionTimeoutMs: 10_000_000 })).errorCode).toBe(50);
  expect((await init(client, 1, { transactionalId: "" })).errorCode).toBe(42);
  expect((await init(client, 3, { producerId: 4 })).errorCode).toBe(42);
});

test("a new instance fences the one before, and aborts what it has open", async () => {
  const { client } = await open();
  const identity = await init(client);
  await add(client, identity);
  await produce(client, identity, 0, "a");
  const next = await init(client);
  expect(next.producerId).toBe(identity.producerId);
  expect(next.producerEpoch).toBeGreaterThan(identity.producerEpoch);
  expect(await produce(client, identity, 1, "b")).toMatchObject({ errorCode: 47 });
  const { abortedTransactions, lastStableOffset } = await read(client, 1);
  expect(abortedTransactions).toEqual([{ producerId: identity.producerId, firstOffset: 0 }]);
  expect(lastStableOffset).toBe(2);
  expect(await add(client, next)).toEqual([0]);
  expect(await produce(client, next, 0, "c")).toMatchObject({ errorCode: 0 });
  expect(await end(client, next, true)).toBe(0);
});

test("of partitions of which one is not there, or is the broker's own, none is added", async () => {
  const { client } = await open();
  const identity = await init(client);
  expect(await add(client, identity, 1, [0, 7])).toEqual([55, 3]);
  const own = { name: "__transaction_state", partitions: [0] };
  const topics = [own, { name: "orders", partitions: [0] }];
  const { results } = await client.ask("AddPartitionsToTxn", 1, { ...identity, transactionalId: ID, topics });
  expect(results.map(({ resultsByPartition: [each] }) => each?.partitionErrorCode)).toEqual([29, 55]);
  expect(await end(client, identity, true)).toBe(48);
});

test("offsets of a group count when their transaction commits, and not when it aborts", async () => {
  const { broker, client } = await open();
  const json = Session.open(broker);
  const { producerId, producerEpoch } = await init(client);
  const sender = { transactionalId: ID, producerId, producerEpoch, groupId: "readers" };
  const committedBy = async () => {
    const topics = [{ name: "orders", partitionIndexes: [0, 1] }];
    const asked = { groupId: "readers", topics, requireStable: true };
    const { topics: found, errorCode } = await client.ask("OffsetFetch", 7, asked);
    // What no transaction touches is told meanwhile.
    expect([errorCode, found[0]?.partitions[1]]).toMatchObject([0, { errorCode: 0, committedOffset: -1 }]);
    return found[0]?.partitions[0];
  };
  for (const [version, committed, before, after] of [
    [0, true, -1, 1],
    [3, false, 1, 1],
    [4, true, 1, 3],
  ] as const) {
    expect((await client.ask("AddOffsetsToTxn", Math.min(version, 3), sender)).errorCode).toBe(0);
    const partitions = [
      { partitionIndex: 0, committedOffset: version === 0 ? 1 : 3, committedMetadata: null },
      { partitionIndex: 9, committedOffset: 1, committedMetadata: null },
    ];
    const topics = [{ name: "orders", partitions }];
    const answer = await client.ask("TxnOffsetCommit", version, { ...sender, topics });
    expect(answer.topics[0]?.partitions.map(({ errorCode }) => errorCode)).toEqual([0, 3]);
    expect(await committedBy()).toMatchObject({ errorCode: 88, committedOffset: -1 });
    const { offsets } = await json.call("fetch_offsets", { group_id: "readers" });
    expect(offsets.map(({ offset }) => offset)).toEqual(before === -1 ? [] : [before]);
    const all = await client.ask("OffsetFetch", 7, { groupId: "readers", topics: null, requireStable: true });
    const marked = all.topics.flatMap(({ partitions }) => partitions.map(({ errorCode }) => errorCode));
    expect([all.errorCode, marked]).toEqual([0, before === -1 ? [] : [88]]);
    expect(await end(client, { producerId, producerEpoch }, committed)).toBe(0);
    expect(await committedBy()).toMatchObject({ errorCode: 0, committedOffset: after });
  }
});

test("a transaction that is open for too long is aborted by the step, and its producer is told that its epoch is over", async () => {
  const { broker, client } = await open({ clock: "manual" });
  const json = Session.open(broker);
  const identity = await init(client, 1, { transactionTimeoutMs: 1_000 });
  await add(client, identity);
  await produce(client, identity, 0, "a");
  await json.call("advance_clock", { ms: 1_001 });
  await json.call("expire_transactions");
  expect(await end(client, identity, true)).toBe(47);
  expect(await end(client, identity, true, 2)).toBe(90);
  const { producerId, producerEpoch } = identity;
  const next = await init(client, 3, { producerId, producerEpoch });
  expect(next.errorCode).toBe(0);
  expect(await add(client, next)).toEqual([0]);
});

test("a transaction that is open outlives the broker, and its producer goes on with it", async () => {
  const disk = new MemoryDisk();
  const broker = await openKafkaBroker({}, disk);
  broker.cluster.createTopic({ topic: "orders", partitions: 1 });
  const client = await KafkaClient.open(broker);
  const identity = await init(client);
  await add(client, identity);
  await produce(client, identity, 0, "a");
  await end(client, identity, true);
  await add(client, identity);
  await produce(client, identity, 1, "b");
  await broker.close();
  const again = await openKafkaBroker({}, disk);
  const other = await KafkaClient.open(again);
  expect(await produce(other, identity, 2, "c")).toMatchObject({ errorCode: 0 });
  expect(await end(other, identity, true)).toBe(0);
  expect(await read(other, 1)).toMatchObject({ abortedTransactions: [], batches: [0, 1, 2, 3, 4] });
});
