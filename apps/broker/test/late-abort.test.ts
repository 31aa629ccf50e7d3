/**
 * An operator's abort whose client has gone, and which is carried out behind what others have asked for since: it waited for a look of
 * its connection at a group, which waited for a change that nobody acknowledged yet.
 */
import { expect, test } from "vitest";
import { type Answer, openBroker, Session, settle } from "./support/broker.ts";
import { COMMITTED, TransactionalSession, values } from "./support/transactions.ts";

const PLACE = { topic: "orders", partition: 0 };
const BILLING = { transactional_id: "billing" };
const GROUP = { group_id: "readers" };
const OFFSETS = { topic: "__consumer_offsets" };
const STATES = { topic: "__transaction_state" };

interface Stage {
  readonly session: Session;
  readonly stepper: Session;
}

/** What `asked` brings, when only these topics are replicated meanwhile. */
async function replicating<Result>(
  { stepper }: Stage,
  topics: readonly object[],
  asked: Promise<Result>,
): Promise<Result> {
  let isOver = false;
  const over = () => {
    isOver = true;
  };
  asked.then(over, over);
  for (let rounds = 0; rounds < 30; rounds += 1) {
    await settle();
    if (isOver) return asked;
    for (const topic of topics) await stepper.call("replicate_once", topic);
  }
  throw new Error("30 rounds of replication brought no answer");
}

/** A producer with an open transaction, and an abort of it that waits, sent by somebody who has gone. */
async function withLateAbort(named: boolean): Promise<Stage & { producer: TransactionalSession }> {
  const broker = await openBroker({ brokers: 3 });
  const stage = { session: Session.open(broker), stepper: Session.open(broker) };
  const { session } = stage;
  await session.call("create_topic", { topic: "orders", partitions: 1, replication_factor: 1 });
  const producer = await replicating(stage, [STATES], TransactionalSession.open(session));
  await replicating(stage, [STATES], producer.begin());
  const office = Session.open(broker);
  const offsets = [{ ...PLACE, offset: 0 }];
  office.request({ operation: "commit_offsets", ...GROUP, offsets });
  office.request({ operation: "fetch_offsets", ...GROUP });
  office.request({ operation: "abort_transaction", ...BILLING, ...(named ? producer.identity : {}) });
  await settle();
  expect(office.answers).toEqual([]);
  office.stream.destroy();
  await settle();
  return { ...stage, producer };
}

async function stateNow({ session }: Stage): Promise<Answer> {
  return session.call("describe_transaction", BILLING);
}

/** Somebody else has asked for the same meanwhile, was answered, and the producer has begun its next transaction. */
async function withNext(stage: Stage & { producer: TransactionalSession }): Promise<TransactionalSession> {
  const { session, producer } = stage;
  const aborted = session.call("abort_transaction", { ...BILLING, ...producer.identity });
  expect(await replicating(stage, [STATES], aborted)).toEqual({ ok: true, aborted: true });
  const next = await replicating(
    stage,
    [STATES],
    TransactionalSession.open(session, producer.id, producer.identity),
  );
  await replicating(stage, [STATES], next.begin());
  expect(await stateNow(stage)).toMatchObject({ state: "ongoing", ...next.identity });
  return next;
}

async function letGo({ stepper }: Stage): Promise<void> {
  for (let rounds = 0; rounds < 12; rounds += 1) {
    for (const topic of [OFFSETS, STATES]) await stepper.call("replicate_once", topic);
    await settle();
  }
}

test("an abort that names the producer leaves the next transaction alone, however late it is carried out", async () => {
  const stage = await withLateAbort(true);
  const next = await withNext(stage);
  await letGo(stage);
  expect(await stateNow(stage)).toMatchObject({ state: "ongoing", ...next.identity });
  await replicating(stage, [STATES], next.produce("kept"));
  await replicating(stage, [STATES], next.end(true));
  expect(await values(stage.session, COMMITTED)).toEqual(["kept"]);
});

test("an abort that names nobody ends whichever transaction is open when its turn comes", async () => {
  const stage = await withLateAbort(false);
  const { identity } = await withNext(stage);
  await letGo(stage);
  expect(await stateNow(stage)).toMatchObject({
    state: "complete_abort",
    last_end: { ...identity, committed: false, cause: "operator" },
  });
});
