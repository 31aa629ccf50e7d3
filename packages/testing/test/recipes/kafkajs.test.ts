/** Recipe: an application that uses kafkajs. It gets the addresses of a broker in the test's process, and nothing else of it. */
import { brokerTest } from "@minikafka/testing/vitest";
import { Kafka, logLevel, Partitioners } from "kafkajs";
import { expect } from "vitest";

// The application: for each order it writes a payment.

async function startBilling(brokers: string[]) {
  const kafka = new Kafka({ clientId: "billing", brokers, logLevel: logLevel.NOTHING });
  const producer = kafka.producer({ createPartitioner: Partitioners.DefaultPartitioner, idempotent: true });
  const consumer = kafka.consumer({ groupId: "billing", maxWaitTimeInMs: 50 });
  await Promise.all([producer.connect(), consumer.connect()]);
  await consumer.subscribe({ topics: ["orders"], fromBeginning: true });
  await consumer.run({
    eachMessage: async ({ message }) => {
      const value = `paid ${message.value}`;
      await producer.send({ topic: "payments", messages: [{ key: message.key, value }] });
    },
  });
  return async () => {
    await consumer.disconnect();
    await producer.disconnect();
  };
}

// Its test.

const test = brokerTest({ waitTimeoutMs: 30_000, topics: { orders: 3, payments: 1 } });

test("each order is paid", async ({ broker }) => {
  const stopBilling = await startBilling(broker.bootstrapBrokers);
  const orders = ["a", "b", "c"].map((key) => ({ topic: "orders", key, value: `order ${key}` }));
  await broker.client.producer().sendMany(orders);
  const payments = await broker.waitForRecords("payments", 3);
  expect(payments.map(({ key, value }) => `${key}: ${value}`).sort()).toEqual([
    "a: paid order a",
    "b: paid order b",
    "c: paid order c",
  ]);
  await stopBilling();
  expect(await broker.waitForGroup("billing", { state: "empty", drained: true })).toMatchObject({
    type: "classic",
  });
});

test("an order is paid once, though the answer to the payment was lost", async ({ broker }) => {
  const lost = await broker.fault.arm({ point: "kafka.Produce", action: "close_after", topic: "payments" });
  const stopBilling = await startBilling(broker.bootstrapBrokers);
  await broker.client.producer().send({ topic: "orders", key: "a", value: "order a" });
  await broker.waitForGroup("billing", { members: 1, state: "stable" });
  await broker.waitForRecords("payments", 1);
  await stopBilling();
  await lost.assertFired();
  expect(broker.records("payments").map(({ value }) => value)).toEqual(["paid order a"]);
});
