/** How a broker ends, whatever its test has left undone; and that looking at it changes nothing. */
import { Kafka, logLevel, Partitioners } from "kafkajs";
import { expect, onTestFinished, test, vi } from "vitest";
import { startBroker } from "../src/index.ts";
import { held } from "./support/held.ts";

const REPLICATED = { orders: { replicationFactor: 2 } };
/** On a machine that may be busy. */
const PATIENT = { waitTimeoutMs: 30_000 };

test("a client of Kafka's that is still connected is cut off, and nothing of the broker stays", async () => {
  const before = await held();
  const broker = await startBroker({ topics: { orders: 1 } });
  const kafka = new Kafka({ brokers: broker.bootstrapBrokers, logLevel: logLevel.NOTHING });
  const producer = kafka.producer({ createPartitioner: Partitioners.DefaultPartitioner });
  const gone = new Promise((resolve) => producer.on("producer.disconnect", resolve));
  await producer.connect();
  await producer.send({ topic: "orders", messages: [{ value: "created" }] });
  await broker.close();
  await producer.disconnect();
  await gone;
  expect(await held()).toEqual(before);
});

test("a record that waits for replicas for ever holds up no end, and who has sent it is told", async () => {
  const broker = await startBroker({ brokers: 2, clock: "manual", topics: REPLICATED, ...PATIENT });
  const sent = broker.client.producer({ acks: "all" }).send({ topic: "orders", value: "paid" });
  const told = sent.catch((problem: Error) => problem);
  await broker.waitUntil("the leader has it", () => broker.partition("orders", 0).logEndOffset === 1);
  await broker.close();
  expect(await told).toBeInstanceOf(Error);
});

test("a consumer in a group, a poll that waits and a fault that holds are no reason to stay", async () => {
  const broker = await startBroker({ topics: { orders: 1 }, ...PATIENT });
  const consumer = broker.client.consumer({ groupId: "billing" });
  await consumer.subscribe("orders");
  const polled = consumer.poll({ timeoutMs: 60_000 }).catch((problem: Error) => problem);
  await broker.waitForGroup("billing", { members: 1 });
  const rule = await broker.fault.arm({ point: "request.produce", action: "hold" });
  const other = await broker.connect();
  const sent = other.producer().send({ topic: "orders", value: "late" });
  const told = sent.catch((problem: Error) => problem);
  await rule.whenFired();
  await broker.close();
  await Promise.all([polled, told]);
});

test("a process that was let die, and one whose disk fails, end like any other", async () => {
  for (const order of [
    { point: "log.append.before_write", action: "crash" },
    { point: "log.append.before_write", action: "error", times: "always" },
  ] as const) {
    const broker = await startBroker({ topics: { orders: 1 } });
    const rule = await broker.fault.arm(order);
    const producer = broker.client.producer({ deliveryTimeoutMs: 200 });
    const sent = producer.send({ topic: "orders", value: "lost" });
    expect(await sent.catch((problem: Error) => problem)).toBeInstanceOf(Error);
    if (order.action === "error") await rule.assertFired();
    await broker.close();
  }
});

test("views are no events: what was looked at comes out as it was when a snapshot is loaded", async () => {
  await using broker = await startBroker({ clock: "manual", topics: { orders: 1 } });
  const snapshots = broker.client.snapshots();
  await broker.client.producer().send({ topic: "orders", value: "a" });
  expect(broker.records("orders")).toHaveLength(1);
  await snapshots.save("before");
  expect(broker.group("billing")).toBe(null);
  await broker.client.producer().send({ topic: "orders", value: "b" });
  expect([broker.records("orders").length, broker.transactions()]).toEqual([2, []]);
  await snapshots.load("before");
  expect(broker.records("orders").map(({ value }) => value)).toEqual(["a"]);
});

test("timers that a test has put in the place of the system's hold up no wait", async () => {
  await using broker = await startBroker({ topics: { orders: 1 }, ...PATIENT });
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const arrived = broker.waitForRecords("orders", 1);
  await broker.client.producer().send({ topic: "orders", value: "a" });
  expect(await arrived).toHaveLength(1);
  vi.useRealTimers();
});

test.each(["real", "manual"] as const)(
  "nor do they hold up the time of a wait, a start, a restart, a reset or the end, with a %s clock",
  async (clock) => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const broker = await startBroker({ brokers: 2, clock, topics: REPLICATED, http: true });
    await expect(broker.waitForRecords("orders", 9, { timeoutMs: 1 })).rejects.toThrow("waited 1 ms");
    const other = await broker.connect();
    const consumer = other.consumer({ autoOffsetReset: "earliest" });
    consumer.assign([{ topic: "orders", partition: 0 }]);
    expect(await consumer.poll({ timeoutMs: 1 })).toEqual([]);
    for (const after of ["stop", "kill"] as const) await broker.restart({ after });
    await broker.reset();
    if (clock === "real") await other.producer({ acks: "all" }).send({ topic: "orders", value: "a" });
    await broker.close();
  },
);

test("nothing is written to the terminal, unless the settings ask for it", async () => {
  const write = vi.spyOn(process.stderr, "write");
  onTestFinished(() => write.mockRestore());
  const broker = await startBroker({ topics: { orders: 1 } });
  await broker.client.producer().send({ topic: "orders", value: "a" });
  await broker.close();
  expect(write).not.toHaveBeenCalled();
});
