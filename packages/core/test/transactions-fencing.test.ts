/** Instances of one transactional id: the newest alone has a say, on every path, and a repeated request has one answer. */

import { encodeBatch } from "@minikafka/record";
import { describe, expect, test } from "vitest";
import type { BrokerCluster } from "../src/cluster/cluster.ts";
import { frameOf } from "../src/coordinator/coordinator-record.ts";
import type { BrokerError } from "../src/errors.ts";
import { transactionRecord } from "../src/transaction/transaction-record.ts";
import { GIVEN_EPOCH_MAX, newTransaction } from "../src/transaction/transaction-state.ts";
import { FOLDER } from "./cluster-world.ts";
import { committed } from "./offsets-world.ts";
import {
  A,
  B,
  committedIn,
  logOf,
  openTransactions,
  stateOf,
  TRANSACTIONS_TOPIC,
  TransactionalProducer,
} from "./transactional-producer.ts";
import { memoryWorld, rejection, type World } from "./world.ts";

const IDS_FILE = `${FOLDER}/producer-ids.json`;
const FENCED = { code: "PRODUCER_FENCED" };

async function twoInstances(
  world: World = memoryWorld(),
): Promise<{ cluster: BrokerCluster; old: TransactionalProducer; next: TransactionalProducer }> {
  const cluster = await openTransactions(world);
  const old = await new TransactionalProducer(cluster).init();
  await old.begin();
  await old.send(A, "old");
  await old.sendOffsets("readers", "a:0=5");
  const next = await new TransactionalProducer(cluster).init();
  return { cluster, old, next };
}

/** The cluster of `world` as it is after so many transactions, of which only the last record counts. */
async function reopenedInEpoch(
  world: World,
  producerId: number,
  producerEpoch: number,
): Promise<BrokerCluster> {
  const cluster = await openTransactions(world);
  const lived = { ...newTransaction("billing"), state: "empty" as const, producerId, producerEpoch };
  const set = cluster.replicaSet({ topic: TRANSACTIONS_TOPIC, partition: 0 });
  await set.append(frameOf([transactionRecord(lived)], 0), { acks: "all" }).acknowledged;
  await cluster.close();
  return openTransactions(world);
}

describe("a new instance", () => {
  test("has the same producer id and a later epoch, and the open transaction of the one before is aborted first", async () => {
    const world = memoryWorld();
    const { cluster, old, next } = await twoInstances(world);
    expect(next.identity.producerId).toBe(old.identity.producerId);
    // One is for the end of the transaction, which nobody had asked for.
    expect(next.identity.producerEpoch).toBe(old.identity.producerEpoch + 2);
    expect([logOf(cluster, A), committedIn(cluster, A)]).toEqual([["old", "abort"], []]);
    expect(world.events.of("transaction_prepared")).toMatchObject([{ committed: false, cause: "fenced" }]);
    expect(await stateOf(cluster)).toBe("empty");
    await next.begin();
    await next.send(A, "next");
    await next.commit();
    expect(committedIn(cluster, A)).toEqual(["next"]);
    expect(await committed(cluster, "readers")).toEqual([]);
    await cluster.close();
  });

  test("fences the one before on every path", async () => {
    const { cluster, old, next } = await twoInstances();
    await next.begin();
    const before = await cluster.transactions.describe("billing");
    expect(await rejection(old.begin())).toMatchObject(FENCED);
    expect(await rejection(old.send(A, "late"))).toMatchObject(FENCED);
    expect(await rejection(old.send(B, "late"))).toMatchObject(FENCED);
    expect(await rejection(old.sendOffsets("readers", "a:0=9"))).toMatchObject(FENCED);
    expect(await rejection(old.commit())).toMatchObject(FENCED);
    expect(await rejection(old.abort())).toMatchObject(FENCED);
    expect(await rejection(old.init({ current: old.identity }))).toMatchObject(FENCED);
    expect(await cluster.transactions.describe("billing")).toEqual(before);
    expect([logOf(cluster, A), logOf(cluster, B)]).toEqual([["old", "abort"], []]);
    await cluster.close();
  });

  test("finishes what the one before has decided: a commit stays one", async () => {
    const world = memoryWorld();
    const cluster = await openTransactions(world);
    const old = await new TransactionalProducer(cluster).init();
    await old.begin();
    await old.send(A, "1");
    world.faults.arm({ point: "transaction.prepare.after_write", action: "error" });
    expect(await rejection(old.commit())).toMatchObject({ code: "STORAGE_ERROR" });
    expect([await stateOf(cluster), committedIn(cluster, A)]).toEqual(["prepare_commit a-0", []]);
    const next = await new TransactionalProducer(cluster).init();
    expect(committedIn(cluster, A)).toEqual(["1"]);
    expect(next.identity.producerEpoch).toBe(2);
    await cluster.close();
  });

  test("one after another, each called before the last was answered, get later identities in the order of the calls", async () => {
    const cluster = await openTransactions(memoryWorld());
    const old = await new TransactionalProducer(cluster).init();
    await old.begin();
    await old.send(A, "1");
    const instances = Array.from({ length: 5 }, () => new TransactionalProducer(cluster));
    await Promise.all(instances.map((instance) => instance.init()));
    const epochs = instances.map(({ identity }) => identity.producerEpoch);
    expect(epochs).toEqual([2, 3, 4, 5, 6]);
    const newest = instances.at(-1);
    await newest?.begin();
    for (const instance of instances)
      if (instance !== newest) expect(await rejection(instance.begin())).toMatchObject(FENCED);
    await cluster.close();
  });
});

