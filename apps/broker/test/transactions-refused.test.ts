/** What transactions are refused over the wire: requests that make no sense, and those that come at the wrong time. */
import { type BatchContent, encodeBatch } from "@minikafka/record";
import { expect, test } from "vitest";
import { base64, openBroker, Session } from "./support/broker.ts";
import { COMMITTED, TransactionalSession, values } from "./support/transactions.ts";

const PLACE = { topic: "orders", partition: 0 };
const WHO = { transactional_id: "billing", producer_id: 0, producer_epoch: 0 };
const OFFSETS = { group_id: "g", offsets: [{ ...PLACE, offset: 1 }] };

/** A producer with an open transaction, in which is one record. */
async function withOpen(): Promise<TransactionalSession> {
  const session = Session.open(await openBroker());
  await session.call("create_topic", { topic: "orders", partitions: 2 });
  const producer = await TransactionalSession.open(session);
  await producer.begin();
  await producer.produce("a");
  return producer;
}

test.each<[object, string]>([
  [{ operation: "init_producer", transactional_id: "" }, "transactional_id"],
  [{ operation: "init_producer", transactional_id: "x".repeat(256) }, "transactional_id"],
  [{ operation: "init_producer", transactional_id: "\ud800" }, "transactional_id"],
  [{ operation: "init_producer", transactional_id: "t", producer_id: 1 }, "both or neither"],
  [{ operation: "begin_transaction", transactional_id: "billing", producer_id: 0 }, "producer_epoch"],
  [{ operation: "begin_transaction", ...WHO, producer_epoch: 40_000 }, "producer_epoch"],
  [{ operation: "begin_transaction", ...WHO, commit: true }, "commit"],
  [{ operation: "end_transaction", ...WHO }, "commit"],
  [{ operation: "end_transaction", ...WHO, commit: "yes" }, "commit"],
  [{ operation: "send_offsets", ...WHO, ...OFFSETS, offsets: [] }, "offsets"],
  [{ operation: "send_offsets", ...WHO, ...OFFSETS, member_id: "m" }, "expected both or neither"],
  [{ operation: "send_offsets", ...WHO, ...OFFSETS, generation: 1 }, "expected both or neither"],
  [{ operation: "send_offsets", ...WHO, offsets: OFFSETS.offsets }, "group_id"],
  [{ operation: "abort_transaction" }, "transactional_id"],
  [{ operation: "abort_transaction", transactional_id: "billing", producer_id: 0 }, "both or neither"],
  [{ operation: "abort_transaction", transactional_id: "billing", producer_epoch: 0 }, "both or neither"],
  [{ operation: "describe_transaction", transactional_id: null }, "transactional_id"],
  [{ operation: "list_transactions", states: [] }, "states"],
  [{ operation: "list_transactions", states: ["dead"] }, "states"],
  [{ operation: "expire_transactions", topic: "orders" }, "topic"],
])("%j is INVALID_REQUEST", async (request, cause) => {
  const { session } = await withOpen();
  expect(await session.ask(request)).toMatchObject({
    code: "INVALID_REQUEST",
    retriable: false,
    message: expect.stringContaining(cause),
  });
});

const ALL_THREE = "producer_id, producer_epoch and base_sequence: expected all three or none";
const NOBODY = { producer_id: undefined, producer_epoch: undefined, base_sequence: undefined };

test.each<[string, object, string]>([
  ["acks 1", { acks: "1" }, 'transactional_id: expected acks "all" beside it'],
  ["no answer", { acks: "0", one_way: true }, ""],
  ["a producer_id of null", { producer_id: null }, "producer_id"],
  ["no producer_id", { producer_id: undefined }, ALL_THREE],
  ["no producer_epoch", { producer_epoch: undefined }, ALL_THREE],
  ["no base_sequence", { base_sequence: undefined }, ALL_THREE],
  [
    "nobody's name",
    NOBODY,
    "transactional_id: expected producer_id, producer_epoch and base_sequence beside it",
  ],
])(
  "a produce in a transaction with %s is INVALID_REQUEST, and nothing is written",
  async (_what, fields, cause) => {
    const producer = await withOpen();
    const { session } = producer;
    const request = { operation: "produce", ...producer.produceFields(["b"]), ...fields };
    session.request(request);
    // Who asked for no answer gets none.
    if (!("one_way" in fields)) {
      const refused = { code: "INVALID_REQUEST", message: expect.stringContaining(cause) };
      expect(await session.answer()).toMatchObject(refused);
    }
    expect(await values(session)).toEqual(["a"]);
  },
);

