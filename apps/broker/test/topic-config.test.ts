/** Settings of a topic over the wire, and what they do to what is produced and fetched. */
import { TOPIC_CONFIG_KEYS } from "@minikafka/core";
import { decodeRecords, encodeBatch, splitFrames } from "@minikafka/record";
import { expect, test } from "vitest";
import { base64, openBroker, Session } from "./support/broker.ts";

const START_MS = 1_700_000_000_000;
const PLACE = { topic: "orders", partition: 0 };

async function withOrders(config: object = {}): Promise<Session> {
  const session = Session.open(await openBroker());
  await session.call("create_topic", { topic: "orders", partitions: 1, config });
  return session;
}

async function described(session: Session) {
  const { config } = await session.call("describe_config", { topic: "orders" });
  return new Map(config.map((entry) => [entry.name, entry]));
}

test("every setting is described, and changes one by one; null takes a value back", async () => {
  const session = await withOrders({ retention_ms: 1000 });
  const config = await described(session);
  expect([...config.keys()]).toEqual(TOPIC_CONFIG_KEYS);
  expect(config.get("retention_ms")).toEqual({
    name: "retention_ms",
    value: 1000,
    source: "topic",
    default_value: 604_800_000,
    kafka_name: "retention.ms",
    meaning: expect.any(String),
  });
  await session.call("alter_config", {
    topic: "orders",
    config: { retention_ms: null, cleanup_policy: "compact", min_cleanable_dirty_ratio: 0.1 },
  });
  const after = await described(session);
  expect(after.get("retention_ms")).toMatchObject({ value: 604_800_000, source: "default" });
  expect(after.get("cleanup_policy")).toMatchObject({ value: "compact", source: "topic" });
  expect(after.get("min_cleanable_dirty_ratio")).toMatchObject({ value: 0.1, source: "topic" });
});

test.each([
  [{ topic: "nowhere", config: {} }, "UNKNOWN_TOPIC", "nowhere"],
  [{ topic: "orders", config: { retention_ms: 5, nonsense: 1 } }, "INVALID_CONFIG", '"nonsense"'],
  [{ topic: "orders", config: { retention_ms: 5, segment_ms: 0 } }, "INVALID_CONFIG", "segment_ms is 0"],
  [{ topic: "orders", config: { "retention.ms": 5 } }, "INVALID_CONFIG", "it is written retention_ms"],
  [{ topic: "orders", config: { retention_ms: [5] } }, "INVALID_REQUEST", "config.retention_ms"],
  [{ topic: "orders", config: "retention_ms=5" }, "INVALID_REQUEST", "config"],
  [{ topic: "orders" }, "INVALID_REQUEST", "config"],
])("the change %j is refused with %s, names its cause, and changes nothing", async (request, code, cause) => {
  const session = await withOrders();
  expect(await session.ask({ operation: "alter_config", ...request })).toMatchObject({
    ok: false,
    code,
    message: expect.stringContaining(cause),
  });
  expect((await described(session)).get("retention_ms")).toMatchObject({ source: "default" });
});

test("with LogAppendTime both encodings bring the leader's time, the answer tells it, and offsets are found by it", async () => {
  const session = await withOrders({ message_timestamp_type: "LogAppendTime" });
  const records = [{ timestamp_ms: 5 }, { timestamp_ms: 9 }];
  expect(await session.call("produce", { ...PLACE, records })).toMatchObject({
    offset: 0,
    log_append_time_ms: START_MS,
  });
  await session.call("advance_clock", { ms: 50 });
  const frame = encodeBatch({
    records: [{ key: null, value: Buffer.from("v"), timestampMs: 1, headers: [] }],
  });
  await session.call("produce", { ...PLACE, batch_b64: frame.toString("base64") });
  const times = [START_MS, START_MS, START_MS + 50];

  const asRecords = await session.call("fetch", { ...PLACE, offset: 0 });
  expect(asRecords.records?.map((each) => each.timestamp_ms)).toEqual(times);
  const { batches_b64: text } = await session.call("fetch", { ...PLACE, offset: 0, encoding: "batch" });
  const frames = splitFrames(Buffer.from(text as string, "base64"));
  expect(frames.flatMap(decodeRecords).map(({ timestampMs }) => timestampMs)).toEqual(times);
  const find = (timestamp_ms: number) => session.call("list_offsets", { ...PLACE, timestamp_ms });
  expect(await find(10)).toMatchObject({ offset: 0, timestamp_ms: START_MS });
  expect(await find(START_MS + 1)).toMatchObject({ offset: 2, timestamp_ms: START_MS + 50 });
  expect(await session.call("dump_log", { ...PLACE })).toMatchObject({
    batches: [{ timestamp_type: "append" }, { timestamp_type: "append" }],
  });
});

test("acks all is refused while fewer are in sync than min_insync_replicas, and nothing is appended", async () => {
  const session = await withOrders({ min_insync_replicas: 2 });
  const produce = { operation: "produce", ...PLACE, value_b64: base64("v"), acks: "all" };
  expect(await session.ask(produce)).toMatchObject({ code: "NOT_ENOUGH_REPLICAS", retriable: true });
  expect(await session.call("describe_partition", PLACE)).toMatchObject({ log_end_offset: 0 });
  await session.call("alter_config", { topic: "orders", config: { min_insync_replicas: 1 } });
  expect(await session.ask(produce)).toMatchObject({ ok: true, offset: 0 });
});
