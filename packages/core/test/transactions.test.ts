/** What producers of transactions are promised, with one broker. */
import { describe, expect, test } from "vitest";
import { batchOf, valuesOf } from "./cluster-world.ts";
import { commit, committed } from "./offsets-world.ts";
import {
  A,
  B,
  committedIn,
  logOf,
  openTransactions,
  stateOf,
  TRANSACTIONS_TOPIC,
  TransactionalProducer,
  transactionalBatch,
} from "./transactional-producer.ts";
import { memoryWorld, rejection, START_MS } from "./world.ts";

describe("a transaction", () => {
  test("is seen when it is committed, in every partition, and not before", async () => {
    const cluster = await openTransactions(memoryWorld());
    const producer = await new TransactionalProducer(cluster).init();
    await producer.begin();
    await producer.send(A, "1", "2");
    await producer.send(B, "3");
    await producer.send(A, "4");
    expect([committedIn(cluster, A), committedIn(cluster, B)]).toEqual([[], []]);
    expect(await stateOf(cluster)).toBe("ongoing a-0,b-0");
    await producer.commit();
    expect([committedIn(cluster, A), committedIn(cluster, B)]).toEqual([["1", "2", "4"], ["3"]]);
    expect([logOf(cluster, A), logOf(cluster, B)]).toEqual([
      ["1,2", "4", "commit"],
      ["3", "commit"],
    ]);
    expect(await stateOf(cluster)).toBe("complete_commit");
    await cluster.close();
  });

  test("that is aborted stays hidden for ever, also when its id is used again, and after a restart", async () => {
    const world = memoryWorld();
    const cluster = await openTransactions(world);
    const producer = await new TransactionalProducer(cluster).init();
    await producer.begin();
    await producer.send(A, "never");
    await producer.abort();
    await producer.begin();
    await producer.send(A, "ever");
    await producer.commit();
    expect(committedIn(cluster, A)).toEqual(["ever"]);
    expect(valuesOf(cluster, A)).toContain("never");
    expect(logOf(cluster, A)).toEqual(["never", "abort", "ever", "commit"]);
    await cluster.close();
    const again = await openTransactions(world);
    await again.transactions.settled();
    expect(committedIn(again, A)).toEqual(["ever"]);
    expect(logOf(again, A)).toEqual(["never", "abort", "ever", "commit"]);
    await again.close();
  });

  test("without any record ends all the same, and leaves no marker anywhere", async () => {
    const cluster = await openTransactions(memoryWorld());
    const producer = await new TransactionalProducer(cluster).init();
    for (const end of ["commit", "abort"] as const) {
      await producer.begin();
      await producer[end]();
      expect(await stateOf(cluster)).toBe(`complete_${end}`);
    }
    expect(logOf(cluster, A)).toEqual([]);
    await cluster.close();
  });

  test("holds back what others write behind it, and only for readers of committed records", async () => {
    const cluster = await openTransactions(memoryWorld());
    const producer = await new TransactionalProducer(cluster).init();
    await producer.begin();
    await producer.send(A, "1");
    await cluster.appendBatch(A, batchOf(["plain"]), { acks: "all" });
    expect([valuesOf(cluster, A), committedIn(cluster, A)]).toEqual([["1", "plain"], []]);
    await producer.abort();
    expect(committedIn(cluster, A)).toEqual(["plain"]);
    await cluster.close();
  });

  test("of one id does not end another's", async () => {
    const cluster = await openTransactions(memoryWorld());
    const [one, other] = await Promise.all(
      ["one", "other"].map((id) => new TransactionalProducer(cluster, id).init()),
    );
    if (one === undefined || other === undefined) throw new Error("two were made");
    expect(one.identity.producerId).not.toBe(other.identity.producerId);
    await Promise.all([one.begin(), other.begin()]);
    await one.send(A, "one");
    await other.send(A, "other");
    await one.commit();
    expect(committedIn(cluster, A)).toEqual(["one"]);
    await other.abort();
    expect(committedIn(cluster, A)).toEqual(["one"]);
    await cluster.close();
  });
});

