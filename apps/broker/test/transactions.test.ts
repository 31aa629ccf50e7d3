/** Transactions over the wire: their lives, what readers see of them meanwhile, and the order of requests that are sent at once. */
import { expect, test } from "vitest";
import type { RawSettings } from "../src/config.ts";
import { type Answer, base64, openBroker, Session, settle } from "./support/broker.ts";
import { COMMITTED, fetched, TransactionalSession, values } from "./support/transactions.ts";

const START_MS = 1_700_000_000_000;
const PLACE = { topic: "orders", partition: 0 };
const BILLING = { transactional_id: "billing" };

async function withOrders(settings: RawSettings = {}): Promise<Session> {
  const session = Session.open(await openBroker(settings));
  await session.call("create_topic", { topic: "orders", partitions: 2 });
  return session;
}

test("a transaction lives from its producer's first words to its end, and each answer says where it stands", async () => {
  const session = await withOrders();
  expect(await session.call("list_transactions")).toEqual({ ok: true, transactions: [], unreadable: [] });
  const producer = await TransactionalSession.open(session, "billing", { transaction_timeout_ms: 5_000 });
  const { producer_id } = producer.identity;
  expect(producer.identity).toEqual({ producer_id: expect.any(Number), producer_epoch: 0 });
  const described = {
    ok: true,
    ...BILLING,
    coordinator_id: 1,
    producer_id,
    producer_epoch: 0,
    timeout_ms: 5_000,
    state: "empty",
    started_ms: null,
    partitions: [],
    last_end: null,
  };
  expect(await session.call("describe_transaction", BILLING)).toEqual(described);
  await producer.begin();
  await producer.produce("a", "b");
  expect(await session.call("describe_transaction", BILLING)).toEqual({
    ...described,
    state: "ongoing",
    started_ms: START_MS,
    partitions: [PLACE],
  });
  await session.call("advance_clock", { ms: 3 });
  expect(await producer.end(true)).toEqual({ producer_id, producer_epoch: 1 });
  expect(await session.call("describe_transaction", BILLING)).toEqual({
    ...described,
    state: "complete_commit",
    producer_epoch: 1,
    last_end: { producer_id, producer_epoch: 0, committed: true, cause: "request", ended_ms: START_MS + 3 },
  });
});

test("the list names the ids in the states that are asked for, and a partition the transactions that are open in it", async () => {
  const session = await withOrders();
  const producer = await TransactionalSession.open(session);
  const { producer_id } = producer.identity;
  await producer.begin();
  await producer.produce("a", "b");
  const listed = { ...BILLING, state: "ongoing", producer_id, producer_epoch: 0, coordinator_id: 1 };
  expect(await session.call("list_transactions", { states: ["ongoing"] })).toEqual({
    ok: true,
    transactions: [{ ...listed, partitions: 1, started_ms: START_MS }],
    unreadable: [],
  });
  expect(await session.call("describe_partition", PLACE)).toMatchObject({
    last_stable_offset: 0,
    high_watermark: 2,
    open_transactions: [{ ...BILLING, producer_id, producer_epoch: 0, first_offset: 0 }],
  });
  await producer.end(true);
  expect(await session.call("describe_partition", PLACE)).toMatchObject({
    last_stable_offset: 3,
    high_watermark: 3,
    open_transactions: [],
  });
  expect(await session.call("list_transactions", { states: ["ongoing", "empty"] })).toMatchObject({
    transactions: [],
  });
  expect(await session.call("list_transactions")).toMatchObject({ transactions: [{ producer_epoch: 1 }] });
});

test("a partition whose topic was deleted, or made anew, is told apart, and the transaction ends without it", async () => {
  const session = await withOrders();
  await session.call("create_topic", { topic: "paid", partitions: 1 });
  const producer = await TransactionalSession.open(session);
  await producer.begin();
  await producer.produce("a");
  const paid = { topic: "paid", partition: 0 };
  await session.call("produce", producer.produceFields(["b"], paid));
  const partitions = async () => (await session.call("describe_transaction", BILLING)).partitions;
  expect(await partitions()).toEqual([PLACE, paid]);
  await session.call("delete_topic", { topic: "paid" });
  expect(await partitions()).toEqual([PLACE, { ...paid, gone: true }]);
  await session.call("create_topic", { topic: "paid", partitions: 1 });
  expect(await partitions()).toEqual([PLACE, { ...paid, gone: true }]);
  await producer.end(true);
  expect(await values(session, COMMITTED)).toEqual(["a"]);
  expect(await session.call("describe_partition", paid)).toMatchObject({ log_end_offset: 0 });
});

