/** Waiting for what the broker is about to do, and what is said when it does not. */
import type { Client } from "@minikafka/client";
import { expect, test } from "vitest";
import { startBroker, type TestBroker, WaitTimedOut } from "../src/index.ts";

/** On a machine that may be busy. */
const OPTIONS = { topics: { orders: 2 }, waitTimeoutMs: 30_000 };

async function rejection(promise: Promise<unknown>): Promise<Error> {
  return promise.then(
    () => {
      throw new Error("it was to be rejected");
    },
    (problem: Error) => problem,
  );
}

/** One member that reads all that there is, and commits it when it is closed. */
async function memberOf(client: Client, groupId: string) {
  const consumer = client.consumer({ groupId, autoOffsetReset: "earliest" });
  await consumer.subscribe("orders");
  return consumer;
}

function send(broker: TestBroker, ...values: string[]) {
  const records = values.map((value) => ({ topic: "orders", partition: 0, key: "k", value }));
  return broker.client.producer().sendMany(records);
}

test("records are waited for until there are enough of them, also of a topic that is yet to come", async () => {
  await using broker = await startBroker(OPTIONS);
  const two = broker.waitForRecords("orders", 2);
  const others = broker.waitForRecords("payments", 1);
  await send(broker, "a");
  await send(broker, "b", "c");
  expect((await two).map(({ value }) => value)).toEqual(["a", "b", "c"]);
  await broker.client.admin().createTopic({ topic: "payments" });
  await broker.client.producer().send({ topic: "payments", value: "d" });
  expect(await others).toMatchObject([{ topic: "payments", value: "d" }]);
  expect(await broker.waitForRecords("orders", 0)).toHaveLength(3);
});

test("when the time is over, the records that were there are told", async () => {
  await using broker = await startBroker(OPTIONS);
  await send(broker, "created", "x".repeat(50));
  const problem = await rejection(broker.waitForRecords("orders", 3, { timeoutMs: 1 }));
  expect(problem).toBeInstanceOf(WaitTimedOut);
  expect(problem).toMatchObject({ code: "WAIT_TIMED_OUT" });
  expect(problem.message).toBe(
    `waited 1 ms for 3 records in orders: there are 2: orders/0@0 k=created, orders/0@1 k=${"x".repeat(40)}…`,
  );
  expect((problem as WaitTimedOut).seen).toHaveLength(2);
  const nothing = rejection(broker.waitForRecords("orders", 1, { timeoutMs: 1, partition: 1 }));
  expect((await nothing).message).toBe("waited 1 ms for 1 record in orders/1: there is none");
  const unknown = rejection(broker.waitForRecords("payments", 1, { timeoutMs: 1 }));
  expect((await unknown).message).toContain("waited 1 ms for 1 record in payments: UNKNOWN_TOPIC");
});

test("a group is waited for: its members, its state, and that it has read everything", async () => {
  await using broker = await startBroker(OPTIONS);
  await send(broker, "a", "b");
  expect(broker.group("billing")).toBe(null);
  const joined = broker.waitForGroup("billing", { state: "stable", members: 1 });
  const consumer = await memberOf(broker.client, "billing");
  const reading = consumer.poll({ timeoutMs: 30_000 });
  expect(await joined).toMatchObject({
    groupId: "billing",
    type: "consumer",
    members: [{ topics: ["orders"] }],
  });
  const drained = broker.waitForGroup("billing", { drained: true });
  expect(await reading).toHaveLength(2);
  await consumer.commit();
  expect((await drained).partitions).toMatchObject([
    { partition: 0, committedOffset: 2, endOffset: 2, lag: 0 },
    { partition: 1, endOffset: 0 },
  ]);
  await send(broker, "c");
  const behind = rejection(broker.waitForGroup("billing", { drained: true, members: 2, timeoutMs: 1 }));
  expect((await behind).message).toBe(
    "waited 1 ms for the group billing: it has 1 member (expected 2), orders/0 is 1 behind",
  );
  await consumer.close();
  expect(await broker.waitForGroup("billing", { state: "empty" })).toMatchObject({ members: [] });
});

test("a group that nobody has heard of is told as such", async () => {
  await using broker = await startBroker();
  const problem = await rejection(broker.waitForGroup("billing", { timeoutMs: 1 }));
  expect(problem.message).toBe("waited 1 ms for the group billing: there is no such group");
  expect((problem as WaitTimedOut).seen).toBe(null);
});

test("anything that can be seen can be waited for, and what the look throws is told", async () => {
  await using broker = await startBroker(OPTIONS);
  const held = broker.waitUntil("a record", () => broker.partition("orders", 0).highWatermark === 1);
  const failing = rejection(
    broker.waitUntil("nothing", () => {
      if (broker.records("orders").length > 0) throw new RangeError("not this one");
      return false;
    }),
  );
  await send(broker, "a");
  await held;
  expect((await failing).message).toBe("not this one");
  const never = rejection(broker.waitUntil("a miracle", () => false, { timeoutMs: 1 }));
  expect((await never).message).toBe("waited 1 ms for a miracle: it does not hold");
});

test("a promise is never true, and one that nobody hears of ends no process", async () => {
  await using broker = await startBroker(OPTIONS);
  // As those of databases, which are no promises by themselves.
  // biome-ignore lint/suspicious/noThenProperty: that is what is refused
  const query = { then: (taken: (rows: unknown[]) => void) => taken([]) };
  for (const holds of [
    async () => false,
    async () => true,
    () => Promise.reject(new Error("unheard")),
    () => query,
  ])
    await expect(broker.waitUntil("a promise", holds as never)).rejects.toMatchObject({
      code: "USAGE",
      message: expect.stringContaining("holds returned a promise, which is not waited for"),
    });
  // A rejection that nobody has heard would have failed this run by now.
  await new Promise((resolve) => setImmediate(resolve));
});

test.each<[string, () => unknown, string]>([
  [
    "a generator",
    function* () {
      yield true;
    },
    "[object Generator]",
  ],
  ["a number", () => 1, "1"],
  ["nothing", () => undefined, "undefined"],
  ["no group", () => null, "null"],
  ["a list", () => [1], "[1]"],
  ["a Map", () => new Map(), "[object Map]"],
])("what returns %s is no answer, neither true nor false", async (_what, holds, shown) => {
  await using broker = await startBroker(OPTIONS);
  await expect(broker.waitUntil("it", holds as never)).rejects.toMatchObject({
    code: "USAGE",
    message: `holds returned ${shown}; expected true or false, as a comparison gives`,
  });
});

test("a wait ends by its signal, with its reason", async () => {
  await using broker = await startBroker(OPTIONS);
  const abort = new AbortController();
  const waiting = rejection(broker.waitForRecords("orders", 1, { signal: abort.signal }));
  abort.abort(new Error("enough"));
  expect((await waiting).message).toBe("enough");
  const late = rejection(broker.waitForRecords("orders", 1, { signal: abort.signal }));
  expect((await late).message).toBe("enough");
});

test("a wait ends with the broker, and with a reset of it", async () => {
  const broker = await startBroker(OPTIONS);
  const first = rejection(broker.waitForRecords("orders", 1));
  await broker.reset();
  expect(await first).toMatchObject({ code: "CLOSED", message: "the broker was reset" });
  const second = rejection(broker.waitForGroup("billing"));
  await broker.close();
  expect(await second).toMatchObject({ code: "CLOSED" });
});

test("a wait that does not say how long takes as long as the broker's waits do", async () => {
  await using broker = await startBroker({ waitTimeoutMs: 1 });
  expect((await rejection(broker.waitForGroup("billing"))).message).toContain("waited 1 ms for");
});