/** A batch of the open transaction's producer. */
function frameOf(producer: TransactionalSession, content: Partial<BatchContent>): Buffer {
  const { producer_id: producerId, producer_epoch: producerEpoch } = producer.identity;
  const records = [{ key: null, value: Buffer.from("b"), timestampMs: 1, headers: [] }];
  return encodeBatch({ records, producerId, producerEpoch, baseSequence: 1, ...content });
}

test.each<Partial<BatchContent>>([
  { producerId: -1, producerEpoch: -1, baseSequence: -1 },
  { producerEpoch: -1 },
  { baseSequence: -1 },
])(
  "a transactional batch that does not say whose it is is INVALID_RECORD, and fences nobody: %j",
  async (content) => {
    const producer = await withOpen();
    const { session, id } = producer;
    const frame = frameOf(producer, { transactional: true, ...content });
    const fields = { operation: "produce", ...PLACE, acks: "all", transactional_id: id };
    expect(await session.ask({ ...fields, batch_b64: frame.toString("base64") })).toMatchObject({
      code: "INVALID_RECORD",
      message: expect.stringContaining("-1"),
    });
    await producer.produce("c");
    await producer.end(true);
    expect(await values(session, COMMITTED)).toEqual(["a", "c"]);
  },
);

test("a transactional batch is taken beside its id, and nothing else is", async () => {
  const producer = await withOpen();
  const { session } = producer;
  const fields = { operation: "produce", ...PLACE, acks: "all" };
  const named = { ...fields, transactional_id: producer.id };
  const frame = frameOf(producer, { transactional: true });
  const plain = frameOf(producer, {});
  const text = (bytes: Buffer) => bytes.toString("base64");
  expect(await session.ask({ ...fields, batch_b64: text(frame) })).toMatchObject({
    code: "INVALID_TRANSACTION_STATE",
    message: expect.stringContaining("transactional_id"),
  });
  expect(await session.ask({ ...named, batch_b64: text(plain) })).toMatchObject({ code: "INVALID_REQUEST" });
  const flipped = Buffer.from(frame);
  flipped[70] = (flipped[70] ?? 0) ^ 1;
  for (const bad of [flipped, frame.subarray(0, 20), frame.subarray(0, 70), Buffer.alloc(0)])
    expect(await session.ask({ ...named, batch_b64: text(bad) })).toMatchObject({ code: "CORRUPT_BATCH" });
  expect(await session.ask({ ...named, ...producer.identity, batch_b64: text(frame) })).toMatchObject({
    code: "INVALID_REQUEST",
  });
  expect(await session.ask({ ...named, batch_b64: text(frame) })).toMatchObject({ ok: true, offset: 1 });
  expect(await session.ask({ ...named, batch_b64: text(frame) })).toMatchObject({
    offset: 1,
    duplicate: true,
  });
  await producer.end(true);
  expect(await values(session, COMMITTED)).toEqual(["a", "b"]);
});

test.each<[object, string]>([
  [{ operation: "begin_transaction" }, "INVALID_TRANSACTION_STATE"],
  [{ operation: "begin_transaction", transactional_id: "nobody" }, "UNKNOWN_TRANSACTIONAL_ID"],
  [{ operation: "begin_transaction", producer_epoch: 7 }, "UNKNOWN_PRODUCER_ID"],
  [{ operation: "begin_transaction", producer_id: 99 }, "UNKNOWN_PRODUCER_ID"],
  [{ operation: "end_transaction", commit: true, transactional_id: "nobody" }, "UNKNOWN_TRANSACTIONAL_ID"],
  [{ operation: "end_transaction", commit: true, producer_epoch: 7 }, "UNKNOWN_PRODUCER_ID"],
  [{ operation: "abort_transaction", producer_epoch: 7 }, "UNKNOWN_PRODUCER_ID"],
  [{ operation: "send_offsets", ...OFFSETS, transactional_id: "nobody" }, "UNKNOWN_TRANSACTIONAL_ID"],
  [
    { operation: "send_offsets", ...OFFSETS, offsets: [{ ...PLACE, topic: "none", offset: 1 }] },
    "UNKNOWN_TOPIC",
  ],
  [
    { operation: "send_offsets", ...OFFSETS, offsets: [{ ...PLACE, partition: 9, offset: 1 }] },
    "UNKNOWN_PARTITION",
  ],
  [{ operation: "send_offsets", ...OFFSETS, member_id: "m", generation: 1 }, "UNKNOWN_GROUP"],
])("%j is refused with %s, and the open transaction is as it was", async (request, code) => {
  const producer = await withOpen();
  const { session } = producer;
  expect(await session.ask({ ...producer.who, ...request })).toMatchObject({ code, retriable: false });
  await producer.produce("b");
  await producer.end(true);
  expect(await values(session, COMMITTED)).toEqual(["a", "b"]);
});

