/** Idempotent producers over the wire: who they are, and what becomes of a batch that comes twice. */
import { MemoryDisk } from "@minikafka/core/testing";
import { encodeBatch } from "@minikafka/record";
import { expect, test } from "vitest";
import { type Answer, base64, openBroker, Session } from "./support/broker.ts";

async function withOrders(disk = new MemoryDisk()): Promise<Session> {
  const session = Session.open(await openBroker({}, disk));
  await session.call("create_topic", { topic: "orders", partitions: 1 });
  return session;
}

const records = (...values: string[]) => values.map((value) => ({ value_b64: base64(value) }));

/** `producer_id`, `producer_epoch` and `base_sequence` of a produce. */
function from({ producer_id, producer_epoch }: Answer, base_sequence: number): object {
  return { producer_id, producer_epoch, base_sequence };
}

test("each producer gets an id of its own, a named one the same id and the next epoch", async () => {
  const session = await withOrders();
  expect(await session.call("init_producer")).toEqual({ ok: true, producer_id: 0, producer_epoch: 0 });
  const billing = await session.call("init_producer", { name: "billing" });
  expect(billing).toEqual({ ok: true, producer_id: 1, producer_epoch: 0 });
  expect(await session.call("init_producer", { name: "billing" })).toMatchObject({
    producer_id: 1,
    producer_epoch: 1,
  });
  const { producer_id, producer_epoch } = billing;
  expect(
    await session.ask({ operation: "init_producer", name: "billing", producer_id, producer_epoch }),
  ).toMatchObject({
    ok: false,
    code: "PRODUCER_FENCED",
    retriable: false,
    details: { current_epoch: 1 },
  });
});

test("a batch that comes twice is appended once, and answered with its offsets both times", async () => {
  const session = await withOrders();
  const producer = await session.call("init_producer");
  const first = { topic: "orders", records: records("a", "b"), acks: "all", ...from(producer, 0) };
  const appended = { ok: true, partition: 0, offset: 0, next_offset: 2 };
  expect(await session.call("produce", first)).toEqual(appended);
  expect(await session.call("produce", first)).toEqual({ ...appended, duplicate: true });
  const { producer_id: producerId, producer_epoch: producerEpoch } = producer as Answer & {
    readonly producer_id: number;
    readonly producer_epoch: number;
  };
  const record = { key: null, value: Buffer.from("c"), timestampMs: 5, headers: [] };
  const frame = encodeBatch({ records: [record], producerId, producerEpoch, baseSequence: 2 });
  const batch = { topic: "orders", batch_b64: frame.toString("base64") };
  expect(await session.call("produce", batch)).toMatchObject({ offset: 2, next_offset: 3 });
  expect(await session.call("produce", batch)).toMatchObject({ offset: 2, next_offset: 3, duplicate: true });
  expect(
    await session.call("list_offsets", { topic: "orders", partition: 0, timestamp_ms: -1 }),
  ).toMatchObject({
    offset: 3,
  });
});

test("describe_partition shows the producers of which it heard last, the latest first", async () => {
  const session = await withOrders();
  const [first, second] = [await session.call("init_producer"), await session.call("init_producer")];
  await session.call("produce", { topic: "orders", records: records("a", "b"), ...from(first, 0) });
  await session.call("advance_clock", { ms: 5 });
  await session.call("produce", { topic: "orders", records: records("c"), ...from(second, 0) });
  expect(await session.call("describe_partition", { topic: "orders", partition: 0 })).toMatchObject({
    producer_count: 2,
    producers: [
      {
        producer_id: 1,
        producer_epoch: 0,
        last_sequence: 0,
        last_offset: 2,
        last_seen_ms: 1_700_000_000_005,
      },
      {
        producer_id: 0,
        producer_epoch: 0,
        last_sequence: 1,
        last_offset: 1,
        last_seen_ms: 1_700_000_000_000,
      },
    ],
  });
});

test("a retry with the leader's times is told the times of the first one", async () => {
  const session = Session.open(await openBroker());
  await session.call("create_topic", {
    topic: "orders",
    partitions: 1,
    config: { message_timestamp_type: "LogAppendTime" },
  });
  const producer = await session.call("init_producer");
  const produced = { topic: "orders", records: records("a"), ...from(producer, 0) };
  const first = await session.call("produce", produced);
  await session.call("advance_clock", { ms: 500 });
  expect(await session.call("produce", produced)).toEqual({ ...first, duplicate: true });
});