describe("an end that is repeated", () => {
  test("has the same answer, and no second marker; the other end is refused", async () => {
    for (const commit of [true, false]) {
      const cluster = await openTransactions(memoryWorld());
      const producer = await new TransactionalProducer(cluster).init();
      const { caller } = producer;
      await producer.begin();
      await producer.send(A, "1");
      const answers = await Promise.all([producer.end(commit), producer.end(commit, caller)]);
      answers.push(await producer.end(commit, caller));
      const next = { producerId: caller.producerId, producerEpoch: 1 };
      expect(answers).toEqual([next, next, next]);
      expect(await rejection(producer.end(!commit, caller))).toMatchObject({
        code: "INVALID_TRANSACTION_STATE",
        details: { committed: commit },
      });
      producer.identity = next;
      await producer.begin();
      expect(await producer.end(commit, caller)).toEqual(next);
      expect(await stateOf(cluster)).toBe("ongoing");
      expect(logOf(cluster, A)).toEqual(["1", commit ? "commit" : "abort"]);
      await cluster.close();
    }
  });

  test("goes on where the first was stopped, at whatever point, which says whether it was decided", async () => {
    const points = [
      ["transaction.prepare.before_write", false],
      ["transaction.prepare.after_write", true],
      ["transaction.marker.before_append", true],
      ["transaction.marker.after_append", true],
      ["transaction.complete.before_write", true],
      ["transaction.complete.after_write", true],
    ] as const;
    for (const [point, isDecided] of points) {
      const world = memoryWorld();
      const cluster = await openTransactions(world);
      const producer = await new TransactionalProducer(cluster).init();
      await producer.begin();
      await producer.send(A, "1");
      await producer.send(B, "2");
      world.faults.arm({ point, action: "error" });
      const refused = await rejection(producer.end(true));
      expect(refused, point).toMatchObject({ code: "STORAGE_ERROR" });
      const { details } = refused as BrokerError;
      expect([point, details.decided]).toEqual([point, isDecided ? "commit" : undefined]);
      expect(world.events.of("fault_fired"), point).toHaveLength(1);
      await producer.commit();
      expect([logOf(cluster, A), logOf(cluster, B)], point).toEqual([
        ["1", "commit"],
        ["2", "commit"],
      ]);
      expect([producer.identity.producerEpoch, await stateOf(cluster)], point).toEqual([
        1,
        "complete_commit",
      ]);
      await cluster.close();
    }
  });

  test("in the other direction is not said to be decided, and an operator's abort that fails is", async () => {
    const world = memoryWorld();
    const cluster = await openTransactions(world);
    const producer = await new TransactionalProducer(cluster).init();
    await producer.begin();
    await producer.send(A, "1");
    world.faults.arm({ point: "transaction.marker.before_append", action: "error" });
    expect(await rejection(cluster.transactions.abort("billing"))).toMatchObject({
      code: "STORAGE_ERROR",
      message: expect.stringContaining('the abort of the transaction of "billing" is decided'),
      details: { decided: "abort" },
    });
    const refused = (await rejection(producer.end(true))) as BrokerError;
    expect([refused.code, refused.details.decided]).toEqual(["TRANSACTION_ABORTED", undefined]);
    expect(await cluster.transactions.abort("billing")).toBe(false);
    expect(logOf(cluster, A)).toEqual(["1", "abort"]);
    await cluster.close();
  });

  test("of a transaction before the last is fenced", async () => {
    const cluster = await openTransactions(memoryWorld());
    const producer = await new TransactionalProducer(cluster).init();
    const { caller } = producer;
    await producer.begin();
    await producer.commit();
    await producer.begin();
    await producer.commit();
    expect(await rejection(producer.end(true, caller))).toMatchObject(FENCED);
    await cluster.close();
  });
});

