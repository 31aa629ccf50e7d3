/** What a test gets from one line, and what is left when it is over. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect } from "@minikafka/client";
import { Kafka, logLevel, Partitioners } from "kafkajs";
import { expect, onTestFinished, test } from "vitest";
import { startBroker } from "../src/index.ts";

test("what kafkajs sends is seen at once, by offset, as text and as bytes", async () => {
  await using broker = await startBroker({ topics: { orders: 2 } });
  const kafka = new Kafka({ brokers: broker.bootstrapBrokers, logLevel: logLevel.NOTHING });
  const producer = kafka.producer({ createPartitioner: Partitioners.DefaultPartitioner });
  await producer.connect();
  const messages = [
    { key: "alice", value: "created", partition: 1, headers: { trace: "t-1" }, timestamp: "5" },
    { key: null, value: null, partition: 0, timestamp: "6" },
  ];
  await producer.send({ topic: "orders", messages, acks: -1, compression: 1 });
  await producer.disconnect();
  const seen = broker.records("orders");
  expect(seen).toStrictEqual([
    { topic: "orders", partition: 0, offset: 0, key: null, value: null, headers: [], timestampMs: 6 },
    {
      ...{ topic: "orders", partition: 1, offset: 0, key: "alice", value: "created", timestampMs: 5 },
      headers: [{ key: "trace", value: "t-1" }],
    },
  ]);
  expect(seen.map(({ valueBytes }) => valueBytes)).toEqual([null, Buffer.from("created")]);
  expect(broker.records("orders", { partition: 1 })).toHaveLength(1);
  expect(broker.partition("orders", 1)).toMatchObject({ leaderId: 1, highWatermark: 1, logEndOffset: 1 });
});

test("the SDK reaches it without a port, and by one", async () => {
  await using broker = await startBroker({ topics: { orders: 1 }, kafka: false });
  await broker.client.producer().send({ topic: "orders", value: "inside" });
  const outside = await connect(broker.address);
  await outside.producer().send({ topic: "orders", value: "outside" });
  await outside.close();
  expect(broker.records("orders").map(({ value }) => value)).toEqual(["inside", "outside"]);
  expect(() => broker.bootstrapServers).toThrow("kafka: false");
});

test("a load without a pause lets the test's own timers have their turn", async () => {
  await using broker = await startBroker({ topics: { orders: 1 }, kafka: false });
  const producer = broker.client.producer();
  let isOver = false;
  setImmediate(() => {
    isOver = true;
  });
  for (let sends = 0; !isOver && sends < 1_000; sends += 1)
    await producer.send({ topic: "orders", value: "v" });
  expect(isOver).toBe(true);
});

test("what it holds is told over HTTP where that is asked for, at an address that stays over a reset", async () => {
  await using broker = await startBroker({ topics: { orders: 1 }, http: true });
  const { httpAddress } = broker;
  const topics = async () => {
    const answer = await fetch(`http://${httpAddress.host}:${httpAddress.port}/snapshot`);
    const state = (await answer.json()) as { topics: { partitions: { log_end_offset: number }[] }[] };
    return state.topics.map(({ partitions }) => partitions.map((each) => each.log_end_offset));
  };
  await broker.client.producer().send({ topic: "orders", value: "inside" });
  expect(await topics()).toEqual([[1]]);
  await broker.reset();
  expect(broker.httpAddress).toEqual(httpAddress);
  expect(await topics()).toEqual([[0]]);
  await using silent = await startBroker();
  expect(() => silent.httpAddress).toThrow("http: true");
});

test("topics come with what is said of them, and three brokers each have a port", async () => {
  const topics = { orders: 3, payments: { replicationFactor: 3, config: { min_insync_replicas: 2 } } };
  await using broker = await startBroker({ brokers: 3, topics });
  expect(new Set(broker.bootstrapServers.split(",")).size).toBe(3);
  expect(broker.kernel.describeTopic("orders")).toMatchObject({ partitions: 3, replicationFactor: 1 });
  expect(broker.partition("payments", 0).inSyncReplicas).toEqual([1, 2, 3]);
  await broker.client.producer({ acks: "all" }).send({ topic: "payments", value: "paid" });
  expect(broker.partition("payments", 0).highWatermark).toBe(1);
});

test("with a manual clock nothing happens until it is stepped", async () => {
  await using broker = await startBroker({
    ...{ brokers: 2, clock: "manual", settings: { start_time: 1_000 }, waitTimeoutMs: 30_000 },
    topics: { orders: { replicationFactor: 2 } },
  });
  expect(broker.clock.nowMs).toBe(1_000);
  expect(await broker.clock.advance(250)).toBe(1_250);
  expect(broker.clock.nowMs).toBe(1_250);
  const sent = broker.client.producer({ acks: "all" }).send({ topic: "orders", value: "paid" });
  const arrived = broker.waitForRecords("orders", 1);
  await broker.waitUntil("the leader has it", () => broker.partition("orders", 0).logEndOffset === 1);
  expect(broker.records("orders")).toEqual([]);
  await broker.step.runUntilQuiet();
  expect(await arrived).toMatchObject([{ value: "paid" }]);
  await sent;
});

test("faults are armed by its own client, and prove that they acted", async () => {
  await using broker = await startBroker({ topics: { orders: 1 } });
  const order = { point: "request.produce", action: "error", code: "NOT_ENOUGH_REPLICAS" } as const;
  const rule = await broker.fault.arm(order);
  await broker.client.producer().send({ topic: "orders", value: "paid" });
  await rule.assertFired();
  expect(broker.records("orders")).toHaveLength(1);
});

test("a folder keeps what was written, its groups and its transactions for the next start", async () => {
  const dir = await mkdtemp(join(tmpdir(), "minikafka-"));
  onTestFinished(() => rm(dir, { recursive: true }));
  const options = { storage: { dir }, topics: { orders: 1 } };
  const first = await startBroker(options);
  const producer = first.client.producer({ transactionalId: "pay" });
  await producer.transaction(async (tx) => {
    await tx.send({ topic: "orders", value: "paid" });
    await tx.sendOffsets({ groupId: "billing", offsets: [{ topic: "orders", partition: 0, offset: 1 }] });
  });
  await first.close();
  await using second = await startBroker(options);
  expect(second.records("orders").map(({ value }) => value)).toEqual(["paid"]);
  expect(second.group("billing")?.partitions).toMatchObject([{ committedOffset: 1, lag: 1 }]);
  expect(second.transactions()).toMatchObject([{ transactionalId: "pay", state: "complete_commit" }]);
});

test("twenty of them in one process know nothing of each other", async () => {
  const topics = { orders: 1 };
  const brokers = await Promise.all(Array.from({ length: 20 }, () => startBroker({ topics })));
  await Promise.all(
    brokers.map(({ client }, number) => client.producer().send({ topic: "orders", value: `${number}` })),
  );
  const seen = brokers.map((broker) => broker.records("orders").map(({ value }) => value));
  expect(seen).toEqual(brokers.map((_broker, number) => [`${number}`]));
  expect(
    new Set(brokers.flatMap(({ address, bootstrapBrokers }) => [`${address.port}`, ...bootstrapBrokers]))
      .size,
  ).toBe(40);
  await Promise.all(brokers.map((broker) => broker.close()));
});

test("what is aborted is hidden from who reads committed records only", async () => {
  await using broker = await startBroker({ topics: { orders: 1 } });
  const producer = broker.client.producer({ transactionalId: "pay" });
  const tx = await producer.beginTransaction();
  await tx.send({ topic: "orders", value: "no" });
  await tx.abort();
  await producer.transaction(async (next) => {
    await next.send({ topic: "orders", value: "yes" });
  });
  const open = await producer.beginTransaction();
  await open.send({ topic: "orders", value: "perhaps" });
  const values = (isolation: "read_committed" | "read_uncommitted") =>
    broker.records("orders", { isolation }).map(({ value }) => value);
  expect(values("read_uncommitted")).toEqual(["no", "yes", "perhaps"]);
  expect(values("read_committed")).toEqual(["yes"]);
  expect(broker.transactions()).toMatchObject([{ transactionalId: "pay", state: "ongoing", partitions: 1 }]);
});

test("a client without a port has all answered, and taken in order, however much it asks at once", async () => {
  await using broker = await startBroker({ kafka: false, topics: { orders: 1 } });
  const calls = Array.from({ length: 2_000 }, () => broker.client.call("ping", {}, { timeoutMs: 20_000 }));
  const values = Array.from({ length: 500 }, (_, index) => String(index));
  const producer = broker.client.producer();
  const sends = values.map((value) => producer.send({ topic: "orders", value }));
  await Promise.all([...calls, ...sends]);
  expect(broker.records("orders").map(({ value }) => value)).toEqual(values);
});
