/** Faults over real sockets: what the SDK's clients make of each, and a daemon that dies on purpose. */
import { type Client, connect, type FaultOrder } from "@minikafka/client";
import { expect, onTestFinished, test } from "vitest";
import { valuesOf } from "./support/committed-values.ts";
import { type Daemon, startDaemon, temporaryFolder } from "./support/daemon.ts";

const LAB = ["--lab", "--log-level", "fatal"];

/** How long the one waits whose answer never comes. Everybody else waits as long as a busy machine may take. */
const IMPATIENCE_MS = 1_000;

async function client(broker: Daemon, requestTimeoutMs = 30_000): Promise<Client> {
  const opened = await connect({ port: broker.port }, { requestTimeoutMs });
  onTestFinished(() => opened.close());
  return opened;
}

/** With a topic of one partition; `lab` arms what `user` meets. */
async function experiment(arguments_ = LAB, userTimeoutMs?: number) {
  const broker = await startDaemon(temporaryFolder(), arguments_);
  const [user, lab] = [await client(broker, userTimeoutMs), await client(broker)];
  await lab.admin().createTopic({ topic: "orders" });
  const arm = (order: FaultOrder) => lab.faults().arm(order);
  return { broker, user, lab, arm };
}

/** An experiment in which `user` loses an answer by `action`. */
function losing(action: "drop_answer" | "close_after" | "close") {
  return experiment(LAB, action === "drop_answer" ? IMPATIENCE_MS : undefined);
}

test.each(["drop_answer", "close_after", "close"] as const)(
  "%s: an idempotent producer tries again, and each record is there once, in order",
  async (action) => {
    const { user, lab, arm } = await losing(action);
    const rule = await arm({ point: "request.produce", action, times: { nth: 2 } });
    const producer = user.producer({ idempotent: true });
    const values = ["a", "b", "c"];
    for (const value of values) await producer.send({ topic: "orders", partition: 0, value });
    await rule.assertFired();
    expect(await valuesOf(lab, "orders")).toEqual(values);
  },
);

test.each(["drop_answer", "close_after"] as const)(
  "%s: a plain producer is told that the fate of its record is unknown, and it is there",
  async (action) => {
    const { user, lab, arm } = await losing(action);
    const rule = await arm({ point: "request.produce", action });
    const send = user.producer().send({ topic: "orders", partition: 0, value: "a" });
    const code = action === "drop_answer" ? "TIMEOUT" : "CONNECTION";
    await expect(send).rejects.toMatchObject({ code, details: { sent: true } });
    await rule.assertFired();
    expect(await valuesOf(lab, "orders")).toEqual(["a"]);
  },
);

test("error: a code that may be tried again is, any other is told; neither has been done", async () => {
  const { user, lab, arm } = await experiment();
  const producer = user.producer();
  const retried = await arm({
    point: "request.produce",
    action: "error",
    code: "NOT_ENOUGH_REPLICAS",
    times: { first: 2 },
  });
  await producer.send({ topic: "orders", partition: 0, value: "a" });
  expect(await retried.counts()).toEqual({ hits: 3, fired: 2, held: 0 });
  await retried.disarm();
  await arm({ point: "request.produce", action: "error", code: "POLICY_VIOLATION" });
  const refused = producer.send({ topic: "orders", partition: 0, value: "b" });
  await expect(refused).rejects.toMatchObject({ code: "POLICY_VIOLATION", retriable: false });
  expect(await valuesOf(lab, "orders")).toEqual(["a"]);
});

test.each(["close", "close_after"] as const)(
  "%s: a consumer whose fetches lose their connections goes on where it was",
  async (action) => {
    const { user, lab, arm } = await experiment();
    const producer = lab.producer({ batchBytes: 1 });
    const values = Array.from({ length: 30 }, (_none, number) => `${number}`);
    await Promise.all(values.map((value) => producer.send({ topic: "orders", partition: 0, value })));
    const order = { action, topic: "orders", times: { first: 2 } };
    const rules = [
      await arm({ ...order, point: "request.fetch" }),
      await arm({ ...order, point: "request.fetch_many" }),
    ];
    const consumer = user.consumer({ autoOffsetReset: "earliest", fetchBytes: 1_000 });
    consumer.assign([{ topic: "orders", partition: 0 }]);
    const seen: string[] = [];
    for await (const { value } of consumer) {
      seen.push(`${value}`);
      if (seen.length === values.length) break;
    }
    expect(seen).toEqual(values);
    const fired = await Promise.all(rules.map((rule) => rule.fired()));
    expect(Math.max(...fired)).toBe(2);
  },
);