describe("what is late of a transaction", () => {
  test("never joins the next one (KIP-890)", async () => {
    const cluster = await openTransactions(memoryWorld());
    const producer = await new TransactionalProducer(cluster).init();
    await producer.begin();
    const { caller, transactionalId } = producer;
    const first = producer.batch(A, "first");
    const late = producer.batch(A, "late");
    await cluster.transactions.append(A, first, { transactionalId });
    await producer.commit();
    await producer.begin();
    await producer.send(A, "second");
    expect(await rejection(cluster.transactions.append(A, late, { transactionalId }))).toMatchObject(FENCED);
    const offsets = [{ topic: "a", partition: 0, offset: 1, metadata: null }];
    const lateOffsets = { ...caller, groupId: "readers", member: null, offsets };
    expect(await rejection(cluster.transactions.sendOffsets(lateOffsets))).toMatchObject(FENCED);
    // The late end is a repetition of the first, and leaves the second open.
    await producer.end(true, caller);
    expect(await stateOf(cluster)).toBe("ongoing a-0");
    await producer.abort();
    expect(committedIn(cluster, A)).toEqual(["first"]);
    await cluster.close();
  });

  test("a batch that comes twice is appended once", async () => {
    const cluster = await openTransactions(memoryWorld());
    const producer = await new TransactionalProducer(cluster).init();
    const { transactionalId } = producer;
    await producer.begin();
    const frame = producer.batch(A, "1");
    const first = await cluster.transactions.append(A, Buffer.from(frame), { transactionalId });
    const again = await cluster.transactions.append(A, Buffer.from(frame), { transactionalId });
    expect([first.duplicate, again.duplicate, again.baseOffset]).toEqual([false, true, first.baseOffset]);
    await producer.commit();
    expect(committedIn(cluster, A)).toEqual(["1"]);
    await cluster.close();
  });
});

