/** A wait whose time is over says of what is written already why nobody can read it: "there is none" would send the test's author astray. */
import { expect, test } from "vitest";
import { type RecordsQuery, startBroker, type TestBroker } from "../src/index.ts";

const COPIED = { brokers: 3, clock: "manual", topics: { orders: { replicationFactor: 3 } } } as const;

async function saidBy(broker: TestBroker, count: number, query: RecordsQuery = {}): Promise<string> {
  const waited = broker.waitForRecords("orders", count, { ...query, timeoutMs: 1 });
  return waited.then(
    () => "it came",
    ({ message }: Error) => message,
  );
}

test("a record that is not on every replica in sync is told, with who has it not", async () => {
  await using broker = await startBroker(COPIED);
  const producer = broker.client.producer({ acks: 1 });
  await producer.send({ topic: "orders", value: "a" });
  expect(await saidBy(broker, 1)).toBe(
    "waited 1 ms for 1 record in orders: there is none; 1 is written and not readable yet: " +
      "orders/0@0 is not on brokers 2, 3 (step.runUntilQuiet() goes on with that)",
  );
  await broker.step.replicateOnce({ topic: "orders", brokerId: 2 });
  expect(await saidBy(broker, 1)).toContain("orders/0@0 is not on broker 3 (step");
  await broker.step.runUntilQuiet();
  expect(await saidBy(broker, 2)).toBe("waited 1 ms for 2 records in orders: there is 1: orders/0@0 a");
  await producer.sendMany(["b", "c"].map((value) => ({ topic: "orders", partition: 0, value })));
  expect(await saidBy(broker, 2)).toContain(
    "there is 1: orders/0@0 a; 2 are written and not readable yet: orders/0@1 is not on brokers 2, 3",
  );
});

test("a replica that is stopped is told as such", async () => {
  await using broker = await startBroker({ ...COPIED, clock: "real" });
  await broker.client.admin().stopBroker(3);
  await broker.client.producer({ acks: 1 }).send({ topic: "orders", value: "a" });
  expect(await saidBy(broker, 1)).toMatch(
    /: orders\/0@0 is not on (brokers 2, 3|broker 3), which is stopped$/,
  );
});

test("a record of an open transaction is told to who reads committed ones, with whose it is, and to nobody else", async () => {
  await using broker = await startBroker({ topics: { orders: 1 } });
  const transaction = await broker.client.producer({ transactionalId: "pay" }).beginTransaction();
  await transaction.send({ topic: "orders", value: "a" });
  await broker.client.producer({ acks: "all" }).send({ topic: "orders", value: "b" });
  await broker.waitForRecords("orders", 2, { timeoutMs: 30_000 });
  expect(await saidBy(broker, 1, { isolation: "read_committed" })).toBe(
    "waited 1 ms for 1 record in orders: there is none; 2 are written and not readable yet: " +
      "orders/0@0 waits for the end of the transaction pay",
  );
  expect(await saidBy(broker, 3)).toBe(
    "waited 1 ms for 3 records in orders: there are 2: orders/0@0 a, orders/0@1 b",
  );
  await transaction.abort();
  await broker.waitForRecords("orders", 1, { isolation: "read_committed", timeoutMs: 30_000 });
  expect(await saidBy(broker, 2, { isolation: "read_committed" })).toBe(
    "waited 1 ms for 2 records in orders: there is 1: orders/0@1 b",
  );
});

test("of many partitions three are named", async () => {
  await using broker = await startBroker({
    ...COPIED,
    topics: { orders: { partitions: 5, replicationFactor: 3 } },
  });
  const producer = broker.client.producer({ acks: 1 });
  await producer.sendMany([0, 1, 2, 3, 4].map((partition) => ({ topic: "orders", partition, value: "a" })));
  expect(await saidBy(broker, 1)).toMatch(
    /: there is none; 5 are written .*orders\/2@0 is not on .*, 2 more$/,
  );
});
