import { MemoryDisk } from "@minikafka/core/testing";
import { expect, test } from "vitest";
import { base64, openBroker, Session, settle } from "./support/broker.ts";

async function openOrders() {
  const broker = await openBroker();
  const session = Session.open(broker);
  await session.call("create_topic", { topic: "orders", partitions: 1 });
  return { broker, session };
}

const produce = (value: string, fields: object = {}) => ({
  operation: "produce",
  topic: "orders",
  value_b64: base64(value),
  ...fields,
});
const longPoll = (offset: number, fields: object = {}) => ({
  operation: "fetch",
  topic: "orders",
  partition: 0,
  offset,
  min_bytes: 1,
  max_wait_ms: 1_000,
  ...fields,
});

test.each([1, 3, 7, 64, 1_000_000])(
  "a thousand requests at once, cut into pieces of %i bytes, take effect and are answered in order",
  async (piece) => {
    const { session } = await openOrders();
    const lines = Buffer.from(
      Array.from({ length: 1_000 }, (_none, index) => `${JSON.stringify(produce(`${index}`))}\n`).join(""),
    );
    for (let from = 0; from < lines.length; from += piece) {
      if (!session.stream.write(lines.subarray(from, from + piece))) await settle();
    }
    for (let offset = 0; offset < 1_000; offset += 1)
      expect(await session.answer()).toMatchObject({ ok: true, offset });
  },
);

test("without ids, an answer that is ready waits for the one before it", async () => {
  const { session } = await openOrders();
  session.request(longPoll(0));
  session.request({ operation: "ping" });
  await settle();
  expect(session.answers).toEqual([]);
  await Session.open(await openBroker({ data: "/x" })).call("ping");
  session.request(produce("wakes the fetch"));
  expect(await session.answer()).toMatchObject({ records: [{ offset: 0 }] });
  expect(await session.answer()).toEqual({ ok: true });
  expect(await session.answer()).toMatchObject({ offset: 0 });
});

test("with ids, a request that waits holds up nobody", async () => {
  const { session } = await openOrders();
  session.request(longPoll(0, { id: "slow" }));
  session.request({ operation: "ping", id: 1 });
  expect(await session.answer()).toEqual({ ok: true, id: 1 });
  session.request(produce("v", { id: 2 }));
  const answers = [await session.answer(), await session.answer()];
  expect(answers.map((answer) => answer?.id).sort()).toEqual([2, "slow"]);
});

test("no more than 64 requests of a connection are in hand; the others wait outside and are served later", async () => {
  const { broker, session } = await openOrders();
  for (let id = 0; id < 64; id += 1) session.request(longPoll(0, { id }));
  session.request({ operation: "ping", id: "outside" });
  await settle();
  expect(session.answers).toEqual([]);
  await Session.open(broker).call("produce", { topic: "orders", value_b64: "" });
  const ids = new Set<unknown>();
  for (let index = 0; index < 65; index += 1) ids.add((await session.answer())?.id);
  expect(ids.size).toBe(65);
});

test("a client that does not read its answers is not read either, and harms nobody", async () => {
  const { broker, session: other } = await openOrders();
  await other.call("produce", { topic: "orders", value_b64: base64("x".repeat(100_000)) });
  const deaf = broker.connectInProcess();
  let sent = 0;
  const fetch = `${JSON.stringify({ operation: "fetch", topic: "orders", partition: 0, offset: 0 })}\n`;
  // Nobody reads `deaf`. Once the broker stops reading, so does its end of the link take no more than streams hold (from
  // Node 22 on 64 KiB at each end, a thousand requests).
  for (; sent < 100_000 && deaf.write(fetch.repeat(20)); sent += 20) await settle();
  expect(sent).toBeLessThan(4_000);
  await other.call("ping");
  deaf.destroy();
});

test("a long poll ends when there is enough, when its time is up by the broker's clock, or when the topic goes", async () => {
  const { broker, session } = await openOrders();
  const waiting = Session.open(broker);
  waiting.request(longPoll(0, { min_bytes: 200 }));
  await session.call("produce", { topic: "orders", value_b64: base64("short") });
  await settle();
  expect(waiting.answers).toEqual([]);
  await session.call("produce", { topic: "orders", value_b64: base64("x".repeat(100)) });
  expect(await waiting.answer()).toMatchObject({ records: [{ offset: 0 }, { offset: 1 }], next_offset: 2 });

  waiting.request(longPoll(2));
  await settle();
  await session.call("advance_clock", { ms: 999 });
  await settle();
  expect(waiting.answers).toEqual([]);
  await session.call("advance_clock", { ms: 1 });
  expect(await waiting.answer()).toMatchObject({ ok: true, records: [], next_offset: 2 });

  waiting.request(longPoll(2));
  waiting.request({
    operation: "fetch_many",
    partitions: [{ topic: "orders", partition: 0, offset: 2 }],
    min_bytes: 1,
    max_wait_ms: 1_000,
  });
  await settle();
  await session.call("delete_topic", { topic: "orders" });
  expect(await waiting.answer()).toMatchObject({ ok: false, code: "UNKNOWN_TOPIC" });
  expect(await waiting.answer()).toMatchObject({ ok: true, partitions: [{ code: "UNKNOWN_TOPIC" }] });
});

