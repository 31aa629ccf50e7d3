/** What failed in a transaction, and what its errors tell to do: the same again, an abort, or a close (KIP-1050). */
import { expect, test } from "vitest";
import { failure } from "../../../test/support/failure.ts";
import { quiet } from "../../../test/support/scripted-peer.ts";
import { ID, sendTo, transacting } from "../../../test/support/transacting.ts";
import type { MiniKafkaError } from "../../errors.ts";
import type { Transaction } from "./transaction.ts";

const effects = ({ code, retriable, abortable, fatal }: MiniKafkaError) => ({
  code,
  retriable,
  abortable,
  fatal,
});
const abortable = (code: string) => ({ code, retriable: false, abortable: true, fatal: false });
const fatal = (code: string) => ({ code, retriable: false, abortable: false, fatal: true });

test("a record that is refused dooms its transaction: its commit says why, and only an abort helps", async () => {
  const { producer, client, broker, peer, transactions, committed } = await transacting({ batchBytes: 1 });
  const tx = await producer.beginTransaction();
  await sendTo(tx, "a");
  broker.byHand("produce", 1);
  const refused = failure(sendTo(tx, "b"));
  const behind = failure(sendTo(tx, "c"));
  (await peer.next("produce")).refuse("INVALID_RECORD");
  expect(effects(await refused)).toEqual(abortable("INVALID_RECORD"));
  await behind;
  expect(tx.failure?.code).toBe("INVALID_RECORD");
  const commit = await failure(tx.commit());
  expect(effects(commit)).toEqual(abortable("INVALID_RECORD"));
  expect(commit.message).toContain("was not committed");
  expect(commit.message.split("can only be aborted")).toHaveLength(2);
  expect(effects(await failure(sendTo(tx, "d")))).toEqual(abortable("INVALID_RECORD"));
  expect((await failure(producer.beginTransaction())).message).toContain("commit or abort it first");
  await tx.abort();
  expect(transactions.ends).toEqual(["abort"]);
  await producer.transaction((next) => sendTo(next, "e"));
  expect((await committed()).values).toEqual(["e"]);
  await client.close();
});

test("a failed send that nobody waits for ends neither the process nor in a commit", async () => {
  for (const record of [
    { topic: "nowhere", value: "a" },
    { topic: "orders", value: Buffer.alloc(3_000_000) },
  ]) {
    const { producer, client, transactions } = await transacting();
    const thrown = await failure(producer.transaction((tx) => void tx.send(record)));
    expect(thrown.abortable).toBe(true);
    expect(transactions.ends).toEqual(["abort"]);
    await client.close();
  }
});

test("a batch behind one that failed is neither sent nor tried again", async () => {
  const { producer, client, broker, peer, clock, settle } = await transacting({ batchBytes: 1 });
  const tx = await producer.beginTransaction();
  await Promise.all([sendTo(tx, "a"), sendTo(tx, "x", 1)]);
  broker.byHand("produce", 2);
  const sends = [sendTo(tx, "b"), sendTo(tx, "y", 1)].map(failure);
  const [first, second] = [await peer.next("produce"), await peer.next("produce")];
  first.refuse("NOT_ENOUGH_REPLICAS");
  await quiet();
  second.refuse("INVALID_RECORD");
  expect((await Promise.all(sends)).map(({ code }) => code)).toEqual(["INVALID_RECORD", "INVALID_RECORD"]);
  await settle();
  expect(broker.produced).toHaveLength(4);
  await tx.abort();
  await client.close();
  expect(clock.waiting).toBe(0);
});

test("a full buffer leaves the transaction as it is, and drain makes room", async () => {
  const { producer, client, broker, peer } = await transacting({ bufferBytesMax: 500 });
  const tx = await producer.beginTransaction();
  broker.byHand("produce", 1);
  const held = tx.send({ topic: "orders", partition: 0, value: "x".repeat(400) });
  const request = await peer.next("produce");
  const refused = await failure(tx.send({ topic: "orders", partition: 0, value: "y".repeat(400) }));
  expect([refused.code, refused.retriable]).toEqual(["BUFFER_FULL", true]);
  broker.answerProduce(request);
  await producer.drain();
  await tx.send({ topic: "orders", partition: 0, value: "y".repeat(400) });
  await held;
  await tx.commit();
  await client.close();
});

