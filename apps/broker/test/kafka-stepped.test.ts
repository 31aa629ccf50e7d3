import { expect, test } from "vitest";
import { Session } from "./support/broker.ts";
import { KafkaClient, openKafkaBroker } from "./support/kafka-client.ts";
import { kafkaBatch } from "./support/kafka-records.ts";

const MANUAL = { clock: "manual", start_time: 1_700_000_000_000 } as const;

test("with a manual clock Kafka's requests are a part of the history, and a load carries them out once more to the last byte", async () => {
  const broker = await openKafkaBroker({ ...MANUAL, brokers: 2 });
  const json = Session.open(broker);
  const client = await KafkaClient.open(broker, 2);
  await client.ask("Metadata", 4, { topics: [{ name: "orders" }] });
  await client.ask("Metadata", 12, { topics: [{ name: "orders" }, { name: "payments" }] });
  await json.call("stop_broker", { broker_id: 2 });
  await client.closed();
  await json.call("save_snapshot", { name: "before", keep: "folder" });
  await json.call("start_broker", { broker_id: 2 });
  await json.call("delete_topic", { topic: "orders" });
  const loaded = await json.call("load_snapshot", { name: "before" });
  expect(loaded.difference).toBeNull();
  expect(broker.cluster.listTopics().map(({ topic }) => topic)).toEqual(["orders", "payments"]);
  // As it was then: broker 2 is stopped, and so is its port.
  await expect(KafkaClient.open(broker, 2)).rejects.toThrow("ECONNREFUSED");
  const again = await KafkaClient.open(broker, 1);
  expect((await again.ask("Metadata", 1, { topics: null })).topics).toHaveLength(2);
  const { lines } = await json.call("read_history", { from: 0 });
  const entries = lines.map((line) => JSON.parse(line) as { readonly [name: string]: unknown });
  const requests = entries.flatMap(({ kafka_request: request }) => (request === undefined ? [] : [request]));
  expect(requests[0]).toMatchObject({ broker_id: 2, client_host: "/127.0.0.1", connection: 2 });
  expect(entries.filter((entry) => "kafka_answer" in entry)).toHaveLength(requests.length);
});

test("a fault at one of Kafka's requests acts by its scope, is told in Kafka's numbers, and counts its hits", async () => {
  const broker = await openKafkaBroker({ lab: true, brokers: 2 });
  const json = Session.open(broker);
  broker.cluster.createTopic({ topic: "orders", partitions: 1 });
  const client = await KafkaClient.open(broker, 1);
  const other = await KafkaClient.open(broker, 2);
  const ask = async (from: KafkaClient, name: string) =>
    (await from.ask("Metadata", 4, { topics: [{ name }], allowAutoTopicCreation: false })).topics[0];
  const { rule_id: ruleId } = await json.call("arm_fault", {
    point: "kafka.Metadata",
    action: "error",
    code: "LEADER_NOT_AVAILABLE",
    topic: "orders",
    broker_id: 1,
    times: "always",
  });
  expect(await ask(client, "payments")).toMatchObject({ errorCode: 3 });
  expect(await ask(other, "orders")).toMatchObject({ errorCode: 0 });
  expect(await ask(client, "orders")).toMatchObject({ errorCode: 5 });
  const { rules } = await json.call("list_faults");
  expect(rules).toContainEqual(expect.objectContaining({ rule_id: ruleId, hits: 1, fired: 1 }));
  await json.call("disarm_faults");
  await json.call("arm_fault", { point: "kafka.ApiVersions", action: "close" });
  await expect(client.ask("ApiVersions", 0, {})).rejects.toThrow("the connection ended");
  await json.call("arm_fault", { point: "kafka.Metadata", action: "drop_answer" });
  void ask(other, "orders").catch(() => undefined);
  expect((await other.ask("ApiVersions", 0, {})).errorCode).toBe(0);
  expect(other.correlationIds).toEqual([1, 3]);
});

