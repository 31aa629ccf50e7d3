/** Answers of the coordinator that are lost or late: the same is asked again with the same identity, and takes effect once. */
import { expect, test } from "vitest";
import { failure } from "../../../test/support/failure.ts";
import { quiet } from "../../../test/support/scripted-peer.ts";
import { ID, sendTo, transacting } from "../../../test/support/transacting.ts";
import { isFateUnknown } from "../../errors.ts";

test("an end whose answer is lost is asked again with the same identity, and the transaction ends once", async () => {
  for (const isCommit of [true, false])
    for (const isTaken of [true, false]) {
      const { producer, client, broker, peer, transactions, committed, settle } = await transacting();
      const tx = await producer.beginTransaction();
      await sendTo(tx, "a");
      broker.byHand("end_transaction", 1);
      const ended = isCommit ? tx.commit() : tx.abort();
      const request = await peer.next("end_transaction");
      if (isTaken) transactions.takeEnd(request.fields);
      peer.breakLink();
      await settle();
      await ended;
      expect(transactions.ends).toEqual([isCommit ? "commit" : "abort"]);
      await producer.transaction((next) => sendTo(next, "b"));
      expect((await committed()).values).toEqual(isCommit ? ["a", "b"] : ["b"]);
      await client.close();
    }
});

test("a coordinator that still completes the transaction before is asked again", async () => {
  const { producer, client, broker, peer, clock, transactions, settle } = await transacting();
  await producer.transaction((tx) => sendTo(tx, "a"));
  broker.byHand("begin_transaction", 2);
  const begun = producer.beginTransaction();
  (await peer.next("begin_transaction")).refuse("CONCURRENT_TRANSACTIONS");
  await quiet();
  clock.advance(500);
  (await peer.next("begin_transaction")).refuse("CONCURRENT_TRANSACTIONS");
  await settle();
  await (await begun).commit();
  expect(transactions.ends).toEqual(["commit", "commit"]);
  await client.close();
});

test("a begin whose answer is lost keeps nobody from beginning", async () => {
  const { producer, client, broker, peer, transactions, settle } = await transacting();
  broker.byHand("begin_transaction", 1);
  const begun = producer.beginTransaction();
  const request = await peer.next("begin_transaction");
  peer.breakLink();
  transactions.answerBegin(request);
  await settle();
  const tx = await begun;
  await sendTo(tx, "a");
  await tx.commit();
  expect(broker.values("orders", 0)[0]).toBe("a");
  await client.close();
});

test("a begin that fails for good leaves no transaction that is in the way of the next", async () => {
  const { producer, client, broker, peer, transactions, clock } = await transacting({
    deliveryTimeoutMs: 2_000,
  });
  broker.byHand("begin_transaction", 1);
  const begun = failure(producer.beginTransaction());
  const request = await peer.next("begin_transaction");
  peer.breakLink();
  transactions.answerBegin(request);
  peer.refuseLinks(new Error("nobody there"));
  for (let turn = 0; turn < 10; turn += 1) {
    await quiet();
    clock.advance(500);
  }
  expect((await begun).retriable).toBe(true);
  peer.refuseLinks(null);
  const tx = producer.transaction((next) => sendTo(next, "a"));
  for (let turn = 0; turn < 10; turn += 1) {
    await quiet();
    clock.advance(100);
  }
  await tx;
  expect(transactions.ends).toEqual(["abort", "commit"]);
  await client.close();
});

/** A commit whose request `isTaken` by the broker, and which has no answer until its time is over. */
async function openCommit(isTaken: boolean) {
  const world = await transacting({ deliveryTimeoutMs: 5_000 });
  const { producer, broker, peer, transactions, clock, settle } = world;
  const tx = await producer.beginTransaction();
  await sendTo(tx, "a");
  broker.byHand("end_transaction", 1);
  const committed = failure(tx.commit());
  const request = await peer.next("end_transaction");
  if (isTaken) transactions.takeEnd(request.fields);
  peer.breakLink();
  peer.refuseLinks(new Error("nobody there"));
  for (let turn = 0; turn < 20; turn += 1) {
    await quiet();
    clock.advance(500);
  }
  const error = await committed;
  peer.refuseLinks(null);
  /** Until the link is back. */
  const soon = async <T>(promise: Promise<T>): Promise<T> => {
    promise.catch(() => {});
    await settle();
    return promise;
  };
  return { ...world, tx, error, soon };
}

test("a commit without an answer says that it may be asked again, and then takes effect once", async () => {
  for (const isTaken of [true, false]) {
    const { tx, error, soon, transactions, committed, client } = await openCommit(isTaken);
    expect([error.retriable, isFateUnknown(error), tx.stage]).toEqual([true, true, "committing"]);
    expect((await failure(sendTo(tx, "b"))).code).toBe("USAGE");
    await soon(tx.commit());
    expect(transactions.ends).toEqual(["commit"]);
    expect((await soon(committed())).values).toEqual(["a"]);
    await client.close();
  }
});

