import { MemoryDisk } from "@minikafka/core/testing";
import { encodeBatch } from "@minikafka/record";
import { expect, test } from "vitest";
import { base64, openBroker, Session, settle } from "./support/broker.ts";

async function openOrders() {
  const disk = new MemoryDisk();
  const broker = await openBroker({}, disk);
  const session = Session.open(broker);
  await session.call("create_topic", { topic: "orders", partitions: 2 });
  return { broker, disk, session };
}

const produceAll = { operation: "produce", topic: "orders", value_b64: base64("v"), acks: "all" };
const place = { topic: "orders", partition: 0, offset: 0 };

function frameOf(valueBytes: number): string {
  const value = Buffer.alloc(valueBytes);
  return encodeBatch({ records: [{ key: null, value, timestampMs: 0, headers: [] }] }).toString("base64");
}

test("acks all is answered once it is on the disk, and not before", async () => {
  const { disk, session } = await openOrders();
  disk.holdSyncs();
  session.request(produceAll);
  await settle();
  expect(session.answers).toEqual([]);
  disk.releaseSyncs();
  expect(await session.answer()).toMatchObject({ ok: true, offset: 0 });
});

test("acks all times out by the broker's clock, and the record may be there all the same", async () => {
  const { broker, disk, session } = await openOrders();
  disk.holdSyncs();
  session.request({ ...produceAll, timeout_ms: 100 });
  const other = Session.open(broker);
  await other.call("advance_clock", { ms: 99 });
  await settle();
  expect(session.answers).toEqual([]);
  await other.call("advance_clock", { ms: 1 });
  expect(await session.answer()).toMatchObject({ ok: false, code: "REQUEST_TIMED_OUT", retriable: true });
  disk.releaseSyncs();
  expect(await other.call("fetch", place)).toMatchObject({ records: [{ offset: 0 }] });
});

test("acks all without any time for others waits for the disk all the same: what is there is acknowledged, not sent again", async () => {
  const { broker, disk, session } = await openOrders();
  disk.holdSyncs();
  session.request({ ...produceAll, timeout_ms: 0 });
  await settle();
  expect(session.answers).toEqual([]);
  disk.releaseSyncs();
  expect(await session.answer()).toMatchObject({ ok: true, offset: 0 });
  disk.holdSyncs();
  session.request({ ...produceAll, timeout_ms: 0 });
  await settle();
  await Session.open(broker).call("advance_clock", { ms: 30_000 });
  expect(await session.answer()).toMatchObject({ code: "REQUEST_TIMED_OUT" });
  disk.releaseSyncs();
});

test("a client that hangs up while it waits for an acknowledgement harms nobody", async () => {
  const { broker, disk, session } = await openOrders();
  const gone = Session.open(broker);
  disk.holdSyncs();
  gone.request(produceAll);
  await settle();
  gone.stream.destroy();
  await settle();
  disk.releaseSyncs();
  expect(await session.call("describe_partition", { topic: "orders", partition: 0 })).toMatchObject({
    log_end_offset: 1,
  });
});

test("a disk that fails to flush is told, ends writing, and leaves reading as it was", async () => {
  const disk = new MemoryDisk();
  const session = Session.open(
    await openBroker({}, disk, (broker) =>
      expect(broker.close()).rejects.toMatchObject({ code: "BROKER_FAILED" }),
    ),
  );
  await session.call("create_topic", { topic: "orders", partitions: 1 });
  await session.call("produce", { topic: "orders", value_b64: base64("before") });
  disk.fail({ operation: "sync", code: "EIO" });
  const refused = await session.ask(produceAll);
  expect(refused?.ok).toBe(false);
  expect(await session.ask(produceAll)).toMatchObject({ ok: false, code: "BROKER_FAILED" });
  expect(await session.call("fetch", place)).toMatchObject({ records: [{ offset: 0 }, { offset: 1 }] });
  expect((await session.call("describe_cluster")).brokers).toMatchObject([{ state: "failed" }]);
});

