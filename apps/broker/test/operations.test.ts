import { encodeBatch, splitFrames } from "@minikafka/record";
import { expect, test } from "vitest";
import { type Answer, base64, openBroker, Session } from "./support/broker.ts";

async function openOrders(): Promise<Session> {
  const session = Session.open(await openBroker());
  await session.call("create_topic", { topic: "orders", partitions: 2 });
  return session;
}

test("a session in the original's shapes: create, ask who leads, produce, fetch", async () => {
  const session = await openOrders();
  expect(await session.call("metadata", { topic: "orders" })).toEqual({
    ok: true,
    topic: "orders",
    partitions: [0, 1].map((partition) => ({
      partition,
      leader_id: 1,
      leader_epoch: 0,
      replicas: [1],
      isr: [1],
    })),
  });
  const record = {
    topic: "orders",
    partition: 1,
    key_b64: base64("alice"),
    value_b64: base64("created"),
    acks: "all",
  };
  expect(await session.call("produce", record)).toEqual({
    ok: true,
    partition: 1,
    offset: 0,
    next_offset: 1,
  });
  expect(await session.call("fetch", { topic: "orders", partition: 1, offset: 0 })).toEqual({
    ok: true,
    records: [
      {
        offset: 0,
        key_b64: base64("alice"),
        value_b64: base64("created"),
        timestamp_ms: 1_700_000_000_000,
        headers: [],
      },
    ],
    high_watermark: 1,
    last_stable_offset: 1,
    log_start_offset: 0,
    next_offset: 1,
  });
});

test("hello lists exactly the operations that are served, and says in which mode", async () => {
  const session = Session.open(await openBroker());
  const hello = await session.call("hello");
  expect(hello).toMatchObject({
    name: "minikafka",
    protocol_version: 1,
    mode: "manual",
    seed: 0,
    lab: true,
    broker_ids: [1],
  });
  for (const operation of hello.operations as string[]) {
    // A field that it does not have keeps it from being carried out.
    const spoilt = operation === "crash" ? { spoilt: true } : {};
    expect(await session.ask({ operation, ...spoilt })).not.toMatchObject({ code: "UNSUPPORTED_OPERATION" });
  }
  await session.call("ping");
});

test("topics are listed by name, described, deleted, and empty when they are made again", async () => {
  const session = await openOrders();
  await session.call("create_topic", { topic: "a", partitions: 1 });
  expect((await session.call("list_topics")).topics).toEqual([
    { topic: "a", partitions: 1, replication_factor: 1 },
    { topic: "orders", partitions: 2, replication_factor: 1 },
  ]);
  await session.call("produce", { topic: "orders", value_b64: "" });
  await session.call("delete_topic", { topic: "orders" });
  expect(await session.ask({ operation: "fetch", topic: "orders", partition: 0, offset: 0 })).toMatchObject({
    code: "UNKNOWN_TOPIC",
  });
  await session.call("create_topic", { topic: "orders", partitions: 1 });
  expect(await session.call("describe_partition", { topic: "orders", partition: 0 })).toMatchObject({
    log_end_offset: 0,
  });
});

test("several records go in as one batch and come out with their times, headers, nulls and empties", async () => {
  const session = await openOrders();
  const records = [
    {
      key_b64: null,
      value_b64: "",
      timestamp_ms: 5,
      headers: [
        { key: "h", value_b64: null },
        { key: "h", value_b64: "AA==" },
      ],
    },
    { key_b64: "", value_b64: null, timestamp_ms: 3, headers: [] },
  ];
  expect(await session.call("produce", { topic: "orders", records })).toMatchObject({
    offset: 0,
    next_offset: 2,
  });
  const fetched = await session.call("fetch", { topic: "orders", partition: 0, offset: 0 });
  expect(fetched.records).toEqual(records.map((record, offset) => ({ offset, ...record })));
});

test("a whole batch goes in and comes out as the same bytes, but for its place", async () => {
  const session = await openOrders();
  const frame = encodeBatch({
    records: [{ key: null, value: Buffer.from("v"), timestampMs: 1, headers: [] }],
  });
  const produce = { topic: "orders", batch_b64: frame.toString("base64") };
  expect(await session.call("produce", produce)).toMatchObject({ offset: 0 });
  const { batches_b64: text } = await session.call("fetch", {
    topic: "orders",
    partition: 0,
    offset: 0,
    encoding: "batch",
  });
  const [stored] = splitFrames(Buffer.from(text as string, "base64"));
  expect(stored?.subarray(26)).toEqual(frame.subarray(26));
});

test("acks 0 answers with an unknown offset, and one_way with nothing at all, though both append", async () => {
  const session = await openOrders();
  const value_b64 = base64("v");
  expect(await session.call("produce", { topic: "orders", value_b64, acks: 0 })).toMatchObject({
    offset: null,
    next_offset: null,
  });
  session.request({ operation: "produce", topic: "orders", value_b64, acks: "0", one_way: true });
  session.request({ operation: "produce", topic: "nowhere", value_b64, acks: "0", one_way: true });
  expect(await session.call("describe_partition", { topic: "orders", partition: 0 })).toMatchObject({
    log_end_offset: 2,
  });
});