test("an end that was decided and could not be completed is asked for again, whatever its code, and is not fatal", async () => {
  for (const [isCommit, decided] of [
    [true, "commit"],
    [false, "abort"],
  ] as const) {
    const { producer, client, broker, peer, transactions, clock, committed, settle } = await transacting({
      deliveryTimeoutMs: 2_000,
    });
    const tx = await producer.beginTransaction();
    await sendTo(tx, "a");
    broker.byHand("end_transaction", 3);
    const first = failure(isCommit ? tx.commit() : tx.abort());
    const refuse = async () => (await peer.next("end_transaction")).refuse("STORAGE_ERROR", { decided });
    for (const passingMs of [1_000, 2_000, 0]) {
      await refuse();
      await quiet();
      clock.advance(passingMs);
    }
    const error = await first;
    expect([error.code, error.retriable, error.fatal, isFateUnknown(error)]).toEqual([
      ...["STORAGE_ERROR", true, false, true],
    ]);
    expect(tx.stage).toBe(isCommit ? "committing" : "aborting");
    const next = producer.transaction((more) => sendTo(more, "b"));
    await settle();
    await next;
    expect(tx.stage).toBe(isCommit ? "committed" : "aborted");
    expect(transactions.ends).toEqual([decided, "commit"]);
    expect((await committed()).values).toEqual(isCommit ? ["a", "b"] : ["b"]);
    await client.close();
  }
});

test("the next transaction asks by itself for the commit before it that has no answer", async () => {
  for (const isTaken of [true, false]) {
    const { producer, tx, soon, transactions, committed, client } = await openCommit(isTaken);
    await soon(producer.transaction((next) => sendTo(next, "b")));
    expect(tx.stage).toBe("committed");
    expect(transactions.ends).toEqual(["commit", "commit"]);
    expect((await committed()).values).toEqual(["a", "b"]);
    await client.close();
  }
});

test("an abort after a commit without an answer aborts, unless that commit had taken effect, and says which", async () => {
  for (const isTaken of [true, false]) {
    const { producer, tx, soon, transactions, committed, client } = await openCommit(isTaken);
    const aborted = soon(tx.abort());
    if (isTaken)
      expect(await failure(aborted)).toMatchObject({
        code: "INVALID_TRANSACTION_STATE",
        details: { committed: true },
      });
    else await aborted;
    expect(tx.stage).toBe(isTaken ? "committed" : "aborted");
    await producer.transaction((next) => sendTo(next, "b"));
    expect(transactions.ends[0]).toBe(isTaken ? "commit" : "abort");
    expect((await committed()).values).toEqual(isTaken ? ["a", "b"] : ["b"]);
    await client.close();
  }
});

test("a commit without an answer, of a transaction that the broker then aborts, does not keep the next from beginning", async () => {
  const { producer, tx, soon, transactions, committed, client } = await openCommit(false);
  transactions.timeOut(ID);
  await soon(producer.transaction((next) => sendTo(next, "b")));
  expect(tx.stage).toBe("aborted");
  expect((await committed()).values).toEqual(["b"]);
  await client.close();
});

test("a commit without an answer stays open when a newer instance has come in between", async () => {
  for (const isTaken of [true, false]) {
    const { another, tx, soon, committed, client } = await openCommit(isTaken);
    await soon(another().transaction((next) => sendTo(next, "b")));
    const error = await failure(tx.commit());
    expect([error.code, error.fatal, isFateUnknown(error)]).toEqual(["PRODUCER_FENCED", true, true]);
    expect((await committed()).values).toEqual(isTaken ? ["a", "b"] : ["b"]);
    await client.close();
  }
});

test("a link that breaks in the middle of a transaction loses and doubles none of its records", async () => {
  for (let taken = 0; taken <= 4; taken += 1) {
    const { producer, client, broker, peer, settle, committed } = await transacting({ batchBytes: 1 });
    const tx = await producer.beginTransaction();
    await sendTo(tx, "0");
    broker.byHand("produce", 4);
    const sends = ["1", "2", "3", "4", "5"].map((value) => sendTo(tx, value));
    const requests = [];
    for (let count = 0; count < 4; count += 1) requests.push(await peer.next("produce"));
    for (const { fields } of requests.slice(0, taken))
      broker.takeFrame("orders", 0, fields.batch_b64 ?? Buffer.alloc(0), ID);
    peer.breakLink();
    await settle();
    await Promise.all(sends);
    await tx.commit();
    expect((await committed()).values).toEqual(["0", "1", "2", "3", "4", "5"]);
    await client.close();
  }
});