test("a fault takes any error by Kafka's own name where Kafka's clients are told it, and nowhere else", async () => {
  const broker = await openKafkaBroker({ lab: true });
  const json = Session.open(broker);
  broker.cluster.createTopic({ topic: "orders", partitions: 1 });
  const client = await KafkaClient.open(broker);
  const order = { action: "error", code: "NOT_LEADER_OR_FOLLOWER" };
  await json.call("arm_fault", { ...order, point: "kafka.ListOffsets" });
  const { topics } = await client.ask("ListOffsets", 1, {
    replicaId: -1,
    topics: [{ name: "orders", partitions: [{ partitionIndex: 0, timestamp: -1 }] }],
  });
  expect(topics[0]?.partitions[0]).toMatchObject({ errorCode: 6 });
  expect((await json.call("list_faults")).rules[0]).toMatchObject({ ...order, hits: 1, fired: 1 });
  const refusal = (fields: object) => json.ask({ operation: "arm_fault", ...order, ...fields });
  expect(await refusal({ point: "request.produce" })).toMatchObject({
    code: "INVALID_REQUEST",
    message: expect.stringContaining("code: NOT_LEADER_OR_FOLLOWER is told to Kafka's clients alone"),
  });
  for (const code of ["NONE", "NOT_LEADER", "toString"])
    expect(await refusal({ point: "kafka.ListOffsets", code })).toMatchObject({
      code: "INVALID_REQUEST",
      message: expect.stringContaining("docs/reference/errors.md"),
    });
});

test("what Kafka's clients have produced, fetched, shared and ended comes out the same when it is carried out once more", async () => {
  const broker = await openKafkaBroker({ ...MANUAL, auto_create_partitions: 2 });
  const json = Session.open(broker);
  const client = await KafkaClient.open(broker);
  await client.ask("Metadata", 4, { topics: [{ name: "orders" }] });
  const records = kafkaBatch(["a", "b"], {}, 1_700_000_000_000);
  const topicData = [{ name: "orders", partitionData: [{ index: 0, records }] }];
  await client.ask("Produce", 7, { acks: -1, timeoutMs: 1_000, topicData });
  const fetch = (partition: number) => {
    const partitions = [{ partition, fetchOffset: 0, partitionMaxBytes: 1_000 }];
    return client.ask("Fetch", 11, {
      maxWaitMs: 500,
      minBytes: 1,
      topics: [{ topic: "orders", partitions }],
    });
  };
  await fetch(0);
  const joining = {
    ...{ groupId: "g", sessionTimeoutMs: 10_000, rebalanceTimeoutMs: 10_000, protocolType: "consumer" },
    protocols: [{ name: "range", metadata: Buffer.from("m") }],
  };
  const { memberId } = await client.ask("JoinGroup", 5, { ...joining, memberId: "" });
  const { generationId } = await client.ask("JoinGroup", 5, { ...joining, memberId });
  const assignments = [{ memberId, assignment: Buffer.from("all") }];
  await client.ask("SyncGroup", 3, { groupId: "g", generationId, memberId, assignments });
  const init = { transactionalId: "t", transactionTimeoutMs: 10_000 };
  const { producerId, producerEpoch } = await client.ask("InitProducerId", 1, init);
  const producer = { transactionalId: "t", producerId, producerEpoch };
  await client.ask("AddOffsetsToTxn", 1, { ...producer, groupId: "g" });
  const committed = [{ partitionIndex: 0, committedOffset: 2, committedMetadata: null }];
  const member = { groupId: "g", memberId, generationId };
  const topics = [{ name: "orders", partitions: committed }];
  await client.ask("TxnOffsetCommit", 3, { ...producer, ...member, topics });
  await client.ask("EndTxn", 1, { ...producer, committed: true });
  // Another waits for the first to come again, and a fetch for what nobody produces.
  const other = await KafkaClient.open(broker);
  const waiting = [other.ask("JoinGroup", 2, { ...joining, memberId: "" }), fetch(1)];
  for (const each of waiting) each.catch(() => undefined);
  while ((await json.call("pending_steps")).deadlines.every(({ what }) => what !== "long_poll"));
  await json.call("advance_clock", { ms: 600 });
  await json.call("save_snapshot", { name: "before" });
  await json.call("delete_topic", { topic: "orders" });
  const loaded = await json.call("load_snapshot", { name: "before" });
  expect(loaded.difference).toBeNull();
  const again = await KafkaClient.open(broker);
  const asked = { groupId: "g", topics: [{ name: "orders", partitionIndexes: [0] }] };
  const found = await again.ask("OffsetFetch", 3, asked);
  expect(found.topics[0]?.partitions[0]).toMatchObject({ committedOffset: 2 });
});
