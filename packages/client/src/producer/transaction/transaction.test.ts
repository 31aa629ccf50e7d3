/** Transactions of one producer: what they commit and abort, and what they are not for. */
import { expect, test } from "vitest";
import { failure } from "../../../test/support/failure.ts";
import { quiet } from "../../../test/support/scripted-peer.ts";
import { ID, sendTo, transacting } from "../../../test/support/transacting.ts";

test("what is sent in a transaction is shown when it commits, in all partitions, and its value is returned", async () => {
  const { producer, client, committed, broker } = await transacting();
  const result = await producer.transaction(async (tx) => {
    await sendTo(tx, "a");
    const sent = await tx.sendMany([
      { topic: "orders", partition: 1, value: "b" },
      { topic: "orders", partition: 0, value: "c" },
    ]);
    expect((await committed()).values).toEqual([]);
    return sent.length;
  });
  expect(result).toBe(2);
  expect(await committed()).toEqual({ values: ["a", "c"], lag: 0 });
  expect(await committed("orders", 1)).toEqual({ values: ["b"], lag: 0 });
  expect(broker.produced.every(({ acks, transactional_id: id }) => acks === "all" && id === ID)).toBe(true);
  await client.close();
});

test("a commit sends first what nobody waited for", async () => {
  const { producer, client, committed } = await transacting({ lingerMs: 60_000 });
  await producer.transaction((tx) => {
    void sendTo(tx, "a");
    void sendTo(tx, "b", 1);
  });
  expect([(await committed()).values, (await committed("orders", 1)).values]).toEqual([["a"], ["b"]]);
  await client.close();
});

test("what is thrown aborts the transaction and is thrown again, and nothing of it is ever shown", async () => {
  const { producer, client, committed, transactions } = await transacting();
  const thrown = producer.transaction(async (tx) => {
    await sendTo(tx, "gone");
    throw new RangeError("no money");
  });
  await expect(thrown).rejects.toThrow(RangeError);
  await producer.transaction((tx) => sendTo(tx, "kept"));
  expect(transactions.ends).toEqual(["abort", "commit"]);
  expect(await committed()).toEqual({ values: ["kept"], lag: 0 });
  await client.close();
});

test("each transaction has the next epoch, in which sequences begin at 0", async () => {
  const { producer, client, sequences } = await transacting({ batchBytes: 1 });
  for (const name of ["a", "b"]) {
    const tx = await producer.beginTransaction();
    await sendTo(tx, `${name}1`);
    await sendTo(tx, `${name}2`);
    await tx.commit();
  }
  const aborted = await producer.beginTransaction();
  await sendTo(aborted, "c1");
  await aborted.abort();
  await producer.transaction((tx) => sendTo(tx, "d1"));
  expect(sequences()).toEqual([
    [0, 0, 0],
    [0, 0, 1],
    [0, 1, 0],
    [0, 1, 1],
    [0, 2, 0],
    [0, 3, 0],
  ]);
  await client.close();
});

test("work may end its transaction itself, and what it leaves under way is waited for", async () => {
  const { producer, client, committed, transactions } = await transacting();
  await producer.transaction(async (tx) => {
    await sendTo(tx, "a");
    await tx.commit();
  });
  await producer.transaction(async (tx) => {
    await sendTo(tx, "b");
    void tx.abort();
  });
  await producer.transaction(async (tx) => {
    await sendTo(tx, "c");
    void tx.commit();
  });
  expect(transactions.ends).toEqual(["commit", "abort", "commit"]);
  expect((await committed()).values).toEqual(["a", "c"]);
  await client.close();
});

test("a transaction that goes out of scope is aborted, unless it was ended", async () => {
  const { producer, client, transactions } = await transacting();
  for (const act of [async () => {}, "commit", "abort"] as const) {
    const tx = await producer.beginTransaction();
    await sendTo(tx, "a");
    await (typeof act === "string" ? tx[act]() : act());
    await tx[Symbol.asyncDispose]();
  }
  expect(transactions.ends).toEqual(["abort", "commit", "abort"]);
  await client.close();
});

