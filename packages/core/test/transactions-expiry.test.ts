/** The step: transactions that are open for too long, ends that were not completed, ids that nobody uses. */
import { describe, expect, test } from "vitest";
import type { BrokerCluster } from "../src/cluster/cluster.ts";
import { ManualClock } from "../src/env/clock.ts";
import { committed } from "./offsets-world.ts";
import {
  A,
  B,
  committedIn,
  logOf,
  openTransactions,
  stateOf,
  TransactionalProducer,
} from "./transactional-producer.ts";
import { memoryWorld, rejection, type World } from "./world.ts";

const NOTHING = { aborted: [], completed: [], forgotten: [], failed: [], repaired: [], loaded: [] };
const ABORTED = { code: "TRANSACTION_ABORTED" };

async function withOpen(
  timeoutMs = 1_000,
): Promise<{ world: World; cluster: BrokerCluster; producer: TransactionalProducer }> {
  const world = memoryWorld();
  const cluster = await openTransactions(world);
  const producer = await new TransactionalProducer(cluster).init({ timeoutMs });
  await producer.begin();
  await producer.send(A, "1");
  await producer.sendOffsets("readers", "a:0=5");
  return { world, cluster, producer };
}

describe("a transaction that is open for longer than its timeout", () => {
  test("is aborted by the step, and not before", async () => {
    const { world, cluster } = await withOpen();
    world.clock.advance(1_000);
    expect(await cluster.transactions.expire()).toEqual(NOTHING);
    world.clock.advance(1);
    expect(await cluster.transactions.expire()).toEqual({ ...NOTHING, aborted: ["billing"] });
    expect(logOf(cluster, A)).toEqual(["1", "abort"]);
    expect(await committed(cluster, "readers")).toEqual([]);
    expect((await cluster.transactions.describe("billing")).lastEnd).toMatchObject({ cause: "timeout" });
    expect(await cluster.transactions.expire()).toEqual(NOTHING);
    await cluster.close();
  });

  test("is told to its producer on every path, which goes on with the epoch that it gets for its own (KIP-588)", async () => {
    const { world, cluster, producer } = await withOpen();
    world.clock.advance(1_001);
    await cluster.transactions.expire();
    const told = [producer.begin(), producer.send(A, "2"), producer.sendOffsets("readers", "a:0=6")];
    for (const refused of [...told, producer.end(true), producer.end(false)])
      expect(await rejection(refused)).toMatchObject({ ...ABORTED, details: { cause: "timeout" } });
    await producer.init({ current: producer.identity });
    expect(producer.identity.producerEpoch).toBe(1);
    await producer.begin();
    await producer.send(A, "3");
    await producer.commit();
    expect(committedIn(cluster, A)).toEqual(["3"]);
    await cluster.close();
  });

  test("is not aborted when it ends while the step looks", async () => {
    const { world, cluster, producer } = await withOpen();
    world.clock.advance(1_001);
    const end = producer.end(true);
    expect((await cluster.transactions.expire()).aborted).toEqual([]);
    await end;
    expect(committedIn(cluster, A)).toEqual(["1"]);
    await cluster.close();
  });

  test("is so also when the time of day went back, by a clock that never does", async () => {
    const world = memoryWorld();
    world.clock.advance(3_600_000);
    const before = await openTransactions(world);
    const producer = await new TransactionalProducer(before).init({ timeoutMs: 1_000 });
    await producer.begin();
    await producer.send(A, "1");
    await before.close();
    const clock = new ManualClock();
    const cluster = await openTransactions({ ...world, clock });
    await cluster.transactions.describe("billing");
    clock.advance(1_000);
    expect(await cluster.transactions.expire()).toEqual(NOTHING);
    clock.advance(1);
    expect(await cluster.transactions.expire()).toEqual({ ...NOTHING, aborted: ["billing"] });
    expect(logOf(cluster, A)).toEqual(["1", "abort"]);
    await cluster.close();
  });

  test("is so also when the broker was down meanwhile", async () => {
    const { world, cluster } = await withOpen();
    await cluster.close();
    world.clock.advance(1_001);
    const again = await openTransactions(world);
    expect(await again.transactions.expire()).toMatchObject({ aborted: ["billing"] });
    expect(logOf(again, A)).toEqual(["1", "abort"]);
    await again.close();
  });
});