test("closing the broker answers what waits, refuses what comes, and leaves no connection open", async () => {
  const { broker, session } = await openOrders();
  const waiting = Session.open(broker);
  waiting.request(longPoll(0));
  await settle();
  const closed = broker.close();
  session.request({ operation: "ping", id: "late" });
  expect(await waiting.answer()).toMatchObject({ ok: true, records: [] });
  expect(await waiting.answer()).toBeNull();
  session.stream.end();
  await closed;
  await settle();
  expect([session.isClosed, waiting.isClosed]).toEqual([true, true]);
  expect(() => broker.cluster.listTopics()).toThrow(/./);
});

test("a topic is made before what follows on its connection, and holds up no other connection", async () => {
  const disk = new MemoryDisk();
  const broker = await openBroker({}, disk);
  const [maker, other] = [Session.open(broker), Session.open(broker)];
  disk.holdSyncs();
  maker.request({ operation: "create_topic", topic: "orders", partitions: 3, id: "create" });
  maker.request(produce("at once", { id: "produce" }));
  await settle();
  expect(maker.answers).toEqual([]);
  expect(await other.call("list_topics")).toMatchObject({ topics: [] });
  disk.releaseSyncs();
  expect(await maker.answer()).toMatchObject({ ok: true, id: "create" });
  expect(await maker.answer()).toMatchObject({ ok: true, id: "produce", offset: 0 });
});

test("while the logs of a large topic are opened, others are answered, and the topic is there for none of them", async () => {
  const broker = await openBroker({ clock: "auto", start_time: undefined });
  const [maker, other] = [Session.open(broker), Session.open(broker)];
  maker.request({ operation: "create_topic", topic: "large", partitions: 100, id: "create" });
  let answered = 0;
  while (maker.answers.length === 0) {
    expect(await other.call("list_topics")).toMatchObject({ topics: [] });
    answered++;
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(answered).toBeGreaterThan(10);
  expect(await maker.answer()).toMatchObject({ ok: true, id: "create" });
  expect(await other.call("list_topics")).toMatchObject({ topics: [{ partitions: 100 }] });
});

test("while the folders of a large topic are removed, others are answered, and the topic is gone for all of them", async () => {
  const broker = await openBroker({ clock: "auto", start_time: undefined });
  const [remover, other] = [Session.open(broker), Session.open(broker)];
  await remover.call("create_topic", { topic: "large", partitions: 100 });
  remover.request({ operation: "delete_topic", topic: "large", id: "delete" });
  remover.request({ operation: "create_topic", topic: "large", partitions: 1, id: "anew" });
  let answered = 0;
  while (remover.answers.length === 0) {
    expect(await other.call("list_topics")).toMatchObject({ topics: [] });
    answered++;
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(answered).toBeGreaterThan(10);
  expect(await remover.answer()).toMatchObject({ ok: true, id: "delete" });
  expect(await remover.answer()).toMatchObject({ ok: true, id: "anew" });
  expect(await other.call("metadata", { topic: "large" })).toMatchObject({ partitions: [{ partition: 0 }] });
});

test("what comes behind a request that takes effect only when it is answered sees that, with and without ids", async () => {
  const place = { topic: "replicated", partition: 0 };
  const requests = [
    { operation: "produce", ...place, value_b64: base64("b"), acks: "1" },
    { operation: "replicate_once" },
    { operation: "describe_partition", ...place },
    { operation: "stop_broker", broker_id: 1 },
    { operation: "start_broker", broker_id: 1 },
    { operation: "produce", ...place, value_b64: base64("c"), acks: "1" },
    { operation: "stop_broker", broker_id: 1 },
    { operation: "promote", ...place, broker_id: 2 },
    { operation: "start_broker", broker_id: 1 },
    { operation: "create_topic", topic: "later", partitions: 1, replication_factor: 3 },
    { operation: "rejoin", ...place, broker_id: 1 },
    { operation: "promote", ...place, broker_id: 1 },
    { operation: "metadata", topic: "replicated" },
    { operation: "delete_records", ...place, before_offset: 1 },
    { operation: "list_offsets", ...place, timestamp_ms: -2 },
  ];
  for (const hasIds of [false, true]) {
    const session = Session.open(await openBroker({ brokers: 3, data: `/ids-${hasIds}` }));
    await session.call("create_topic", { topic: "replicated", partitions: 1, replication_factor: 3 });
    await session.call("produce", { ...place, value_b64: base64("a"), acks: "1" });
    await session.call("replicate_once");
    const lines = requests.map((request, id) => JSON.stringify(hasIds ? { id, ...request } : request));
    session.send(`${lines.join("\n")}\n`);
    const answers: unknown[] = [];
    for (const [id] of requests.entries()) {
      const answer = await session.answer();
      expect(answer).toMatchObject({ ok: true, ...(hasIds ? { id } : {}) });
      answers.push(answer);
    }
    expect(answers[2]).toMatchObject({ replicas: [2, 2, 2].map((end) => ({ log_end_offset: end })) });
    expect(answers[12]).toMatchObject({ partitions: [{ leader_id: 1, isr: [1, 2, 3] }] });
    expect(answers.at(-1)).toMatchObject({ offset: 1 });
  }
});