test("an abort drops what was not sent yet, and those sends say so, also without anybody who waits", async () => {
  const { producer, client, broker, transactions } = await transacting({ lingerMs: 60_000 });
  const tx = await producer.beginTransaction();
  const sent = failure(sendTo(tx, "a"));
  void sendTo(tx, "b", 1);
  void tx.sendMany([{ topic: "nowhere", value: "c" }]);
  await tx.abort();
  expect(await sent).toMatchObject({ code: "TRANSACTION_ABORTED", abortable: true });
  expect([broker.produced.length, transactions.ends]).toEqual([0, ["abort"]]);
  expect(producer.buffered).toEqual({ records: 0, bytes: 0 });
  await producer.transaction((next) => void sendTo(next, "d"));
  expect(broker.values("orders", 0)).toContain("d");
  await client.close();
});

test("an abort does not wait for a produce that has no answer, which comes too late for the next transaction", async () => {
  const { producer, client, broker, peer, committed } = await transacting();
  const tx = await producer.beginTransaction();
  await sendTo(tx, "first");
  broker.byHand("produce", 1);
  const sent = failure(sendTo(tx, "late"));
  const late = await peer.next("produce");
  await tx.abort();
  expect((await sent).code).toBe("TRANSACTION_ABORTED");
  const next = await producer.beginTransaction();
  broker.answerProduce(late);
  await sendTo(next, "kept");
  await next.commit();
  expect(await committed()).toEqual({ values: ["kept"], lag: 0 });
  await client.close();
});

test("a transaction that is over takes nothing more, and says so", async () => {
  const { producer, client, transactions } = await transacting();
  const tx = await producer.beginTransaction();
  await tx.commit();
  await tx.commit();
  const offsets = [{ topic: "orders", partition: 0, offset: 1 }];
  for (const act of [
    () => sendTo(tx, "a"),
    () => tx.sendMany([{ topic: "orders", value: "a" }]),
    () => tx.sendOffsets({ groupId: "g", offsets }),
    () => tx.abort(),
  ]) {
    const error = await failure(act());
    expect(error).toMatchObject({ code: "USAGE", retriable: false, abortable: false, fatal: false });
    expect(error.message).toContain("is committed; begin another one");
  }
  const aborted = await producer.beginTransaction();
  await aborted.abort();
  await aborted.abort();
  expect((await failure(aborted.commit())).message).toContain("is aborted");
  expect(transactions.ends).toEqual(["commit", "abort"]);
  await client.close();
});

test("one transaction is open at a time", async () => {
  const { producer, client } = await transacting();
  const beginning = producer.beginTransaction();
  expect((await failure(producer.beginTransaction())).message).toContain("is being begun");
  const tx = await beginning;
  expect((await failure(producer.beginTransaction())).message).toContain("commit or abort it first");
  const committing = tx.commit();
  expect((await failure(producer.beginTransaction())).message).toContain("still committing");
  expect((await failure(tx.abort())).message).toContain("still committing");
  await committing;
  await client.close();
});

test("a transactional producer refuses plain sends, and a plain producer transactions, before anything is sent", async () => {
  const { producer, client, peer } = await transacting();
  const refusals = [
    producer.send({ topic: "orders", value: "a" }),
    producer.sendMany([{ topic: "orders", value: "a" }]),
    client.producer().beginTransaction(),
    client.producer({ idempotent: true }).transaction(() => {}),
  ];
  const messages = (await Promise.all(refusals.map(failure))).map(
    ({ code, message }) => `${code} ${message}`,
  );
  expect(messages).toEqual([
    expect.stringContaining("USAGE send: a transactional producer sends in transactions"),
    expect.stringContaining("USAGE sendMany: a transactional producer sends in transactions"),
    expect.stringContaining("USAGE beginTransaction needs transactions"),
    expect.stringContaining("USAGE transaction needs transactions"),
  ]);
  await quiet();
  expect(peer.unread).toHaveLength(0);
  await client.close();
});

test("options that do not fit to transactions are refused", async () => {
  const { client } = await transacting();
  for (const [options, message] of [
    [{ transactionalId: "" }, "transactionalId is"],
    [{ transactionalId: ID, idempotent: false }, "idempotent is false"],
    [{ transactionalId: ID, name: "n" }, "name is"],
    [{ transactionalId: ID, acks: 1 }, "acks is 1"],
    [{ transactionalId: ID, transactionTimeoutMs: 0 }, "transactionTimeoutMs is 0"],
    [{ transactionTimeoutMs: 5 }, "transactionTimeoutMs is for a producer with a transactionalId"],
  ] as const)
    expect(() => client.producer(options)).toThrow(message);
  await client.close();
});

