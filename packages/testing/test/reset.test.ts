/** A broker that is as if it had just been started, without being another one. */
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Kafka, logLevel, Partitioners } from "kafkajs";
import { expect, onTestFinished, test } from "vitest";
import { startBroker, type TestBroker } from "../src/index.ts";

async function fill(broker: TestBroker): Promise<void> {
  const admin = broker.client.admin();
  await broker.client.producer({ idempotent: true }).send({ topic: "orders", value: "old" });
  await admin.createTopic({ topic: "others" });
  await admin.commitOffsets("billing", [{ topic: "orders", partition: 0, offset: 1 }]);
  await broker.fault.arm({
    point: "request.produce",
    action: "error",
    code: "NOT_ENOUGH_REPLICAS",
    times: "always",
  });
}

async function requireFresh(broker: TestBroker): Promise<void> {
  expect(broker.kernel.listTopics().map(({ topic }) => topic)).toEqual(["orders"]);
  expect(broker.records("orders")).toEqual([]);
  expect(broker.group("billing")).toBe(null);
  expect((await broker.fault.list()).rules).toEqual([]);
  const [sent] = await broker.client.producer().sendMany([{ topic: "orders", value: "new" }]);
  expect(sent).toMatchObject({ offset: 0 });
  expect((await broker.waitForRecords("orders", 1)).map(({ value }) => value)).toEqual(["new"]);
}

test("a reset takes topics, records, groups and faults, and leaves addresses and its client", async () => {
  await using broker = await startBroker({ brokers: 2, topics: { orders: { replicationFactor: 2 } } });
  const { address, bootstrapServers, client } = broker;
  await broker.client.admin().promote({ topic: "orders", partition: 0 }, 2);
  for (let time = 0; time < 2; time += 1) {
    await fill(broker);
    await broker.reset();
    await requireFresh(broker);
  }
  expect(broker.partition("orders", 0)).toMatchObject({ leaderId: 1, leaderEpoch: 0 });
  expect([broker.address, broker.bootstrapServers, broker.client]).toEqual([
    address,
    bootstrapServers,
    client,
  ]);
});

test("a client of Kafka's that stays connected finds the same place, empty", async () => {
  await using broker = await startBroker({ topics: { orders: 1 } });
  const kafka = new Kafka({
    brokers: broker.bootstrapBrokers,
    logLevel: logLevel.NOTHING,
    retry: { initialRetryTime: 1, maxRetryTime: 5, retries: 100 },
  });
  const producer = kafka.producer({ createPartitioner: Partitioners.DefaultPartitioner });
  await producer.connect();
  await producer.send({ topic: "orders", messages: [{ value: "old" }] });
  await broker.reset();
  await producer.send({ topic: "orders", messages: [{ value: "new" }] });
  await producer.disconnect();
  expect(broker.records("orders").map(({ value }) => value)).toEqual(["new"]);
});

test("with a manual clock time begins anew as well", async () => {
  await using broker = await startBroker({
    clock: "manual",
    settings: { start_time: 5 },
    topics: { orders: 1 },
  });
  await broker.clock.advance(100);
  await fill(broker);
  await broker.reset();
  expect(broker.clock.nowMs).toBe(5);
  await requireFresh(broker);
});

test("a process that was let die is another one after a reset", async () => {
  await using broker = await startBroker({ topics: { orders: 1 } });
  await fill(broker);
  await broker.fault.crash();
  await broker.reset();
  await requireFresh(broker);
});

test("resets that are asked for at once come one after the other, and a close after them", async () => {
  const broker = await startBroker({ topics: { orders: 1 } });
  await fill(broker);
  const resets = [broker.reset(), broker.reset()];
  await Promise.all(resets);
  await requireFresh(broker);
  const last = Promise.allSettled([broker.reset()]);
  await broker.close();
  expect((await last)[0]?.status).toBeDefined();
});

test("a folder that was empty at the start is emptied; one that was not is refused", async () => {
  const dir = await mkdtemp(join(tmpdir(), "minikafka-"));
  onTestFinished(() => rm(dir, { recursive: true }));
  const options = { storage: { dir }, topics: { orders: 1 } };
  const first = await startBroker(options);
  await fill(first);
  await first.reset();
  await requireFresh(first);
  await first.close();
  await using second = await startBroker(options);
  await expect(second.reset()).rejects.toMatchObject({
    code: "USAGE",
    message: "reset would delete what lay in the folder before this broker came",
  });
  expect(second.records("orders").map(({ value }) => value)).toEqual(["new"]);
  expect(await readdir(dir)).not.toEqual([]);
});