test("a fetch returns what was asked for: not what lies below, no more than max_records, and where to go on", async () => {
  const session = await openOrders();
  const records = Array.from({ length: 10 }, (_none, index) => ({ value_b64: base64(`${index}`) }));
  await session.call("produce", { topic: "orders", records });
  const fetch = (fields: object) => session.call("fetch", { topic: "orders", partition: 0, ...fields });
  const offsets = (answer: Answer) => (answer.records as { offset: number }[]).map(({ offset }) => offset);
  const middle = await fetch({ offset: 4, max_records: 3 });
  expect(offsets(middle)).toEqual([4, 5, 6]);
  expect(middle.next_offset).toBe(7);
  expect(await fetch({ offset: 4, max_records: 0 })).toMatchObject({ records: [], next_offset: 4 });
  expect(await fetch({ offset: 4, max_bytes: 0 })).toMatchObject({ records: [], next_offset: 4 });
  // A batch larger than max_bytes is returned rather than never.
  expect(offsets(await fetch({ offset: 8, max_bytes: 1 }))).toEqual([8, 9]);
  expect(await fetch({ offset: 10 })).toMatchObject({ records: [], next_offset: 10 });
});

test("fetch_many shares its budget in the order asked, and one partition's error spoils no other", async () => {
  const session = await openOrders();
  for (const partition of [0, 1])
    await session.call("produce", { topic: "orders", partition, value_b64: base64("v") });
  const place = (partition: number, offset = 0) => ({ topic: "orders", partition, offset });
  const { partitions } = await session.call("fetch_many", {
    partitions: [place(1), place(7), place(0), place(0, 9)],
  });
  expect(partitions).toMatchObject([
    { partition: 1, records: [{ offset: 0 }], next_offset: 1 },
    { partition: 7, code: "UNKNOWN_PARTITION" },
    { partition: 0, records: [{ offset: 0 }] },
    { partition: 0, code: "OFFSET_OUT_OF_RANGE", details: { log_start_offset: 0, log_end_offset: 1 } },
  ]);
  const tight = await session.call("fetch_many", { partitions: [place(1), place(0)], max_bytes: 1 });
  expect(tight.partitions).toMatchObject([
    { records: [{ offset: 0 }] },
    { records: [], high_watermark: 1, next_offset: 0 },
  ]);
  const single = await session.call("fetch_many", { partitions: [place(1), place(0)], max_records: 1 });
  expect(single.partitions).toMatchObject([{ records: [{ offset: 0 }] }, { records: [], next_offset: 0 }]);
  await session.call("fetch_many", { partitions: [place(1), place(0)], encoding: "batch" });
});

test("offsets are found at the start, at the end, and by time", async () => {
  const session = await openOrders();
  for (const timestamp_ms of [10, 20, 30])
    await session.call("produce", { topic: "orders", records: [{ timestamp_ms }] });
  const find = (timestamp_ms: number) =>
    session.call("list_offsets", { topic: "orders", partition: 0, timestamp_ms });
  expect(await find(-2)).toMatchObject({ offset: 0, timestamp_ms: null });
  expect(await find(-1)).toMatchObject({ offset: 3, timestamp_ms: null });
  expect(await find(20)).toMatchObject({ offset: 1, timestamp_ms: 20 });
  expect(await find(21)).toMatchObject({ offset: 2, timestamp_ms: 30 });
  expect(await find(31)).toMatchObject({ offset: null, timestamp_ms: null });
});

test("the clock moves by stepping alone, and only where stepping is allowed", async () => {
  const manual = Session.open(await openBroker());
  expect(await manual.call("clock")).toMatchObject({ now_ms: 1_700_000_000_000 });
  expect(await manual.call("clock")).toMatchObject({ now_ms: 1_700_000_000_000 });
  expect(await manual.call("advance_clock", { ms: 250 })).toMatchObject({ now_ms: 1_700_000_000_250 });
  expect(await manual.call("describe_cluster")).toMatchObject({
    now_ms: 1_700_000_000_250,
    topics: 0,
    brokers: [{ state: "running" }],
  });
  const auto = Session.open(await openBroker({ data: "/auto", clock: "auto", start_time: undefined }));
  expect(await auto.call("clock")).toMatchObject({ now_ms: expect.any(Number) });
  expect(await auto.ask({ operation: "advance_clock", ms: 1 })).toMatchObject({
    code: "STEPPING_DISABLED",
    retriable: false,
  });
  const lab = Session.open(
    await openBroker({ data: "/lab", clock: "auto", start_time: undefined, lab: true }),
  );
  await lab.call("clock");
  expect(await lab.ask({ operation: "advance_clock", ms: 1 })).toMatchObject({ code: "STEPPING_DISABLED" });
});