test("readers of committed records see them when the commit is there, and those of aborted ones never", async () => {
  const session = await withOrders();
  const producer = await TransactionalSession.open(session);
  await producer.begin();
  await producer.produce("a");
  await session.call("produce", { ...PLACE, value_b64: base64("plain") });
  expect(await values(session, COMMITTED)).toEqual([]);
  expect(await values(session)).toEqual(["a", "plain"]);
  await producer.end(true);
  expect(await values(session, COMMITTED)).toEqual(["a", "plain"]);

  await producer.transact(false, "undone");
  await producer.transact(true, "b");
  await producer.transact(false, "undone too");
  expect(await values(session, COMMITTED)).toEqual(["a", "plain", "b"]);
  expect(await values(session)).toEqual(["a", "plain", "undone", "b", "undone too"]);
  const { records, ...marks } = await fetched(session, COMMITTED);
  expect((records as unknown[]).length).toBe(3);
  expect(marks).toEqual({
    ok: true,
    high_watermark: 9,
    last_stable_offset: 9,
    log_start_offset: 0,
    next_offset: 9,
  });
});

test("max_records counts what is shown, and next_offset passes over what is hidden behind it", async () => {
  const session = await withOrders();
  const producer = await TransactionalSession.open(session);
  await producer.transact(true, "a");
  await producer.transact(false, "x", "y");
  await producer.transact(true, "b", "c");
  const one = { ...COMMITTED, max_records: 1 };
  expect(await fetched(session, one)).toMatchObject({ records: [{ offset: 0 }], next_offset: 5 });
  expect(await fetched(session, { ...one, offset: 5 })).toMatchObject({
    records: [{ offset: 5 }],
    next_offset: 6,
  });
  expect(await fetched(session, { ...one, offset: 6 })).toMatchObject({
    records: [{ offset: 6 }],
    next_offset: 8,
  });
  expect(await fetched(session, { ...one, offset: 2 })).toMatchObject({ records: [{ offset: 5 }] });
  expect(await fetched(session, { ...COMMITTED, offset: 1, max_bytes: 1 })).toMatchObject({
    records: [],
    next_offset: 2,
  });
});

test("whole batches come as they lie there, beside the transactions of which a reader leaves out the records", async () => {
  const session = await withOrders();
  const producer = await TransactionalSession.open(session);
  await producer.transact(false, "x", "y");
  const { producer_id } = producer.identity;
  const batches = { encoding: "batch" };
  const committed = await fetched(session, { ...COMMITTED, ...batches });
  expect(committed).toMatchObject({
    aborted_transactions: [{ producer_id, first_offset: 0, last_offset: 2 }],
    next_offset: 3,
  });
  const all = await fetched(session, batches);
  expect(all).not.toHaveProperty("aborted_transactions");
  expect(all.batches_b64).toBe(committed.batches_b64);
  const many = await session.call("fetch_many", {
    partitions: [
      { ...PLACE, offset: 0 },
      { ...PLACE, partition: 1, offset: 0 },
    ],
    ...COMMITTED,
  });
  expect(many.partitions).toMatchObject([
    { records: [], next_offset: 3 },
    { records: [], next_offset: 0 },
  ]);
});

test("the latest offset is the last stable one for whoever reads committed records", async () => {
  const session = await withOrders();
  const producer = await TransactionalSession.open(session);
  await producer.transact(true, "a");
  await producer.begin();
  await producer.produce("b");
  const latest = (fields: object) => session.call("list_offsets", { ...PLACE, timestamp_ms: -1, ...fields });
  expect(await latest(COMMITTED)).toMatchObject({ offset: 2 });
  expect(await latest({})).toMatchObject({ offset: 3 });
});