test("while others are owed an answer, a stopping broker refuses what comes, and then lets all go", async () => {
  const { broker, disk, session } = await openOrders();
  disk.holdSyncs();
  session.request(produceAll);
  await settle();
  const other = Session.open(broker);
  const closed = broker.close();
  expect(await other.ask({ operation: "ping", id: 1 })).toMatchObject({
    ok: false,
    id: 1,
    code: "SHUTTING_DOWN",
    retriable: true,
  });
  expect(session.answers).toEqual([]);
  disk.releaseSyncs();
  expect(await session.answer()).toMatchObject({ ok: true, offset: 0 });
  expect([await session.answer(), await other.answer()]).toEqual([null, null]);
  await closed;
  expect(() => broker.connectInProcess()).toThrow(/closed/);
});

test("a broker that was closed is opened again with all that it had", async () => {
  const { broker, disk, session } = await openOrders();
  await session.call("produce", { topic: "orders", value_b64: base64("kept"), acks: "1" });
  await broker.close();
  await broker.close();
  const again = Session.open(await openBroker({}, disk));
  expect(await again.call("fetch", place)).toMatchObject({ records: [{ value_b64: base64("kept") }] });
});

test("a patient fetch adds up small appends of several partitions until there is enough", async () => {
  const { session, broker } = await openOrders();
  const waiting = Session.open(broker);
  const frame = frameOf(100);
  const bytes = Buffer.from(frame, "base64").length;
  waiting.request({
    operation: "fetch_many",
    partitions: [place, { ...place, partition: 1 }],
    min_bytes: 3 * bytes,
    max_wait_ms: 1_000,
  });
  for (const partition of [0, 1])
    await session.call("produce", { topic: "orders", partition, batch_b64: frame });
  await settle();
  expect(waiting.answers).toEqual([]);
  await session.call("produce", { topic: "orders", partition: 1, batch_b64: frame });
  expect(await waiting.answer()).toMatchObject({
    partitions: [{ records: [{ offset: 0 }] }, { records: [{ offset: 0 }, { offset: 1 }] }],
  });
});

test("a fetch does not wait for what cannot come: a batch that does not fit is there already", async () => {
  const { session } = await openOrders();
  for (const bytes of [50, 500])
    await session.call("produce", { topic: "orders", batch_b64: frameOf(bytes) });
  const patient = { ...place, max_bytes: 300, min_bytes: 300, max_wait_ms: 60_000 };
  expect(await session.call("fetch", patient)).toMatchObject({ records: [{ offset: 0 }], next_offset: 1 });
});

test("a batch that does not fit into what is left of the budget is left for the next fetch", async () => {
  const { session } = await openOrders();
  for (const [partition, bytes] of [
    [0, 100],
    [1, 500],
  ] as const)
    await session.call("produce", { topic: "orders", partition, batch_b64: frameOf(bytes) });
  const partitions = [place, { ...place, partition: 1 }];
  for (const encoding of ["records", "batch"]) {
    const answer = await session.call("fetch_many", { partitions, encoding, max_bytes: 400 });
    expect(answer.partitions).toMatchObject([{ next_offset: 1 }, { next_offset: 0, high_watermark: 1 }]);
  }
  const turned = await session.call("fetch_many", { partitions: partitions.toReversed(), max_bytes: 400 });
  expect(turned.partitions).toMatchObject([{ next_offset: 1 }, { next_offset: 0 }]);
});

test("in auto mode a long poll ends by itself", async () => {
  const session = Session.open(await openBroker({ clock: "auto", start_time: undefined }));
  await session.call("create_topic", { topic: "orders", partitions: 1 });
  expect(await session.call("fetch", { ...place, min_bytes: 1, max_wait_ms: 5 })).toMatchObject({
    records: [],
  });
});

test("a clock cannot be moved past the last time that a record can carry", async () => {
  const session = Session.open(await openBroker({ start_time: 8_640_000_000_000_000 - 10 }));
  await session.call("advance_clock", { ms: 10 });
  expect(await session.ask({ operation: "advance_clock", ms: 1 })).toMatchObject({
    code: "INVALID_REQUEST",
    message: expect.stringContaining("at most 0"),
  });
});