test.each<[string, object, string]>([
  ["a topic that is not there", { topic: "none" }, "UNKNOWN_TOPIC"],
  ["a partition that is not there", { partition: 9 }, "UNKNOWN_PARTITION"],
  ["an internal topic", { topic: "__consumer_offsets" }, "INVALID_TOPIC"],
  ["an id that nobody knows", { transactional_id: "nobody" }, "UNKNOWN_TRANSACTIONAL_ID"],
  ["an epoch that nobody was given", { producer_epoch: 7 }, "UNKNOWN_PRODUCER_ID"],
  ["a sequence out of order", { base_sequence: 40 }, "OUT_OF_ORDER_SEQUENCE"],
  ["an older leader", { leader_epoch: 5 }, "FENCED_LEADER_EPOCH"],
])("a transactional produce to %s is refused, and the transaction may go on", async (_what, fields, code) => {
  const producer = await withOpen();
  const { session } = producer;
  // So that the internal topic is there.
  await session.call("commit_offsets", OFFSETS);
  const produce = { operation: "produce", ...producer.produceFields(["b"]) };
  expect(await session.ask({ ...produce, ...fields })).toMatchObject({ code });
  expect(await session.ask(produce)).toMatchObject({ ok: true, offset: 1 });
  await producer.end(true);
  expect(await values(session, COMMITTED)).toEqual(["a", "b"]);
});

test("what nobody opened is neither written to nor ended", async () => {
  const session = Session.open(await openBroker());
  await session.call("create_topic", { topic: "orders", partitions: 1 });
  const producer = await TransactionalSession.open(session);
  const state = { code: "INVALID_TRANSACTION_STATE", retriable: false };
  const requests: object[] = [
    { operation: "produce", ...producer.produceFields(["x"]) },
    { operation: "send_offsets", ...producer.who, ...OFFSETS },
    { operation: "end_transaction", ...producer.who, commit: true },
    { operation: "end_transaction", ...producer.who, commit: false },
  ];
  for (const request of requests) expect(await session.ask(request)).toMatchObject(state);
  expect(await values(session)).toEqual([]);
});

test.each(["describe_transaction", "abort_transaction"])(
  "%s of an id that nobody knows says so",
  async (operation) => {
    const session = Session.open(await openBroker());
    const request = { operation, transactional_id: "nobody" };
    const unknown = { code: "UNKNOWN_TRANSACTIONAL_ID", message: expect.stringContaining("nobody") };
    expect(await session.ask(request)).toMatchObject(unknown);
    await TransactionalSession.open(session);
    expect(await session.ask(request)).toMatchObject(unknown);
  },
);

test("a timeout beyond the broker's is refused, and the broker's own bounds the default", async () => {
  const session = Session.open(await openBroker({ transaction_max_timeout_ms: 2_000 }));
  const init = { operation: "init_producer", transactional_id: "t" };
  expect(await session.ask({ ...init, transaction_timeout_ms: 2_001 })).toMatchObject({
    code: "INVALID_TRANSACTION_TIMEOUT",
    message: expect.stringMatching(/2001.*2000/),
  });
  expect(await session.ask(init)).toMatchObject({ ok: true });
  expect(await session.call("describe_transaction", { transactional_id: "t" })).toMatchObject({
    timeout_ms: 2_000,
  });
});

test("in auto mode nobody steps transactions without --lab", async () => {
  const session = Session.open(await openBroker({ clock: "auto", start_time: undefined }));
  expect(await session.ask({ operation: "expire_transactions" })).toMatchObject({
    code: "STEPPING_DISABLED",
  });
});

test("a plain record of a transactional producer's id is refused", async () => {
  const producer = await withOpen();
  const { session } = producer;
  const record = { ...PLACE, ...producer.identity, base_sequence: 1, value_b64: base64("x"), acks: "all" };
  expect(await session.ask({ operation: "produce", ...record })).toMatchObject({ ok: false });
  expect(await values(session)).toEqual(["a"]);
});