test("a newer instance ends the older one's transaction, and all that this one still asks for is fatal", async () => {
  const { producer, another, client, transactions, committed } = await transacting();
  const old = await producer.beginTransaction();
  await sendTo(old, "old");
  const newer = another();
  await newer.transaction((tx) => sendTo(tx, "new"));
  expect(effects(await failure(sendTo(old, "late")))).toEqual(fatal("PRODUCER_FENCED"));
  expect(effects(await failure(old.commit()))).toEqual(fatal("PRODUCER_FENCED"));
  expect([old.stage, old.failure?.code]).toEqual(["aborted", "PRODUCER_FENCED"]);
  await old.abort();
  await old[Symbol.asyncDispose]();
  expect(effects(await failure(producer.beginTransaction()))).toEqual(fatal("PRODUCER_FENCED"));
  await producer.close();
  expect(transactions.ends).toEqual(["abort", "commit"]);
  expect((await committed()).values).toEqual(["new"]);
  await client.close();
});

test("a fenced instance finds out with its commit, and with its begin", async () => {
  const { producer, another, client } = await transacting();
  await producer.transaction((tx) => sendTo(tx, "a"));
  const newer = another();
  const tx = await newer.beginTransaction();
  expect(effects(await failure(producer.beginTransaction()))).toEqual(fatal("PRODUCER_FENCED"));
  const newest = another();
  await newest.transaction(() => {});
  expect(effects(await failure(tx.commit()))).toEqual(fatal("PRODUCER_FENCED"));
  expect(tx.stage).toBe("aborted");
  await client.close();
});

test("a transaction that the broker aborted is abortable, and the next one works by itself", async () => {
  const { producer, client, transactions, committed, sequences } = await transacting();
  const late = await producer.beginTransaction();
  await sendTo(late, "gone");
  transactions.timeOut(ID);
  expect(effects(await failure(sendTo(late, "late")))).toEqual(abortable("TRANSACTION_ABORTED"));
  expect(effects(await failure(late.commit()))).toEqual(abortable("TRANSACTION_ABORTED"));
  await late.abort();
  const quietly = await producer.beginTransaction();
  await sendTo(quietly, "gone too");
  transactions.timeOut(ID);
  expect(effects(await failure(quietly.commit()))).toEqual(abortable("TRANSACTION_ABORTED"));
  expect(quietly.stage).toBe("aborted");
  const aborted = await producer.beginTransaction();
  transactions.timeOut(ID);
  await aborted.abort();
  await producer.transaction((tx) => sendTo(tx, "kept"));
  expect((await committed()).values).toEqual(["kept"]);
  expect(new Set(sequences().map(([id]) => id))).toEqual(new Set([0]));
  await client.close();
});

/** What tells a producer that the coordinator has ended its transaction, and leaves what it was told with. */
const NOTICES = {
  send: (tx: Transaction) => sendTo(tx, "late"),
  sendOffsets: (tx: Transaction) =>
    tx.sendOffsets({ groupId: "g", offsets: [{ topic: "orders", partition: 0, offset: 1 }] }),
  commit: (tx: Transaction) => tx.commit(),
  "send, in the commit": (tx: Transaction) => {
    void sendTo(tx, "late");
    return tx.commit();
  },
};

test("a transaction that the coordinator has ended is aborted for its producer as well, whichever call is told so", async () => {
  for (const [what, notice] of Object.entries(NOTICES)) {
    for (const isFenced of [false, true]) {
      const { producer, another, client, transactions, committed } = await transacting();
      const tx = await producer.beginTransaction();
      await sendTo(tx, "gone");
      if (isFenced) await another().transaction((newer) => sendTo(newer, "new"));
      else transactions.timeOut(ID);
      const told = isFenced ? fatal("PRODUCER_FENCED") : abortable("TRANSACTION_ABORTED");
      expect(effects(await failure(notice(tx))), what).toEqual(told);
      expect([tx.stage, tx.failure?.code], what).toEqual(["aborted", told.code]);
      expect(effects(await failure(sendTo(tx, "more"))), what).toEqual(told);
      expect(effects(await failure(tx.commit())), what).toEqual(told);
      const next = producer.transaction((other) => sendTo(other, "next"));
      if (isFenced) expect(effects(await failure(next)), what).toEqual(told);
      else await next;
      await tx.abort();
      await tx[Symbol.asyncDispose]();
      expect(transactions.ends, what).toEqual(["abort", "commit"]);
      expect((await committed()).values, what).toEqual([isFenced ? "new" : "next"]);
      await client.close();
    }
  }
});

