import { encodeBatch } from "@minikafka/record";
import { expect, test } from "vitest";
import { base64, openBroker, Session, settle } from "./support/broker.ts";

const FRAME_BYTES_MAX = 100_000;

async function openOrders(): Promise<{ session: Session; other: Session }> {
  const broker = await openBroker({ max_frame_bytes: FRAME_BYTES_MAX });
  const session = Session.open(broker);
  await session.call("create_topic", {
    topic: "orders",
    partitions: 1,
    config: { max_message_bytes: 2_000 },
  });
  return { session, other: Session.open(broker) };
}

const good = encodeBatch({ records: [{ key: null, value: Buffer.from("v"), timestampMs: 1, headers: [] }] });
const flipped = Buffer.from(good);
flipped[70] = (flipped[70] ?? 0) ^ 1;

/** Each kind of bad line, its code, and what the message must name. */
const BAD_LINES: readonly [string, string | Buffer | object, string, RegExp][] = [
  ["not JSON", "nope", "INVALID_REQUEST", /not JSON/],
  ["an HTTP request", "GET / HTTP/1.1", "INVALID_REQUEST", /not JSON/],
  ["an array", "[]", "INVALID_REQUEST", /not a JSON object/],
  ["two documents", "{}{}", "INVALID_REQUEST", /not JSON/],
  ["invalid UTF-8", Buffer.from('{"operation":"\xff"}', "latin1"), "INVALID_REQUEST", /UTF-8/],
  ["deep nesting", `{"a":${"[".repeat(40_000)}${"]".repeat(40_000)}}`, "INVALID_REQUEST", /nested deeper/],
  ["a name twice", '{"operation":"ping","operation":"ping"}', "INVALID_REQUEST", /twice/],
  ["__proto__", '{"operation":"ping","__proto__":{"admin":true}}', "INVALID_REQUEST", /__proto__/],
  ["an unknown operation", { operation: "drop_everything" }, "UNSUPPORTED_OPERATION", /drop_everything/],
  ["an operation of every object", { operation: "toString" }, "UNSUPPORTED_OPERATION", /toString/],
  [
    "an unknown field",
    { operation: "fetch", topic: "orders", partition: 0, offset: 0, ofset: 1 },
    "INVALID_REQUEST",
    /ofset/,
  ],
  [
    "a wrong type",
    { operation: "fetch", topic: "orders", partition: "0", offset: 0 },
    "INVALID_REQUEST",
    /partition/,
  ],
  [
    "a number past 2^53",
    '{"operation":"fetch","topic":"orders","partition":0,"offset":9007199254740993}',
    "INVALID_REQUEST",
    /offset/,
  ],
  [
    "infinity",
    '{"operation":"fetch","topic":"orders","partition":0,"offset":1e400}',
    "INVALID_REQUEST",
    /offset/,
  ],
  ["bad Base64", { operation: "produce", topic: "orders", value_b64: "a" }, "INVALID_REQUEST", /value_b64/],
  [
    "two forms at once",
    { operation: "produce", topic: "orders", value_b64: "", records: [{}] },
    "INVALID_REQUEST",
    /records/,
  ],
  [
    "one_way with an acknowledgement",
    { operation: "produce", topic: "orders", one_way: true },
    "INVALID_REQUEST",
    /one_way/,
  ],
  ["a topic that is not there", { operation: "produce", topic: "nowhere" }, "UNKNOWN_TOPIC", /nowhere/],
  [
    "a topic of every object",
    { operation: "metadata", topic: "constructor" },
    "UNKNOWN_TOPIC",
    /constructor/,
  ],
  [
    "a partition that is not there",
    { operation: "produce", topic: "orders", partition: 1 },
    "UNKNOWN_PARTITION",
    /1/,
  ],
  [
    "an offset past the end",
    { operation: "fetch", topic: "orders", partition: 0, offset: 1 },
    "OFFSET_OUT_OF_RANGE",
    /1/,
  ],
  [
    "a topic outside the folder",
    { operation: "create_topic", topic: "../x", partitions: 1 },
    "INVALID_TOPIC",
    /\.\.\/x/,
  ],
  [
    "a topic twice",
    { operation: "create_topic", topic: "orders", partitions: 1 },
    "TOPIC_ALREADY_EXISTS",
    /orders/,
  ],
  [
    "a twin by case",
    { operation: "create_topic", topic: "ORDERS", partitions: 1 },
    "INVALID_TOPIC",
    /orders/,
  ],
  [
    "too many partitions",
    { operation: "create_topic", topic: "t", partitions: 1e9 },
    "INVALID_CONFIG",
    /1000000000/,
  ],
  [
    "more replicas than there can be",
    { operation: "create_topic", topic: "t", partitions: 1, replication_factor: 2 },
    "INVALID_CONFIG",
    /replic/,
  ],
  [
    "an unknown setting",
    { operation: "create_topic", topic: "t", partitions: 1, config: { retain: 1 } },
    "INVALID_CONFIG",
    /retain/,
  ],
  [
    "a flipped bit in a batch",
    { operation: "produce", topic: "orders", batch_b64: flipped.toString("base64") },
    "CORRUPT_BATCH",
    /CRC/,
  ],
  [
    "half a batch",
    { operation: "produce", topic: "orders", batch_b64: good.subarray(0, 70).toString("base64") },
    "CORRUPT_BATCH",
    /bytes/,
  ],
  [
    "two batches as one",
    { operation: "produce", topic: "orders", batch_b64: Buffer.concat([good, good]).toString("base64") },
    "CORRUPT_BATCH",
    /./,
  ],
  [
    "a batch that is too large",
    { operation: "produce", topic: "orders", value_b64: base64("x".repeat(2_000)) },
    "RECORD_TOO_LARGE",
    /2000/,
  ],
  [
    "an epoch that nobody leads",
    { operation: "produce", topic: "orders", leader_epoch: 9 },
    "FENCED_LEADER_EPOCH",
    /9/,
  ],
];

