/** Recipe: the SDK alone. No port is open, and time stands still: what happens, happens because the test says so. */
import type { Client } from "@minikafka/client";
import { brokerTest } from "@minikafka/testing/vitest";
import { expect } from "vitest";

// The application: it takes orders to payments in transactions.

async function payOnce(client: Client): Promise<number> {
  const consumer = client.consumer({
    ...{ groupId: "billing", isolation: "read_committed", autoOffsetReset: "earliest", autoCommit: false },
  });
  const producer = client.producer({ transactionalId: "billing-1" });
  await consumer.subscribe("orders");
  const orders = await consumer.poll({ timeoutMs: 3_000 });
  await producer.transaction(async (tx) => {
    for (const { key, value } of orders) void tx.send({ topic: "payments", key, value: `paid ${value}` });
    await tx.sendOffsets(consumer);
  });
  await consumer.close();
  await producer.close();
  return orders.length;
}

// Its test.

const test = brokerTest({ clock: "manual", kafka: false, topics: { orders: 1, payments: 1 } });

test("orders and their payments are one transaction", async ({ broker }) => {
  await broker.client.producer().send({ topic: "orders", key: "a", value: "order a" });
  expect(await payOnce(broker.client)).toBe(1);
  expect(broker.records("payments", { isolation: "read_committed" })).toMatchObject([
    { value: "paid order a" },
  ]);
  expect(broker.group("billing")?.partitions).toMatchObject([
    { topic: "orders", committedOffset: 1, lag: 0 },
  ]);
  expect(broker.transactions()).toMatchObject([{ transactionalId: "billing-1", state: "complete_commit" }]);
});

test("a transaction that its program left open is aborted when its time is over", async ({ broker }) => {
  const producer = broker.client.producer({ transactionalId: "billing-1", transactionTimeoutMs: 10_000 });
  const tx = await producer.beginTransaction();
  await tx.send({ topic: "payments", value: "never" });
  await broker.clock.advance(10_001);
  await broker.step.expireTransactions();
  expect(broker.transactions()).toMatchObject([{ state: "complete_abort" }]);
  expect(broker.records("payments", { isolation: "read_committed" })).toEqual([]);
});