describe("an operator", () => {
  test("aborts an open transaction without its producer, which is told so; where none is open there is nothing to abort", async () => {
    const { cluster, producer } = await withOpen();
    expect(await cluster.transactions.abort("billing")).toBe(true);
    expect(logOf(cluster, A)).toEqual(["1", "abort"]);
    expect(await cluster.transactions.abort("billing")).toBe(false);
    expect(await rejection(producer.commit())).toMatchObject({ ...ABORTED, details: { cause: "operator" } });
    await producer.init({ current: producer.identity });
    await producer.begin();
    await producer.commit();
    await cluster.close();
  });

  test("may name the transaction that is meant: again it is the same answer, and the next one is left alone, however late it comes", async () => {
    const { cluster, producer } = await withOpen();
    const { identity: meant } = producer;
    const abort = () => cluster.transactions.abort("billing", { producer: meant });
    expect([await abort(), await abort()]).toEqual([true, true]);
    await producer.init({ current: meant });
    expect([await abort(), await stateOf(cluster)]).toEqual([true, "complete_abort"]);
    await producer.begin();
    await producer.send(A, "2");
    expect([await abort(), await stateOf(cluster)]).toEqual([true, "ongoing a-0"]);
    await producer.commit();
    expect([await abort(), committedIn(cluster, A)]).toEqual([false, ["2"]]);
    await cluster.close();
  });

  test("who names a transaction that its producer has ended, or a newer instance, is told that it is not open", async () => {
    const { cluster, producer } = await withOpen();
    const { identity: first } = producer;
    await producer.commit();
    expect(await cluster.transactions.abort("billing", { producer: first })).toBe(false);
    const { identity: second } = await producer.begin();
    const newer = await new TransactionalProducer(cluster).init();
    await newer.begin();
    expect(await cluster.transactions.abort("billing", { producer: second })).toBe(false);
    expect(await stateOf(cluster)).toBe("ongoing");
    expect(await cluster.transactions.abort("billing", { producer: newer.identity })).toBe(true);
    await cluster.close();
  });

  test("who names a producer that nobody is yet is refused, and what is open stays open", async () => {
    const { cluster, producer } = await withOpen();
    const { producerId, producerEpoch } = producer.identity;
    for (const unknown of [
      { producerId, producerEpoch: producerEpoch + 1 },
      { producerId: producerId + 1, producerEpoch },
    ])
      expect(await rejection(cluster.transactions.abort("billing", { producer: unknown }))).toMatchObject({
        code: "UNKNOWN_PRODUCER_ID",
      });
    await producer.commit();
    await cluster.close();
  });

  test("who names a transaction waits for its end alone, which goes on where it was stopped", async () => {
    const { world, cluster, producer } = await withOpen();
    const { identity: meant } = producer;
    world.faults.arm({ point: "transaction.marker.before_append", action: "error" });
    const abort = () => cluster.transactions.abort("billing", { producer: meant });
    expect(await rejection(abort())).toMatchObject({ details: { decided: "abort" } });
    expect([await abort(), await stateOf(cluster)]).toEqual([true, "complete_abort"]);
    await producer.init({ current: meant });
    await producer.begin();
    await producer.send(A, "2");
    world.faults.arm({ point: "transaction.prepare.after_write", action: "error" });
    await rejection(producer.end(true));
    expect([await abort(), await stateOf(cluster)]).toEqual([false, "prepare_commit a-0"]);
    await producer.commit();
    await cluster.close();
  });

  test("completes what was decided, as it was decided", async () => {
    const { world, cluster, producer } = await withOpen();
    world.faults.arm({ point: "transaction.prepare.after_write", action: "error" });
    await rejection(producer.end(true));
    expect(await cluster.transactions.abort("billing")).toBe(false);
    expect([committedIn(cluster, A), await stateOf(cluster)]).toEqual([["1"], "complete_commit"]);
    await cluster.close();
  });
});

describe("an end that was decided and not completed", () => {
  test("is completed by the step, whatever its time; one that fails stops no other", async () => {
    const { world, cluster, producer } = await withOpen();
    const other = await new TransactionalProducer(cluster, "other").init();
    await other.begin();
    await other.send(B, "2");
    const after = { point: "transaction.prepare.after_write", action: "error", times: "always" } as const;
    const decided = world.faults.arm(after);
    await rejection(producer.end(true));
    await rejection(other.end(false));
    world.faults.disarm(decided);
    const site = { topic: "a" };
    const stuck = world.faults.arm({
      point: "transaction.marker.before_append",
      action: "error",
      times: "always",
      site,
    });
    const expired = await cluster.transactions.expire();
    expect(expired).toMatchObject({ aborted: [], completed: ["other"], forgotten: [] });
    expect(expired.failed).toMatchObject([{ transactionalId: "billing", error: { code: "STORAGE_ERROR" } }]);
    expect([committedIn(cluster, A), logOf(cluster, B)]).toEqual([[], ["2", "abort"]]);
    world.faults.disarm(stuck);
    expect(await cluster.transactions.expire()).toEqual({ ...NOTHING, completed: ["billing"] });
    expect([committedIn(cluster, A), await committed(cluster, "readers")]).toEqual([["1"], ["a:0=5"]]);
    await cluster.close();
  });
});

describe("an id that nobody uses", () => {
  test("is forgotten after its time, unless a transaction is open, and never while it is used", async () => {
    const world = memoryWorld();
    const cluster = await openTransactions(world, { config: { transactionalIdExpirationMs: 10_000 } });
    const unused = await new TransactionalProducer(cluster, "unused").init();
    const ended = await new TransactionalProducer(cluster, "ended").init();
    await ended.begin();
    await ended.commit();
    const open = await new TransactionalProducer(cluster, "open").init();
    await open.begin();
    world.clock.advance(9_999);
    expect(await cluster.transactions.expire()).toEqual(NOTHING);
    await ended.begin();
    await ended.commit();
    world.clock.advance(1);
    expect(await cluster.transactions.expire()).toEqual({ ...NOTHING, forgotten: ["unused"] });
    expect(await rejection(unused.begin())).toMatchObject({ code: "UNKNOWN_TRANSACTIONAL_ID" });
    const { producerId } = unused.identity;
    await unused.init({ current: unused.identity });
    expect(unused.identity.producerEpoch).toBe(0);
    expect(unused.identity.producerId).toBeGreaterThan(producerId);
    expect(world.events.of("transactional_id_forgotten")).toMatchObject([{ transactionalId: "unused" }]);
    await cluster.close();
    const again = await openTransactions(world);
    const listed = await again.transactions.list();
    expect(listed.transactions.map(({ transactionalId }) => transactionalId)).toEqual([
      "ended",
      "open",
      "unused",
    ]);
    await again.close();
  });
});

test("while nobody has asked for a transactional id the step has nothing to do, and makes no topic", async () => {
  const cluster = await openTransactions(memoryWorld());
  expect(await cluster.transactions.expire()).toEqual(NOTHING);
  expect(cluster.hasTopic("__transaction_state")).toBe(false);
  await cluster.close();
});