test.each(BAD_LINES)(
  "%s: its code, and the next requests are served as if nothing had happened",
  async (_name, line, code, message) => {
    const { session, other } = await openOrders();
    session.send(line instanceof Buffer ? line : typeof line === "string" ? line : JSON.stringify(line));
    session.send("\n");
    const answer = await session.answer();
    expect(answer).toMatchObject({ ok: false, code });
    expect(answer?.message).toMatch(message);
    expect(JSON.stringify(answer).length).toBeLessThan(2_000);
    await session.call("ping");
    expect(await other.call("describe_partition", { topic: "orders", partition: 0 })).toMatchObject({
      log_end_offset: 0,
    });
    expect(({} as { admin?: unknown }).admin).toBeUndefined();
  },
);

test("empty lines and carriage returns are no requests", async () => {
  const { session } = await openOrders();
  session.send('\n\r\n{"operation":"ping"}\r\n\n');
  expect(await session.answer()).toEqual({ ok: true });
  await settle();
  expect(session.answers).toEqual([]);
});

test("a line that is too long is answered, in its turn, and ends this connection alone", async () => {
  const { session, other } = await openOrders();
  session.request({ operation: "ping" });
  for (let sent = 0; sent <= FRAME_BYTES_MAX; sent += 10_000) session.send("x".repeat(10_000));
  expect(await session.answer()).toEqual({ ok: true });
  expect(await session.answer()).toMatchObject({ ok: false, code: "FRAME_TOO_LARGE" });
  expect(await session.answer()).toBeNull();
  await other.call("ping");
});

test("a request without its newline is never carried out, however the connection ends", async () => {
  const { session, other } = await openOrders();
  const produce = JSON.stringify({ operation: "produce", topic: "orders", value_b64: "" });
  session.send(produce);
  session.stream.end();
  expect(await session.answer()).toBeNull();
  const broker = await openBroker({ data: "/other" });
  const gone = Session.open(broker);
  gone.send(produce);
  await settle();
  gone.stream.destroy();
  await settle();
  expect(await other.call("describe_partition", { topic: "orders", partition: 0 })).toMatchObject({
    log_end_offset: 0,
  });
});

test("answers that are owed still come when the client has ended its side", async () => {
  const { session } = await openOrders();
  for (let index = 0; index < 3; index += 1)
    session.request({ operation: "produce", topic: "orders", value_b64: "", acks: "all" });
  session.stream.end();
  for (const offset of [0, 1, 2]) expect(await session.answer()).toMatchObject({ offset });
  expect(await session.answer()).toBeNull();
});