test("a long poll for committed records waits for the end of the transaction, not for its records", async () => {
  const session = await withOrders();
  const producer = await TransactionalSession.open(session);
  const reader = Session.open(session.broker);
  const patience = { min_bytes: 1, max_wait_ms: 60_000 };
  const poll = { operation: "fetch", ...PLACE, offset: 0, ...COMMITTED, ...patience };
  reader.request(poll);
  await producer.begin();
  await producer.produce("a");
  await settle();
  expect(reader.answers).toEqual([]);
  await producer.end(true);
  expect(await reader.answer()).toMatchObject({ records: [{ offset: 0 }], next_offset: 2 });

  reader.request({ ...poll, offset: 2 });
  await producer.transact(false, "x");
  expect(await reader.answer()).toMatchObject({ records: [], next_offset: 4 });
});

test("requests that are sent at once take effect in their order, and each look sees what came before it", async () => {
  const session = await withOrders();
  const producer = await TransactionalSession.open(session);
  const group = { group_id: "g" };
  const offsets = [{ ...PLACE, offset: 7 }];
  const requests: object[] = [
    { operation: "begin_transaction", ...producer.who },
    { operation: "produce", ...producer.produceFields(["a"]) },
    { operation: "produce", ...producer.produceFields(["b"]) },
    { operation: "send_offsets", ...producer.who, ...group, offsets },
    { operation: "describe_transaction", ...BILLING },
    { operation: "fetch_offsets", ...group, partitions: [PLACE], require_stable: true },
    { operation: "end_transaction", ...producer.who, commit: true },
    { operation: "fetch_offsets", ...group, partitions: [PLACE] },
    { operation: "list_transactions" },
  ];
  for (const request of requests) session.request(request);
  const answers: Answer[] = [];
  for (const _request of requests) answers.push((await session.answer()) as Answer);
  expect(answers.map(({ code }) => code ?? "ok").filter((code) => code !== "ok")).toEqual([
    "UNSTABLE_OFFSET_COMMIT",
  ]);
  const [, first, second, , described, before, , after, listed] = answers;
  expect([first?.offset, second?.offset]).toEqual([0, 1]);
  expect(described).toMatchObject({ state: "ongoing", partitions: expect.arrayContaining([PLACE]) });
  expect(before).toMatchObject({ code: "UNSTABLE_OFFSET_COMMIT" });
  expect(after).toMatchObject({ offsets: [{ ...PLACE, offset: 7 }] });
  expect(listed).toMatchObject({ transactions: [{ ...BILLING, state: "complete_commit" }] });
  expect(await values(session, COMMITTED)).toEqual(["a", "b"]);
});

test("offsets of an aborted transaction are forgotten, and a reader that asks for stable ones waits for the end", async () => {
  const session = await withOrders();
  const producer = await TransactionalSession.open(session);
  await producer.begin();
  const sent = { ...producer.who, group_id: "g", offsets: [{ ...PLACE, offset: 7 }] };
  await session.call("send_offsets", sent);
  const look = { operation: "fetch_offsets", group_id: "g", partitions: [PLACE] };
  expect(await session.ask({ ...look, require_stable: true })).toMatchObject({
    code: "UNSTABLE_OFFSET_COMMIT",
    retriable: true,
  });
  expect(await session.ask(look)).toMatchObject({ offsets: [{ offset: null }] });
  await producer.end(false);
  expect(await session.ask({ ...look, require_stable: true })).toMatchObject({ offsets: [{ offset: null }] });
});

test("an end that is asked for again gets the same answer, and the other end is refused", async () => {
  const session = await withOrders();
  const producer = await TransactionalSession.open(session);
  const { who } = producer;
  await producer.begin();
  await producer.produce("a");
  const next = await producer.end(true);
  expect(await session.call("end_transaction", { ...who, commit: true })).toEqual({ ok: true, ...next });
  expect(await session.ask({ operation: "end_transaction", ...who, commit: false })).toMatchObject({
    code: "INVALID_TRANSACTION_STATE",
    retriable: false,
  });
  expect(await values(session, COMMITTED)).toEqual(["a"]);
  expect(await session.call("describe_partition", PLACE)).toMatchObject({ log_end_offset: 2 });
});

