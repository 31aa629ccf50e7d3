/** Transactions on several brokers, stepped: their records, markers and states wait for followers, and nobody else does. */
import { expect, test } from "vitest";
import { type Answer, base64, openBroker, Session, settle } from "./support/broker.ts";
import { identityIn } from "./support/transaction-book.ts";
import { COMMITTED, TransactionalSession, values } from "./support/transactions.ts";

const PLACE = { topic: "orders", partition: 0 };
const BILLING = { transactional_id: "billing" };

/** A session to ask with, and another one to step with. */
async function onThreeBrokers() {
  const broker = await openBroker({ brokers: 3 });
  const session = Session.open(broker);
  await session.call("create_topic", { topic: "orders", partitions: 1, replication_factor: 3 });
  return { session, stepper: Session.open(broker) };
}

/** Rounds until the answer to what `session` was asked is there. */
async function answered(session: Session, stepper: Session): Promise<Answer> {
  for (let rounds = 0; session.answers.length === 0; rounds += 1) {
    if (rounds > 20) throw new Error("20 rounds of replication brought no answer");
    await stepper.call("replicate_once");
    await settle();
  }
  return (await session.answer()) as Answer;
}

/** A producer with one record in an open transaction, all of it replicated. */
async function withOpen(session: Session, stepper: Session): Promise<TransactionalSession> {
  const begun = TransactionalSession.open(session);
  const stepping = (async () => {
    for (let rounds = 0; rounds < 12; rounds += 1) {
      await stepper.call("replicate_once");
      await settle();
    }
  })();
  const producer = await begun;
  await producer.begin();
  await producer.produce("a");
  await stepping;
  return producer;
}

test("an end waits for its markers on all replicas in sync, holds up nobody with an id, and is told complete then", async () => {
  const { session, stepper } = await onThreeBrokers();
  const producer = await withOpen(session, stepper);
  session.request({ operation: "end_transaction", ...producer.who, commit: true, id: "end" });
  session.request({ operation: "ping", id: "ping" });
  expect(await session.answer()).toEqual({ ok: true, id: "ping" });
  await settle();
  expect(session.answers).toEqual([]);
  expect(await values(stepper, COMMITTED)).toEqual([]);
  expect(await answered(session, stepper)).toMatchObject({ ok: true, id: "end", producer_epoch: 1 });
  expect(await values(stepper, COMMITTED)).toEqual(["a"]);
  const { batches } = await session.call("dump_log", { ...PLACE, broker_id: 3 });
  expect(batches.map(({ control }) => control)).toEqual([null, "commit"]);
});

test("an end that nobody acknowledges is given up after 30 s with its fate open, and a step or its producer completes it", async () => {
  const { session, stepper } = await onThreeBrokers();
  const producer = await withOpen(session, stepper);
  const ending = { operation: "end_transaction", ...producer.who, commit: true };
  session.request(ending);
  await settle();
  await stepper.call("advance_clock", { ms: 30_000 });
  expect(await session.answer()).toMatchObject({ code: "REQUEST_TIMED_OUT", retriable: true });
  session.request({ operation: "expire_transactions" });
  const stepped = await answered(session, stepper);
  session.request(ending);
  expect(await answered(session, stepper)).toMatchObject({ ok: true, producer_epoch: 1 });
  expect(stepped).toMatchObject({ ok: true, aborted: [], completed: ["billing"], failed: [] });
  expect(await session.call("describe_transaction", BILLING)).toMatchObject({
    state: "complete_commit",
    last_end: { committed: true, cause: "request" },
  });
  expect(await values(session, COMMITTED)).toEqual(["a"]);
});

test("a step tells whose end nobody acknowledges in time, and ends the others all the same", async () => {
  const { session, stepper } = await onThreeBrokers();
  await session.call("create_topic", { topic: "payments", partitions: 1, replication_factor: 1 });
  const stuck = await withOpen(session, stepper);
  session.request({ operation: "init_producer", transactional_id: "quick" });
  const quick = identityIn(await answered(session, stepper));
  const who = { transactional_id: "quick", ...quick };
  session.request({ operation: "begin_transaction", ...who });
  await answered(session, stepper);
  const record = { topic: "payments", partition: 0, base_sequence: 0, value_b64: base64("b"), acks: "all" };
  session.request({ operation: "produce", ...record, ...who });
  await answered(session, stepper);
  await stepper.call("advance_clock", { ms: 60_001 });
  session.request({ operation: "expire_transactions" });
  for (let rounds = 0; rounds < 8; rounds += 1) {
    await settle();
    await stepper.call("replicate_once", { topic: "__transaction_state" });
  }
  await settle();
  expect(session.answers).toEqual([]);
  await stepper.call("advance_clock", { ms: 30_000 });
  expect(await session.answer()).toMatchObject({
    ok: true,
    aborted: ["quick"],
    failed: [{ transactional_id: stuck.id, code: "REQUEST_TIMED_OUT" }],
  });
  session.request({ operation: "expire_transactions" });
  expect(await answered(session, stepper)).toMatchObject({ completed: [stuck.id], failed: [] });
});

test("while nobody leads an id's partition it is told missing from the list, and changes of it are refused", async () => {
  const { session, stepper } = await onThreeBrokers();
  await withOpen(session, stepper);
  const { coordinator_id: broker_id } = await session.call("describe_transaction", BILLING);
  await session.call("stop_broker", { broker_id });
  const refused = { code: "LEADER_NOT_AVAILABLE", retriable: true };
  expect(await session.ask({ operation: "describe_transaction", ...BILLING })).toMatchObject(refused);
  expect(await session.ask({ operation: "abort_transaction", ...BILLING })).toMatchObject(refused);
  expect(await session.ask({ operation: "init_producer", ...BILLING })).toMatchObject(refused);
  const { transactions, unreadable } = await session.call("list_transactions");
  expect(transactions).toEqual([]);
  expect(unreadable).toContainEqual(expect.objectContaining({ code: "LEADER_NOT_AVAILABLE" }));
});
