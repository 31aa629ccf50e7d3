/** What a daemon's end leaves to the next one, and to who is connected. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Kafka, logLevel, Partitioners } from "kafkajs";
import { expect, onTestFinished, test } from "vitest";
import { type LifeEnd, type RestartOptions, startBroker, type TestBroker } from "../src/index.ts";

const ENDS: readonly LifeEnd[] = ["stop", "kill", "power_cut"];

const aTurn = () => new Promise((resolve) => setImmediate(resolve));

function values(broker: TestBroker): (string | null)[] {
  return broker.records("orders").map(({ value }) => value);
}

test.each([
  { after: "stop", left: ["flushed", "written"] },
  { after: "kill", left: ["flushed", "written"] },
  { after: "power_cut", left: ["flushed"] },
] as const)(
  "after a $after there is $left, and all that acks all has acknowledged",
  async ({ after, left }) => {
    await using broker = await startBroker({ topics: { orders: 1 } });
    await broker.client.producer({ acks: "all" }).send({ topic: "orders", value: "flushed" });
    await broker.client.producer({ acks: 1 }).send({ topic: "orders", value: "written" });
    const { daemon, address, bootstrapServers } = broker;
    await broker.restart({ after });
    expect(broker.daemon).not.toBe(daemon);
    expect([broker.address, broker.bootstrapServers]).toEqual([address, bootstrapServers]);
    expect(values(broker)).toEqual(left);
  },
);

test.each(ENDS)("after a %s topics, groups and transactions are as they were committed", async (after) => {
  await using broker = await startBroker({
    brokers: 2,
    topics: { orders: { partitions: 2, replicationFactor: 2 } },
  });
  const producer = broker.client.producer({ transactionalId: "transfers" });
  await producer.transaction(async (tx) => {
    await tx.send({ topic: "orders", partition: 0, value: "paid" });
  });
  await broker.client.admin().commitOffsets("billing", [{ topic: "orders", partition: 0, offset: 1 }]);
  await broker.restart({ after });
  expect(broker.records("orders", { isolation: "read_committed" }).map(({ value }) => value)).toEqual([
    "paid",
  ]);
  expect(broker.group("billing")?.partitions).toMatchObject([
    { topic: "orders", partition: 0, committedOffset: 1 },
  ]);
  expect(broker.transactions()).toMatchObject([{ transactionalId: "transfers" }]);
});

test.each(ENDS)("who is connected goes on after a %s, and nothing comes twice", async (after) => {
  await using broker = await startBroker({ topics: { orders: 1 } });
  const kafka = new Kafka({
    brokers: broker.bootstrapBrokers,
    logLevel: logLevel.NOTHING,
    retry: { initialRetryTime: 1, maxRetryTime: 5, retries: 1000 },
  });
  const theirs = kafka.producer({ createPartitioner: Partitioners.DefaultPartitioner });
  await theirs.connect();
  const ours = broker.client.producer({ acks: "all", idempotent: true });
  const consumer = broker.client.consumer({ autoOffsetReset: "earliest" });
  consumer.assign([{ topic: "orders", partition: 0 }]);
  await theirs.send({ topic: "orders", messages: [{ value: "1" }] });
  const restarted = broker.restart({ after });
  const sent = [];
  for (let number = 2; number < 20; number += 1)
    sent.push(ours.send({ topic: "orders", value: String(number) }));
  await Promise.all([restarted, ...sent]);
  await theirs.send({ topic: "orders", messages: [{ value: "20" }] });
  await theirs.disconnect();
  const read: string[] = [];
  for await (const { value } of consumer) if (read.push(String(value)) === 20) break;
  expect(read).toEqual(Array.from({ length: 20 }, (_, index) => String(index + 1)));
});

test.each(ENDS)("a topic that was deleted or made since the start stays so after a %s", async (after) => {
  await using broker = await startBroker({ topics: { orders: 1 } });
  await broker.client.admin().deleteTopic("orders");
  await broker.client.admin().createTopic({ topic: "payments", partitions: 2 });
  await broker.restart({ after });
  const topics = broker.kernel.listTopics().map(({ topic }) => topic);
  expect(topics.filter((topic) => !topic.startsWith("__"))).toEqual(["payments"]);
});

test.each(["kill", "power_cut"] as const)(
  "sends that wait for three disks at a %s end or are sent again, and nothing of it is left over in the process",
  async (after) => {
    for (let turns = 0; turns < 6; turns += 1) {
      await using broker = await startBroker({ brokers: 3, topics: { orders: { replicationFactor: 3 } } });
      const producer = broker.client.producer({ acks: "all", idempotent: true });
      await producer.send({ topic: "orders", value: "0" });
      const sent = ["1", "2", "3"].map((value) => producer.send({ topic: "orders", value }));
      for (let turn = 0; turn < turns; turn += 1) await aTurn();
      await broker.restart({ after });
      await Promise.all(sent);
      expect(values(broker)).toEqual(["0", "1", "2", "3"]);
    }
  },
);

test.each(ENDS)(
  "with a manual clock a %s in the middle of a transaction waits for no step",
  async (after) => {
    for (let turns = 0; turns < 40; turns += 8) {
      await using broker = await startBroker({
        clock: "manual",
        brokers: 3,
        topics: { orders: { replicationFactor: 3 } },
      });
      const producer = broker.client.producer({ transactionalId: "transfers" });
      const ended = producer
        .transaction(async (tx) => void (await tx.send({ topic: "orders", value: "paid" })))
        .catch(() => undefined);
      for (let turn = 0; turn < turns; turn += 1) await aTurn();
      await broker.restart({ after });
      expect(broker.daemon.address).not.toBe(null);
      await broker.close();
      await ended;
    }
  },
);

test("a wait goes on over a restart, and sees what comes after it", async () => {
  await using broker = await startBroker({ topics: { orders: 1 } });
  const two = broker.waitForRecords("orders", 2);
  await broker.client.producer({ acks: "all" }).send({ topic: "orders", value: "before" });
  await broker.restart({ after: "kill" });
  await broker.client.producer().send({ topic: "orders", value: "after" });
  expect((await two).map(({ value }) => value)).toEqual(["before", "after"]);
});

test("with a manual clock time goes on where it stood, and what was due is", async () => {
  await using broker = await startBroker({
    clock: "manual",
    settings: { start_time: 5 },
    topics: { orders: 1 },
  });
  await broker.clock.advance(100);
  await broker.client.producer({ acks: "all" }).send({ topic: "orders", value: "kept" });
  await broker.restart({ after: "power_cut" });
  expect(broker.clock.nowMs).toBe(105);
  expect(values(broker)).toEqual(["kept"]);
  await broker.reset();
  expect([broker.clock.nowMs, values(broker)]).toEqual([5, []]);
});

test("faults end with the daemon, and one that has died is another one", async () => {
  await using broker = await startBroker({ topics: { orders: 1 } });
  await broker.fault.arm({
    point: "request.produce",
    action: "error",
    code: "NOT_ENOUGH_REPLICAS",
    times: "always",
  });
  await broker.fault.crash();
  await broker.restart({ after: "kill" });
  expect((await broker.fault.list()).rules).toEqual([]);
  await broker.client.producer().send({ topic: "orders", value: "again" });
  expect(values(broker)).toEqual(["again"]);
});

test("what a crash in the middle of a write left is there, or not, as a whole", async () => {
  await using broker = await startBroker({ topics: { orders: 1 } });
  const fired = new Promise<void>((resolve) => {
    broker.daemon.onEvent(({ kind }) => kind === "fault_fired" && resolve());
  });
  await broker.fault.arm({ point: "log.append.after_write", action: "crash" });
  const sent = broker.client
    .producer({ acks: "all", idempotent: true })
    .send({ topic: "orders", value: "once" });
  await fired;
  await broker.restart({ after: "kill" });
  expect(await sent).toMatchObject({ offset: 0 });
  expect(values(broker)).toEqual(["once"]);
});

test("restarts come one after the other, also beside a reset, and a close after them", async () => {
  const broker = await startBroker({ topics: { orders: 1 } });
  await Promise.all([
    broker.restart(),
    broker.restart({ after: "kill" }),
    broker.reset(),
    broker.restart({ after: "power_cut" }),
  ]);
  await broker.client.producer({ acks: "all" }).send({ topic: "orders", value: "one" });
  expect(values(broker)).toEqual(["one"]);
  const last = Promise.allSettled([broker.restart({ after: "kill" })]);
  await broker.close();
  expect((await last)[0]?.status).toBe("fulfilled");
  await expect(broker.restart()).rejects.toMatchObject({ code: "CLOSED" });
});

test("a folder's broker can be stopped and started; how its machine would end it is refused", async () => {
  const dir = await mkdtemp(join(tmpdir(), "minikafka-"));
  onTestFinished(() => rm(dir, { recursive: true }));
  await using broker = await startBroker({ storage: { dir }, topics: { orders: 1 } });
  await broker.client.producer().send({ topic: "orders", value: "kept" });
  for (const [after, what] of [
    ["kill", "a kill"],
    ["power_cut", "a power cut"],
  ] as const)
    await expect(broker.restart({ after })).rejects.toMatchObject({
      code: "USAGE",
      message: `${what} cannot be played over a folder, since the system that holds it lives on; use storage: "memory"`,
    });
  await broker.restart();
  expect(values(broker)).toEqual(["kept"]);
});

test.each([
  [{ after: "crash" }, "stop, kill, power_cut"],
  [{ afterwards: "kill" }, "afterwards"],
  ["kill", "restart takes an object"],
])("a restart refuses %j and says what it takes", async (wrong, said) => {
  await using broker = await startBroker();
  const refused = expect(broker.restart(wrong as RestartOptions)).rejects;
  await refused.toMatchObject({ code: "USAGE", message: expect.stringContaining(said) });
});