describe("who gives back its identity (KIP-360)", () => {
  test("has its open transaction aborted and goes on in the next epoch; asked again, it is the same one", async () => {
    const cluster = await openTransactions(memoryWorld());
    const producer = await new TransactionalProducer(cluster).init();
    await producer.begin();
    await producer.send(A, "dropped");
    const current = producer.identity;
    await producer.init({ current });
    expect(producer.identity.producerEpoch).toBe(1);
    expect(logOf(cluster, A)).toEqual(["dropped", "abort"]);
    expect((await new TransactionalProducer(cluster).init({ current })).identity).toEqual(producer.identity);
    await producer.init({ current: producer.identity });
    expect(producer.identity.producerEpoch).toBe(2);
    await producer.begin();
    await producer.send(A, "kept");
    await producer.commit();
    expect(committedIn(cluster, A)).toEqual(["kept"]);
    await cluster.close();
  });

  test("of another's, or of nobody's, is refused", async () => {
    const cluster = await openTransactions(memoryWorld());
    const producer = await new TransactionalProducer(cluster).init();
    const plain = cluster.initProducer({});
    const { producerId } = producer.identity;
    expect(await rejection(producer.init({ current: plain }))).toMatchObject({ code: "UNKNOWN_PRODUCER_ID" });
    expect(await rejection(producer.init({ current: { producerId, producerEpoch: 5 } }))).toMatchObject({
      code: "UNKNOWN_PRODUCER_ID",
    });
    await cluster.close();
  });
});

describe("a producer id of a transactional id", () => {
  test("is nobody else's: no other init gets it or an epoch of it, and no plain batch is taken with it, also after a restart", async () => {
    const world = memoryWorld();
    let cluster = await openTransactions(world);
    const named = cluster.initProducer({ name: "billing" });
    const producer = await new TransactionalProducer(cluster).init();
    const { identity } = producer;
    for (const _life of ["first", "second"]) {
      expect(cluster.initProducer({}).producerId).toBeGreaterThan(identity.producerId);
      expect(identity.producerId).not.toBe(named.producerId);
      const taking = async () => cluster.initProducer({ current: identity });
      expect(await rejection(taking())).toMatchObject({ code: "INVALID_REQUEST" });
      const records = [{ key: null, value: null, timestampMs: 0, headers: [] }];
      const plain = encodeBatch({ records, ...identity, baseSequence: 0 });
      expect(await rejection(cluster.appendBatch(A, plain, { acks: "all" }))).toMatchObject({
        code: "INVALID_TRANSACTION_STATE",
      });
      await cluster.close();
      cluster = await openTransactions(world);
      await cluster.transactions.settled();
    }
    await cluster.close();
  });

  test("counts as given also when an older file of given ids was put back, and nothing was written with it", async () => {
    const world = memoryWorld();
    await (await openTransactions(world)).close();
    const older = Buffer.from(world.disk.files().get(IDS_FILE) ?? []);
    const first = await openTransactions(world);
    const { identity } = await new TransactionalProducer(first).init();
    await first.close();
    const file = world.disk.openFile(IDS_FILE);
    file.truncate(0);
    file.writeAt(0, older);
    file.close();
    const again = await openTransactions(world);
    await again.transactions.settled();
    expect(again.initProducer({}).producerId).toBeGreaterThan(identity.producerId);
    await again.close();
  });

  test("is another one when the epochs are used up, and nothing of the old one is taken then", async () => {
    const world = memoryWorld();
    const first = await openTransactions(world);
    const { producerId } = (await new TransactionalProducer(first).init()).identity;
    await first.close();
    const cluster = await reopenedInEpoch(world, producerId, GIVEN_EPOCH_MAX - 1);
    const producer = await new TransactionalProducer(cluster).init();
    expect(producer.identity).toEqual({ producerId, producerEpoch: GIVEN_EPOCH_MAX });
    const { caller } = producer;
    await producer.begin();
    await producer.send(A, "last");
    await producer.commit();
    expect(producer.identity.producerId).toBeGreaterThan(producerId);
    expect(producer.identity.producerEpoch).toBe(0);
    expect(await producer.end(true, caller)).toEqual(producer.identity);
    await producer.begin();
    await producer.send(A, "first");
    expect(await rejection(cluster.transactions.begin(caller))).toMatchObject(FENCED);
    await producer.commit();
    expect(committedIn(cluster, A)).toEqual(["last", "first"]);
    await cluster.close();
  });
});