describe("a group's offsets", () => {
  test("appear together with the records, and not at all when the transaction is aborted", async () => {
    const cluster = await openTransactions(memoryWorld());
    const producer = await new TransactionalProducer(cluster).init();
    await producer.begin();
    await producer.send(B, "lost");
    await producer.sendOffsets("readers", "a:0=9");
    await producer.abort();
    expect([await committed(cluster, "readers"), committedIn(cluster, B)]).toEqual([[], []]);
    await producer.begin();
    await producer.send(B, "out");
    await producer.sendOffsets("readers", "a:0=5");
    await producer.sendOffsets("others", "a:0=6");
    expect(await stateOf(cluster)).toBe("ongoing b-0,__consumer_offsets-0");
    expect([await committed(cluster, "readers"), committedIn(cluster, B)]).toEqual([[], []]);
    await producer.commit();
    expect([await committed(cluster, "readers"), committedIn(cluster, B)]).toEqual([["a:0=5"], ["out"]]);
    expect(await committed(cluster, "others")).toEqual(["a:0=6"]);
    await cluster.close();
  });

  test("are taken of who may commit them, and a refusal leaves the transaction open", async () => {
    const cluster = await openTransactions(memoryWorld());
    const producer = await new TransactionalProducer(cluster).init();
    await commit(cluster, "readers", "a:0=1");
    const join = { groupId: "readers", memberId: "m", topics: ["a"], assignor: "roundrobin" } as const;
    const { generation } = await cluster.groups.join(join);
    await producer.begin();
    const offsets = [{ topic: "a", partition: 0, offset: 2, metadata: null }];
    const sendAs = (member: { memberId: string; generation: number } | null) =>
      cluster.transactions.sendOffsets({ ...producer.caller, groupId: "readers", member, offsets });
    expect(await rejection(sendAs(null))).toMatchObject({ code: "UNKNOWN_MEMBER" });
    expect(await rejection(sendAs({ memberId: "m", generation: generation + 1 }))).toMatchObject({
      code: "ILLEGAL_GENERATION",
    });
    await sendAs({ memberId: "m", generation });
    await producer.commit();
    expect(await committed(cluster, "readers")).toEqual(["a:0=2"]);
    await cluster.close();
  });

  test("make no topic for a request that is refused", async () => {
    const cluster = await openTransactions(memoryWorld());
    const producer = await new TransactionalProducer(cluster).init();
    expect(await rejection(producer.sendOffsets("readers", "a:0=1"))).toMatchObject({
      code: "INVALID_TRANSACTION_STATE",
    });
    expect(cluster.hasTopic("__consumer_offsets")).toBe(false);
    await cluster.close();
  });
});

describe("what is asked out of order is refused", () => {
  test("before, twice and after: the state says so", async () => {
    const cluster = await openTransactions(memoryWorld());
    const producer = await new TransactionalProducer(cluster).init();
    const invalid = { code: "INVALID_TRANSACTION_STATE" };
    expect(await rejection(producer.send(A, "early"))).toMatchObject(invalid);
    expect(await rejection(producer.commit())).toMatchObject(invalid);
    await producer.begin();
    expect(await rejection(producer.begin())).toMatchObject(invalid);
    await producer.abort();
    expect(await rejection(producer.send(A, "late"))).toMatchObject(invalid);
    expect(await rejection(producer.sendOffsets("readers", "a:0=1"))).toMatchObject(invalid);
    expect(await rejection(producer.abort())).toMatchObject(invalid);
    expect(logOf(cluster, A)).toEqual([]);
    await cluster.close();
  });

  test("of an id that nobody knows: a question makes no topic", async () => {
    const cluster = await openTransactions(memoryWorld());
    const nobody = new TransactionalProducer(cluster, "nobody");
    nobody.identity = { producerId: 0, producerEpoch: 0 };
    const unknown = { code: "UNKNOWN_TRANSACTIONAL_ID" };
    expect(await rejection(nobody.begin())).toMatchObject(unknown);
    expect(await rejection(nobody.send(A, "1"))).toMatchObject(unknown);
    expect(await rejection(nobody.commit())).toMatchObject(unknown);
    expect(await rejection(nobody.sendOffsets("readers", "a:0=1"))).toMatchObject(unknown);
    expect(await rejection(cluster.transactions.abort("nobody"))).toMatchObject(unknown);
    expect(await rejection(cluster.transactions.describe("nobody"))).toMatchObject(unknown);
    expect(await cluster.transactions.list()).toEqual({ transactions: [], unreadable: [] });
    expect(cluster.hasTopic(TRANSACTIONS_TOPIC)).toBe(false);
    await cluster.close();
  });

  test("what can be no name, no timeout, no batch or no partition, by name", async () => {
    const cluster = await openTransactions(memoryWorld(), { config: { transactionMaxTimeoutMs: 5_000 } });
    const { transactions } = cluster;
    for (const transactionalId of ["", "x".repeat(256), "\ud800"])
      expect(await rejection(transactions.init({ transactionalId }))).toMatchObject({
        code: "INVALID_REQUEST",
      });
    for (const timeoutMs of [0, 1.5, 5_001])
      expect(await rejection(transactions.init({ transactionalId: "billing", timeoutMs }))).toMatchObject({
        code: "INVALID_TRANSACTION_TIMEOUT",
        details: { max_ms: 5_000 },
      });
    const producer = await new TransactionalProducer(cluster).init();
    expect((await transactions.describe("billing")).timeoutMs).toBe(5_000);
    await producer.begin();
    const { transactionalId, identity } = producer;
    const append = (frame: Buffer, place = A) =>
      rejection(transactions.append(place, frame, { transactionalId }));
    const good = transactionalBatch(identity, 0, ["1"]);
    expect(await append(good, { topic: "none", partition: 0 })).toMatchObject({ code: "UNKNOWN_TOPIC" });
    expect(await append(good, { ...A, partition: 1 })).toMatchObject({ code: "UNKNOWN_PARTITION" });
    expect(await append(good, { topic: TRANSACTIONS_TOPIC, partition: 0 })).toMatchObject({
      code: "INVALID_TOPIC",
    });
    expect(await append(batchOf(["plain"]))).toMatchObject({ code: "INVALID_REQUEST" });
    expect(await append(Buffer.alloc(10))).toMatchObject({ code: "CORRUPT_BATCH" });
    const torn = Buffer.from(good);
    torn.writeUInt8(torn.readUInt8(30) ^ 0xff, 30);
    expect(await append(torn)).toMatchObject({ code: "CORRUPT_BATCH" });
    expect(await rejection(cluster.appendBatch(A, good, { acks: "all" }))).toMatchObject({
      code: "INVALID_TRANSACTION_STATE",
    });
    expect(logOf(cluster, A)).toEqual([]);
    expect(await stateOf(cluster)).toBe("ongoing");
    await cluster.close();
  });
});