test("an abort finds out as well that the coordinator has ended it, and is none of a failure", async () => {
  const { producer, another, client, transactions } = await transacting();
  const tx = await producer.beginTransaction();
  await another().transaction(() => {});
  await tx.abort();
  expect([tx.stage, tx.failure]).toEqual(["aborted", null]);
  expect(effects(await failure(producer.beginTransaction()))).toEqual(fatal("PRODUCER_FENCED"));
  expect(transactions.ends).toEqual(["abort", "commit"]);
  await client.close();
});

test("work that returns although the coordinator has ended its transaction is told so, unless it has aborted it", async () => {
  const { producer, client, transactions, committed } = await transacting();
  const end = async (tx: Transaction) => {
    await sendTo(tx, "gone");
    transactions.timeOut(ID);
    await failure(sendTo(tx, "late"));
  };
  expect(effects(await failure(producer.transaction(end)))).toEqual(abortable("TRANSACTION_ABORTED"));
  const aborted = producer.transaction(async (tx) => {
    await end(tx);
    await tx.abort();
    return "aborted";
  });
  expect(await aborted).toBe("aborted");
  await producer.transaction((tx) => sendTo(tx, "kept"));
  expect((await committed()).values).toEqual(["kept"]);
  await client.close();
});

test("what an ended transaction has under way never reaches the next one, and keeps nothing waiting", async () => {
  const { producer, client, broker, peer, transactions, committed } = await transacting({ batchBytes: 1 });
  const tx = await producer.beginTransaction();
  await sendTo(tx, "gone");
  broker.byHand("produce", 2);
  const slow = failure(sendTo(tx, "slow", 1));
  const late = await peer.next("produce");
  transactions.timeOut(ID);
  const told = failure(sendTo(tx, "late"));
  broker.answerProduce(await peer.next("produce"));
  expect((await told).code).toBe("TRANSACTION_ABORTED");
  await producer.transaction((next) => sendTo(next, "kept"));
  expect((await slow).code).toBe("TRANSACTION_ABORTED");
  broker.answerProduce(late);
  await tx.abort();
  expect([(await committed()).values, (await committed("orders", 1)).values]).toEqual([["kept"], []]);
  expect(producer.buffered).toEqual({ records: 0, bytes: 0 });
  await client.close();
});

test("an id that the coordinator has forgotten is given anew", async () => {
  const { producer, client, transactions, committed } = await transacting();
  await producer.transaction((tx) => sendTo(tx, "a"));
  transactions.forget(ID);
  await producer.transaction((tx) => sendTo(tx, "b"));
  expect((await committed()).values).toEqual(["a", "b"]);
  await client.close();
});

test("a timeout that the broker does not allow is fatal and says so", async () => {
  const { producer, client, broker, peer } = await transacting({ transactionTimeoutMs: 3_600_000 });
  broker.byHand("init_producer", 1);
  const begun = failure(producer.beginTransaction());
  const request = await peer.next("init_producer");
  expect(request.fields).toMatchObject({ transactional_id: ID, transaction_timeout_ms: 3_600_000 });
  request.refuse("INVALID_TRANSACTION_TIMEOUT", { max_ms: 900_000 });
  expect(effects(await begun)).toEqual(fatal("INVALID_TRANSACTION_TIMEOUT"));
  await client.close();
});

test("what the broker cannot do is fatal at the end of a transaction, and leaves open what became of a commit", async () => {
  for (const isCommit of [true, false]) {
    const { producer, client, broker, peer } = await transacting();
    const tx = await producer.beginTransaction();
    await sendTo(tx, "a");
    broker.byHand("end_transaction", 1);
    const ended = failure(isCommit ? tx.commit() : tx.abort());
    (await peer.next("end_transaction")).refuse("STORAGE_ERROR");
    const error = await ended;
    expect(effects(error)).toEqual(fatal("STORAGE_ERROR"));
    expect(error.details.inDoubt).toBe(isCommit ? true : undefined);
    await client.close();
  }
});