test("a gap is out of order with both numbers, and other records for a sequence that is taken as well", async () => {
  const session = await withOrders();
  const producer = await session.call("init_producer");
  await session.call("produce", { topic: "orders", records: records("a"), ...from(producer, 0) });
  for (const [sequence, value] of [
    [2, "b"],
    [0, "other"],
  ] as const) {
    const produced = { topic: "orders", records: records(value), ...from(producer, sequence) };
    expect(await session.ask({ operation: "produce", ...produced })).toMatchObject({
      ok: false,
      code: "OUT_OF_ORDER_SEQUENCE",
      details: { expected: 1, actual: sequence },
    });
  }
});

test("an exact retry after a crash and a restart gets the offsets that the first one got", async () => {
  const disk = new MemoryDisk();
  const broker = await openBroker({}, disk, async () => {});
  const session = Session.open(broker);
  await session.call("create_topic", { topic: "orders", partitions: 1 });
  const producer = await session.call("init_producer", { name: "billing" });
  const produced = { topic: "orders", records: records("a", "b"), acks: "all", ...from(producer, 0) };
  const first = await session.call("produce", produced);
  await broker.cluster.crash();
  disk.crash({ mode: "lost" });
  const again = Session.open(await openBroker({}, disk));
  expect(await again.call("produce", produced)).toEqual({ ...first, duplicate: true });
  await again.call("init_producer", { name: "billing" });
  expect(await again.ask({ operation: "produce", ...produced })).toMatchObject({ code: "PRODUCER_FENCED" });
});

test.each<[object, string]>([
  [{ producer_id: 0 }, "producer_id, producer_epoch and base_sequence: expected all three or none"],
  [{ producer_id: 0, producer_epoch: 0 }, "expected all three or none"],
  [{ base_sequence: 0 }, "expected all three or none"],
  [{ producer_id: -1, producer_epoch: 0, base_sequence: 0 }, "producer_id"],
  [{ producer_id: 0, producer_epoch: 32_768, base_sequence: 0 }, "producer_epoch"],
  [{ producer_id: 0, producer_epoch: 0, base_sequence: 2_147_483_648 }, "base_sequence"],
  [{ producer_id: 0, producer_epoch: 0, base_sequence: "0" }, "base_sequence"],
])("a produce with %j is INVALID_REQUEST", async (fields, cause) => {
  const session = await withOrders();
  await session.call("init_producer");
  const answer = await session.ask({
    operation: "produce",
    topic: "orders",
    value_b64: base64("a"),
    ...fields,
  });
  expect(answer).toMatchObject({ code: "INVALID_REQUEST", message: expect.stringContaining(cause) });
});

test.each<[object, string]>([
  [{ producer_id: 0 }, "expected both or neither"],
  [{ producer_epoch: 0 }, "expected both or neither"],
  [{ name: "" }, "name"],
  [{ name: "n".repeat(250) }, "name"],
  [{ transactional_id: "" }, "transactional_id"],
  [{ name: "n", transactional_id: "t" }, "name and transactional_id: expected one of them, not both"],
  [{ transaction_timeout_ms: 5 }, "transaction_timeout_ms: expected a transactional_id beside it"],
  [{ transactional_id: "t", transaction_timeout_ms: 0 }, "transaction_timeout_ms"],
])("an init_producer with %j is INVALID_REQUEST", async (fields, cause) => {
  const session = await withOrders();
  const answer = await session.ask({ operation: "init_producer", ...fields });
  expect(answer).toMatchObject({ code: "INVALID_REQUEST", message: expect.stringContaining(cause) });
});

test("a batch says itself who sends it, and fields beside it are refused", async () => {
  const session = await withOrders();
  const producer = await session.call("init_producer");
  const record = { key: null, value: null, timestampMs: 0, headers: [] };
  const batch = { topic: "orders", batch_b64: encodeBatch({ records: [record] }).toString("base64") };
  expect(await session.ask({ operation: "produce", ...batch, ...from(producer, 0) })).toMatchObject({
    code: "INVALID_REQUEST",
    message: "batch_b64: expected no producer_id beside it, since it says it itself",
  });
});