test("a signal aborts a transaction whose commit was not asked for, and its reason is thrown", async () => {
  const { producer, client, transactions } = await transacting();
  const abort = new AbortController();
  const running = producer.transaction(
    async (tx) => {
      await sendTo(tx, "gone");
      abort.abort(new Error("enough"));
      await new Promise(() => {});
    },
    { signal: abort.signal },
  );
  await expect(running).rejects.toThrow("enough");
  expect(transactions.ends).toEqual(["abort"]);
  await client.close();
});

test("work that goes on after its transaction was aborted sends into nothing, and does not end the process", async () => {
  const { producer, client, broker } = await transacting();
  const abort = new AbortController();
  const working = { goOn: () => {} };
  const running = producer.transaction(
    async (tx) => {
      await new Promise<void>((resolve) => {
        working.goOn = resolve;
      });
      void sendTo(tx, "late");
    },
    { signal: abort.signal },
  );
  await quiet();
  abort.abort(new Error("enough"));
  await expect(running).rejects.toThrow("enough");
  working.goOn();
  await quiet();
  expect(broker.produced).toHaveLength(0);
  await client.close();
});

test("a transaction that was begun for nobody is aborted", async () => {
  const { producer, client, broker, peer, transactions } = await transacting();
  broker.byHand("begin_transaction", 1);
  const abort = new AbortController();
  const beginning = producer.beginTransaction({ signal: abort.signal });
  const request = await peer.next("begin_transaction");
  abort.abort(new Error("enough"));
  await expect(beginning).rejects.toThrow("enough");
  transactions.answerBegin(request);
  await quiet();
  expect(transactions.ends).toEqual(["abort"]);
  await producer.transaction((tx) => sendTo(tx, "a"));
  await client.close();
});

test("a close aborts what is open, and leaves neither a request nor a timer", async () => {
  const { producer, client, clock, transactions, broker } = await transacting({ lingerMs: 60_000 });
  const tx = await producer.beginTransaction();
  const sent = failure(sendTo(tx, "gone"));
  await producer.close();
  expect((await sent).code).toBe("TRANSACTION_ABORTED");
  expect([transactions.ends, broker.produced.length]).toEqual([["abort"], 0]);
  expect((await failure(producer.beginTransaction())).code).toBe("CLOSED");
  expect((await failure(sendTo(tx, "b"))).code).toBe("USAGE");
  await client.close();
  expect(clock.waiting).toBe(0);
});

test("a close ends what waits to be tried again, and leaves no timer", async () => {
  for (const operation of ["send_offsets", "begin_transaction", "end_transaction"] as const) {
    const { producer, client, clock, broker, peer } = await transacting();
    const offsets = [{ topic: "orders", partition: 0, offset: 1 }];
    broker.byHand(operation, 1);
    const running = failure(
      producer.transaction(async (tx) => {
        await sendTo(tx, "a");
        await tx.sendOffsets({ groupId: "g", offsets });
      }),
    );
    (await peer.next(operation)).refuse("NOT_ENOUGH_REPLICAS");
    await quiet();
    expect(clock.waiting).toBe(1);
    await producer.close();
    expect((await running).code).toBe("NOT_ENOUGH_REPLICAS");
    expect(clock.waiting).toBe(0);
    await client.close();
  }
});

test("a close waits for a commit that is under way, but no longer than its time", async () => {
  for (const isAnswered of [true, false]) {
    const { producer, client, clock, broker, peer, transactions } = await transacting();
    const tx = await producer.beginTransaction();
    await sendTo(tx, "a");
    broker.byHand("end_transaction", 1);
    const committed = tx.commit().then(
      () => "committed",
      ({ code }) => code,
    );
    const request = await peer.next("end_transaction");
    const closed = producer.close({ timeoutMs: 2_000 });
    await quiet();
    if (isAnswered) transactions.answerEnd(request);
    else clock.advance(2_000);
    expect(await committed).toBe(isAnswered ? "committed" : "CLOSED");
    await closed;
    await client.close();
    expect(clock.waiting).toBe(0);
  }
});
