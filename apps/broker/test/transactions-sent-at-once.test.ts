/** What of a transaction has to wait for its coordinator, and what comes before it when both are sent at once. */
import { MemoryDisk } from "@minikafka/core/testing";
import { beforeEach, expect, test } from "vitest";
import { type Answer, base64, openBroker, Session, settle } from "./support/broker.ts";
import { COMMITTED, TransactionalSession, values } from "./support/transactions.ts";

const PLACE = { topic: "orders", partition: 0 };

let disk: MemoryDisk;

beforeEach(() => {
  disk = new MemoryDisk();
});

async function withOpen(): Promise<TransactionalSession> {
  const session = Session.open(await openBroker({}, disk));
  await session.call("create_topic", { topic: "orders", partitions: 1 });
  const producer = await TransactionalSession.open(session);
  await producer.begin();
  return producer;
}

/** The answers to what is sent before the disk has synced any of it. */
async function answersTo(session: Session, requests: readonly object[]): Promise<Answer[]> {
  disk.holdSyncs();
  for (const request of requests) session.request(request);
  await settle();
  disk.releaseSyncs();
  const answers: Answer[] = [];
  for (const _request of requests) answers.push((await session.answer()) as Answer);
  return answers;
}

test("the first records of a transaction in a partition may come behind plain ones that were sent later, further ones do not", async () => {
  const producer = await withOpen();
  const { session } = producer;
  const transactional = (value: string) => ({ operation: "produce", ...producer.produceFields([value]) });
  const plain = (value: string) => ({ operation: "produce", ...PLACE, value_b64: base64(value) });
  const first = await answersTo(session, [transactional("a"), plain("b")]);
  expect(first.map(({ offset }) => offset)).toEqual([1, 0]);
  const further = await answersTo(session, [transactional("c"), plain("d")]);
  expect(further.map(({ offset }) => offset)).toEqual([2, 3]);
});

test("a look at a log that is sent behind an end does not wait for it, and one behind its answer sees it", async () => {
  const producer = await withOpen();
  const { session } = producer;
  await producer.produce("a");
  const [ended, described] = await answersTo(session, [
    { operation: "end_transaction", ...producer.who, commit: true },
    { operation: "describe_partition", ...PLACE },
  ]);
  expect(ended).toMatchObject({ ok: true, producer_epoch: 1 });
  expect(described).toMatchObject({ last_stable_offset: 0, open_transactions: [{ first_offset: 0 }] });
  expect(await session.call("describe_partition", PLACE)).toMatchObject({ last_stable_offset: 2 });
  expect(await values(session, COMMITTED)).toEqual(["a"]);
});

test("by time list_offsets finds aborted records and markers below the last stable offset, and nothing above it", async () => {
  const producer = await withOpen();
  const { session } = producer;
  const { now_ms: startMs } = await session.call("clock");
  const at = (ms: number, fields: object) =>
    session.call("list_offsets", { ...PLACE, timestamp_ms: Number(startMs) + ms, ...fields });
  await producer.produce("x");
  expect(await at(0, COMMITTED)).toMatchObject({ offset: null });
  expect(await at(0, {})).toMatchObject({ offset: 0 });
  await session.call("advance_clock", { ms: 5 });
  await producer.end(false);
  for (const fields of [COMMITTED, {}]) {
    expect(await at(0, fields)).toMatchObject({ offset: 0 });
    expect(await at(1, fields)).toMatchObject({ offset: 1 });
    expect(await at(6, fields)).toMatchObject({ offset: null });
  }
});