describe("a transactional id is described", () => {
  test("with its state, its partitions, its times and how it ended", async () => {
    const world = memoryWorld();
    const cluster = await openTransactions(world);
    const producer = await new TransactionalProducer(cluster).init({ timeoutMs: 1_234 });
    const { producerId } = producer.identity;
    const shown = { transactionalId: "billing", producerId, coordinatorId: 1 };
    const described = () => cluster.transactions.describe("billing");
    const rest = { startedMs: null, partitions: [], timeoutMs: 1_234 };
    expect(await described()).toEqual({ ...shown, ...rest, state: "empty", producerEpoch: 0, lastEnd: null });
    await producer.begin();
    await producer.send(A, "1");
    world.clock.advance(100);
    const open = { state: "ongoing", producerEpoch: 0, startedMs: START_MS };
    expect(await described()).toMatchObject({ ...shown, ...open, partitions: [A], lastEnd: null });
    expect(await cluster.transactions.list()).toEqual({
      transactions: [{ ...shown, ...open, partitions: 1 }],
      unreadable: [],
    });
    await producer.commit();
    const lastEnd = {
      producerId,
      producerEpoch: 0,
      committed: true,
      cause: "request",
      endedMs: START_MS + 100,
    };
    expect(await described()).toEqual({
      ...shown,
      ...rest,
      state: "complete_commit",
      producerEpoch: 1,
      lastEnd,
    });
    await cluster.close();
  });

  test("among all, by name, or those in the states that are asked for", async () => {
    const cluster = await openTransactions(memoryWorld(), { config: { transactionsTopicPartitions: 4 } });
    for (const id of ["c", "a", "b"]) await new TransactionalProducer(cluster, id).init();
    const b = await new TransactionalProducer(cluster, "b").init();
    await b.begin();
    const names = async (...states: ("empty" | "ongoing" | "prepare_abort")[]) => {
      const listed = await cluster.transactions.list(states.length > 0 ? { states } : {});
      return listed.transactions.map(({ transactionalId }) => transactionalId);
    };
    expect(await names()).toEqual(["a", "b", "c"]);
    expect(await names("ongoing", "prepare_abort")).toEqual(["b"]);
    expect(await names("empty")).toEqual(["a", "c"]);
    await cluster.close();
  });

  test("by events, once each is acknowledged", async () => {
    const world = memoryWorld();
    const cluster = await openTransactions(world);
    const producer = await new TransactionalProducer(cluster).init();
    await producer.begin();
    await producer.send(A, "1");
    await producer.commit();
    const kinds = world.events.events
      .map(({ kind }) => kind)
      .filter((kind) => kind.startsWith("transaction"));
    expect(kinds).toEqual([
      "transaction_initialized",
      "transaction_begun",
      "transaction_partition_added",
      "transaction_prepared",
      "transaction_completed",
    ]);
    expect(world.events.of("transaction_prepared")).toMatchObject([
      { transactionalId: "billing", producerEpoch: 0, committed: true, cause: "request", partitions: 1 },
    ]);
    expect(world.events.of("transaction_completed")).toMatchObject([{ producerEpoch: 1, partitions: 1 }]);
    await cluster.close();
  });
});
