/** A user's file of tests for node:test, run by fixtures.test.ts: `npm run node-test-user` shows one of them failing, on purpose. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { brokerFor } from "@minikafka/testing/node-test";

const seen = [];

test("uses a broker", async (t) => {
  const broker = await brokerFor(t, { topics: { orders: 1 } });
  seen.push(broker);
  await broker.client.producer().send({ topic: "orders", value: "created" });
  assert.deepEqual(
    broker.records("orders").map(({ value }) => value),
    ["created"],
  );
});

test("fails with a broker", async (t) => {
  seen.push(await brokerFor(t));
  assert.fail("on purpose");
});

test("finds both closed", () => {
  assert.equal(seen.length, 2);
  for (const broker of seen) assert.throws(() => broker.address, { code: "CLOSED" });
});
