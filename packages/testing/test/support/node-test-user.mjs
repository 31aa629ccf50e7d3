/** A user's file of tests for node:test, run by fixtures.test.ts: `npm run node-test-user` shows some of them failing, on purpose. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { brokerFor } from "@minikafka/testing/node-test";
import { Kafka, logLevel } from "kafkajs";

const seen = [];

async function anotherFor(t) {
  const broker = await brokerFor(t, { topics: { orders: 1 } });
  seen.push(broker);
  return broker;
}

test("uses a broker", async (t) => {
  const broker = await anotherFor(t);
  await broker.client.producer().send({ topic: "orders", value: "created" });
  const [{ timestampMs }] = broker.records("orders");
  const words = { key: null, value: "created", headers: [], timestampMs };
  assert.deepStrictEqual(broker.records("orders"), [{ topic: "orders", partition: 0, offset: 0, ...words }]);
});

test("fails with a broker", async (t) => {
  await anotherFor(t);
  assert.fail("on purpose");
});

test("finds both closed", () => {
  assert.equal(seen.length, 2);
  for (const broker of seen) assert.throws(() => broker.address, { code: "CLOSED" });
});

test("fails while kafkajs reads", async (t) => {
  const broker = await anotherFor(t);
  const kafka = new Kafka({ brokers: broker.bootstrapBrokers, logLevel: logLevel.NOTHING });
  const consumer = kafka.consumer({ groupId: "billing", maxWaitTimeInMs: 50 });
  t.after(() => consumer.disconnect());
  t.after(() => console.log(`after it: ${broker.group("billing").state}`));
  await consumer.connect();
  await consumer.subscribe({ topics: ["orders"] });
  await consumer.run({ eachMessage: async () => undefined });
  await broker.waitForGroup("billing", { timeoutMs: 30_000 });
  assert.fail("on purpose");
});

test("fails when it tidies up", async (t) => {
  await anotherFor(t);
  t.after(() => assert.fail("on purpose"));
});

test("finds all closed", () => {
  assert.equal(seen.length, 4);
  for (const broker of seen) assert.throws(() => broker.address, { code: "CLOSED" });
});