test("hold: a produce that is held is not there, and is as soon as it is released", async () => {
  const { user, lab, arm } = await experiment();
  const rule = await arm({ point: "request.produce", action: "hold", topic: "orders" });
  const sent = user.producer().send({ topic: "orders", partition: 0, value: "held" });
  await rule.whenFired();
  expect((await rule.counts()).held).toBe(1);
  expect(await valuesOf(lab, "orders")).toEqual([]);
  expect(await rule.release()).toBe(1);
  expect(await sent).toMatchObject({ offset: 0 });
  expect(await valuesOf(lab, "orders")).toEqual(["held"]);
});

test("delay: with a manual clock a request takes effect when the clock has been moved so far", async () => {
  const { user, lab, arm } = await experiment([...LAB, "--clock", "manual"]);
  const rule = await arm({ point: "request.produce", action: "delay", delayMs: 60_000 });
  const sent = user.producer({ acks: 1 }).send({ topic: "orders", partition: 0, value: "late" });
  await rule.whenFired();
  expect(await valuesOf(lab, "orders")).toEqual([]);
  await lab.stepper().advanceClock(60_000);
  expect(await sent).toMatchObject({ offset: 0 });
});

test("a commit whose answer is lost is committed once, and its producer knows it", async () => {
  const { user, lab, arm } = await experiment();
  const producer = user.producer({ transactionalId: "copier" });
  const rule = await arm({
    point: "request.end_transaction",
    action: "close_after",
    transactionalId: "copier",
  });
  for (const value of ["a", "b"]) {
    const tx = await producer.beginTransaction();
    await tx.send({ topic: "orders", partition: 0, value });
    await tx.commit();
  }
  await rule.assertFired();
  expect(await valuesOf(lab, "orders")).toEqual(["a", "b"]);
});

test("a member whose heartbeats fail comes back to its group and goes on where that has committed", async () => {
  const { user, lab, arm } = await experiment();
  const producer = lab.producer();
  for (const value of ["a", "b", "c"]) await producer.send({ topic: "orders", partition: 0, value });
  const rule = await arm({
    point: "request.heartbeat",
    action: "error",
    code: "UNKNOWN_MEMBER",
    groupId: "readers",
  });
  const consumer = user.consumer({ groupId: "readers", autoOffsetReset: "earliest" });
  await consumer.subscribe("orders");
  const seen: string[] = [];
  for await (const { value } of consumer) {
    seen.push(`${value}`);
    if (seen.length === 1) {
      await consumer.commit();
      await rule.whenFired();
    }
    if (seen.length === 3) break;
  }
  expect(seen).toEqual(["a", "b", "c"]);
  await rule.assertFired();
});

test.each<[what: string, order: FaultOrder | null]>([
  ["by the operation crash", null],
  ["at a request", { point: "request.ping", action: "crash" }],
  [
    "between a write and its acknowledgement",
    { point: "log.append.after_write", action: "crash", topic: "orders" },
  ],
])("a daemon dies %s as by SIGKILL, and what was acknowledged is there again", async (_what, order) => {
  const { broker, user, lab, arm } = await experiment();
  await user.producer({ acks: "all" }).send({ topic: "orders", partition: 0, value: "acknowledged" });
  if (order === null) await lab.faults().crash();
  else {
    await arm(order);
    const last =
      order.topic === undefined
        ? user.call("ping", {})
        : user.producer().send({ topic: "orders", value: "x" });
    await expect(last).rejects.toMatchObject({ code: "CONNECTION", details: { sent: true } });
  }
  expect(await broker.ended).toMatchObject({ signal: "SIGKILL", stdout: expect.stringContaining("ready") });
  const again = await startDaemon(broker.data, LAB);
  const reader = await client(again);
  expect((await valuesOf(reader, "orders"))[0]).toBe("acknowledged");
  expect((await reader.faults().list()).rules).toEqual([]);
});

test("a write that the disk cuts short is taken back, and the log goes on, also after kill -9", async () => {
  const { broker, user, lab, arm } = await experiment();
  const producer = user.producer({ acks: "all" });
  await producer.send({ topic: "orders", partition: 0, value: "a" });
  const rule = await arm({
    point: "disk.write.before",
    action: "error",
    errno: "ENOSPC",
    bytesWritten: 10,
    topic: "orders",
  });
  const refused = producer.send({ topic: "orders", partition: 0, value: "cut short" });
  await expect(refused).rejects.toMatchObject({
    code: "STORAGE_ERROR",
    message: expect.stringContaining("ENOSPC"),
  });
  await rule.assertFired();
  await producer.send({ topic: "orders", partition: 0, value: "b" });
  expect(await valuesOf(lab, "orders")).toEqual(["a", "b"]);
  await broker.end("SIGKILL");
  const again = await startDaemon(broker.data, LAB);
  expect(await valuesOf(await client(again), "orders")).toEqual(["a", "b"]);
});