test("a newer instance fences the one before on every path, and what that had open is undone", async () => {
  const session = await withOrders();
  const old = await TransactionalSession.open(session);
  await old.begin();
  await old.produce("x");
  const young = await TransactionalSession.open(session);
  expect(young.identity.producer_id).toBe(old.identity.producer_id);
  expect(young.identity.producer_epoch).toBeGreaterThan(old.identity.producer_epoch);
  const fenced: object[] = [
    { operation: "begin_transaction", ...old.who },
    { operation: "produce", ...old.produceFields(["y"]) },
    { operation: "send_offsets", ...old.who, group_id: "g", offsets: [{ ...PLACE, offset: 1 }] },
    { operation: "end_transaction", ...old.who, commit: true },
    { operation: "init_producer", ...old.who },
  ];
  for (const request of fenced)
    expect(await session.ask(request)).toMatchObject({ code: "PRODUCER_FENCED", retriable: false });
  await young.transact(true, "a");
  expect(await values(session, COMMITTED)).toEqual(["a"]);
});

test("a step aborts what is open for longer than its timeout, and its producer goes on with a new epoch", async () => {
  const session = await withOrders();
  const slow = await TransactionalSession.open(session, "slow", { transaction_timeout_ms: 1_000 });
  const patient = await TransactionalSession.open(session, "patient");
  await slow.begin();
  await slow.produce("x");
  await patient.begin();
  const nothing = {
    ok: true,
    aborted: [],
    completed: [],
    forgotten: [],
    failed: [],
    repaired: [],
    loaded: [],
  };
  const loaded = [0, 2, 3].map((partition) => ({ topic: "__transaction_state", partition }));
  expect(await session.call("expire_transactions")).toEqual({ ...nothing, loaded });
  await session.call("advance_clock", { ms: 1_001 });
  expect(await session.call("expire_transactions")).toEqual({ ...nothing, aborted: ["slow"] });
  expect(await session.call("expire_transactions")).toEqual(nothing);
  expect(await session.call("describe_transaction", { transactional_id: "slow" })).toMatchObject({
    state: "complete_abort",
    last_end: { committed: false, cause: "timeout" },
  });
  expect(await session.ask({ operation: "end_transaction", ...slow.who, commit: true })).toMatchObject({
    code: "TRANSACTION_ABORTED",
    details: { cause: "timeout" },
  });
  const { producer_id, producer_epoch } = slow.identity;
  const again = await TransactionalSession.open(session, "slow", { producer_id, producer_epoch });
  await again.transact(true, "a");
  expect(await values(session, COMMITTED)).toEqual(["a"]);
});

test("an operator's abort undoes what is open, and says when nothing was", async () => {
  const session = await withOrders();
  const producer = await TransactionalSession.open(session);
  expect(await session.call("abort_transaction", BILLING)).toEqual({ ok: true, aborted: false });
  await producer.begin();
  await producer.produce("x");
  expect(await session.call("abort_transaction", BILLING)).toEqual({ ok: true, aborted: true });
  expect(await session.call("abort_transaction", BILLING)).toEqual({ ok: true, aborted: false });
  expect(await values(session, COMMITTED)).toEqual([]);
  expect(await session.ask({ operation: "begin_transaction", ...producer.who })).toMatchObject({
    code: "TRANSACTION_ABORTED",
    details: { cause: "operator" },
  });
});

test("an id that nobody uses is forgotten by the step, and then begins anew with another producer id", async () => {
  const session = await withOrders({ transactional_id_expiration_ms: 10_000 });
  const producer = await TransactionalSession.open(session);
  await producer.transact(true, "a");
  await session.call("advance_clock", { ms: 10_001 });
  expect(await session.call("expire_transactions")).toMatchObject({ forgotten: ["billing"] });
  expect(await session.ask({ operation: "describe_transaction", ...BILLING })).toMatchObject({
    code: "UNKNOWN_TRANSACTIONAL_ID",
  });
  const anew = await TransactionalSession.open(session);
  expect(anew.identity.producer_id).not.toBe(producer.identity.producer_id);
});

test("the dump of a log shows the markers, with who wrote them", async () => {
  const session = await withOrders();
  const producer = await TransactionalSession.open(session);
  await producer.transact(true, "a");
  await producer.transact(false, "x");
  const { batches } = await session.call("dump_log", { ...PLACE, records: true });
  const { producer_id } = producer.identity;
  expect(batches).toMatchObject([
    { base_offset: 0, producer_id, producer_epoch: 0, transactional: true, control: null },
    { base_offset: 1, producer_id, producer_epoch: 1, transactional: true, control: "commit" },
    { base_offset: 2, producer_id, producer_epoch: 1, transactional: true, control: null },
    { base_offset: 3, producer_id, producer_epoch: 2, transactional: true, control: "abort" },
  ]);
});
