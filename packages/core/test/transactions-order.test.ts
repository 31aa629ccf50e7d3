/** What is asked of one id at once: it takes effect in the order of the calls, and never behind a decision. */
import { describe, expect, test } from "vitest";
import type { BrokerCluster } from "../src/cluster/cluster.ts";
import { outcomeOf, settle } from "./replica-world.ts";
import { replicatedUntil } from "./replicated-until.ts";
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
import { memoryWorld, rejection } from "./world.ts";

const STATES = { topic: TRANSACTIONS_TOPIC };

async function onTwoBrokers(): Promise<{ cluster: BrokerCluster; producer: TransactionalProducer }> {
  const cluster = await openTransactions(memoryWorld(), { brokers: 2 });
  const producer = new TransactionalProducer(cluster);
  await replicatedUntil(cluster, producer.init());
  await replicatedUntil(cluster, producer.begin());
  return { cluster, producer };
}

describe("a batch", () => {
  test("for a partition that the transaction has is appended within the call", async () => {
    const cluster = await openTransactions(memoryWorld());
    const producer = await new TransactionalProducer(cluster).init();
    await producer.begin();
    await producer.send(A, "1");
    const sends = [producer.send(A, "2"), producer.send(A, "3")];
    expect(logOf(cluster, A)).toEqual(["1", "2", "3"]);
    await Promise.all(sends);
    await cluster.close();
  });

  test("for a new partition is not in its log before the coordinator's record of the partition is durable", async () => {
    const { cluster, producer } = await onTwoBrokers();
    const sends = [producer.send(A, "1"), producer.send(A, "2")];
    await settle();
    expect([logOf(cluster, A), await stateOf(cluster)]).toEqual([[], "ongoing"]);
    await cluster.replicateOnce(STATES);
    await cluster.replicateOnce(STATES);
    await settle();
    expect([logOf(cluster, A), await stateOf(cluster)]).toEqual([["1", "2"], "ongoing a-0"]);
    await replicatedUntil(cluster, Promise.all(sends));
    await cluster.close();
  });

  test("whose caller has given up before that is never appended, and holds nobody up", async () => {
    const { cluster, producer } = await onTwoBrokers();
    const { transactionalId } = producer;
    const time = new AbortController();
    const frame = producer.batch(A, "given up");
    const given = rejection(cluster.transactions.append(A, frame, { transactionalId, giveUp: time.signal }));
    await settle();
    time.abort();
    expect(await given).toMatchObject({ code: "REQUEST_TIMED_OUT" });
    await replicatedUntil(cluster, producer.abort());
    expect(logOf(cluster, A)).toEqual([]);
    await cluster.close();
  });

  test("behind one that was given up waits for the same record", async () => {
    const { cluster, producer } = await onTwoBrokers();
    const { transactionalId } = producer;
    const time = new AbortController();
    const frame = producer.batch(A, "given up");
    const given = rejection(cluster.transactions.append(A, frame, { transactionalId, giveUp: time.signal }));
    await settle();
    time.abort();
    await given;
    const sent = producer.send(A, "next");
    await settle();
    expect(logOf(cluster, A)).toEqual([]);
    await replicatedUntil(cluster, sent);
    expect(logOf(cluster, A)).toEqual(["next"]);
    await cluster.close();
  });

  test("that was asked for before an end is a part of the transaction, and one behind it is refused", async () => {
    const { cluster, producer } = await onTwoBrokers();
    const before = producer.send(A, "before");
    const end = producer.end(true);
    const behind = rejection(producer.send(B, "behind"));
    await settle();
    expect(logOf(cluster, A)).toEqual([]);
    await replicatedUntil(cluster, Promise.all([before, end, behind]));
    expect(await behind).toMatchObject({ code: "PRODUCER_FENCED" });
    expect([logOf(cluster, A), logOf(cluster, B)]).toEqual([["before", "commit"], []]);
    expect(committedIn(cluster, A)).toEqual(["before"]);
    await cluster.close();
  });
});

test("new instances get later identities in the order of their calls, whenever those come while the one before is being ended", async () => {
  for (let pause = 0; pause < 25; pause += 1) {
    const { cluster, producer } = await onTwoBrokers();
    await replicatedUntil(cluster, producer.send(A, "1"));
    const epochs: number[] = [];
    const asked = async (place: number) => {
      const { producerEpoch } = await cluster.transactions.init({
        transactionalId: producer.transactionalId,
      });
      epochs[place] = producerEpoch;
    };
    // Each comes at another instant of what the first one has begun, a lost request that is repeated for one.
    const calls: Promise<void>[] = [];
    for (let place = 0; place < 5; place += 1) {
      calls.push(asked(place));
      await cluster.replicateOnce();
      for (let turn = 0; turn < pause; turn += 1) await null;
    }
    await replicatedUntil(cluster, Promise.all(calls));
    expect(epochs, `${pause} turns in between`).toEqual([2, 3, 4, 5, 6]);
    await cluster.close();
  }
});

describe("whole transactions", () => {
  test("may be asked for without waiting for the answers", async () => {
    const { cluster, producer } = await onTwoBrokers();
    const asked = [
      producer.send(A, "1"),
      producer.send(B, "2"),
      producer.sendOffsets("readers", "a:0=1"),
      producer.end(true),
    ];
    await replicatedUntil(cluster, Promise.all(asked));
    expect([committedIn(cluster, A), committedIn(cluster, B)]).toEqual([["1"], ["2"]]);
    await cluster.close();
  });

  test("begin no sooner than the one before is complete: until then it is CONCURRENT_TRANSACTIONS", async () => {
    const { cluster, producer } = await onTwoBrokers();
    await replicatedUntil(cluster, producer.send(A, "1"));
    const end = producer.end(true);
    await settle();
    await cluster.replicateOnce(STATES);
    await cluster.replicateOnce(STATES);
    await settle();
    expect([await stateOf(cluster), await outcomeOf(end)]).toEqual(["prepare_commit a-0", "pending"]);
    producer.identity = { ...producer.identity, producerEpoch: 1 };
    const early = { code: "CONCURRENT_TRANSACTIONS" };
    expect(await rejection(producer.begin())).toMatchObject(early);
    expect(await rejection(producer.send(A, "early"))).toMatchObject(early);
    expect(await rejection(producer.sendOffsets("readers", "a:0=1"))).toMatchObject(early);
    expect(await rejection(producer.end(true))).toMatchObject(early);
    await replicatedUntil(cluster, end);
    await replicatedUntil(cluster, producer.begin());
    expect(logOf(cluster, A)).toEqual(["1", "commit"]);
    await cluster.close();
  });

  test("an end whose caller has given up goes on, and the next one to ask is told", async () => {
    const { cluster, producer } = await onTwoBrokers();
    await replicatedUntil(cluster, producer.send(A, "1"));
    const time = new AbortController();
    const request = { ...producer.caller, commit: true };
    const given = rejection(cluster.transactions.end(request, { giveUp: time.signal }));
    await settle();
    time.abort();
    expect(await given).toMatchObject({ code: "REQUEST_TIMED_OUT" });
    await replicatedUntil(cluster, producer.commit());
    expect([committedIn(cluster, A), producer.identity.producerEpoch]).toEqual([["1"], 1]);
    await cluster.close();
  });

  test("that wait when the cluster closes are told so, and nothing is left behind", async () => {
    const { cluster, producer } = await onTwoBrokers();
    await replicatedUntil(cluster, producer.send(A, "1"));
    const waiting = [
      producer.send(B, "2"),
      producer.sendOffsets("readers", "a:0=1"),
      producer.end(true),
      cluster.transactions.abort("billing"),
      new TransactionalProducer(cluster).init(),
    ].map(rejection);
    await settle();
    await cluster.close();
    for (const problem of await Promise.all(waiting))
      expect(problem).toMatchObject({ code: "SHUTTING_DOWN" });
    await cluster.transactions.settled();
  });

  test("that wait for a marker when the cluster closes are told so as well, and the step with them", async () => {
    const { cluster, producer } = await onTwoBrokers();
    await replicatedUntil(cluster, producer.send(A, "1"));
    const end = rejection(producer.end(true));
    await settle();
    await cluster.replicateOnce(STATES);
    await cluster.replicateOnce(STATES);
    await settle();
    expect(logOf(cluster, A)).toEqual(["1", "commit"]);
    const expired = cluster.transactions.expire();
    await settle();
    await cluster.close();
    expect(await end).toMatchObject({ code: "SHUTTING_DOWN" });
    expect((await expired).failed).toMatchObject([{ error: { code: "SHUTTING_DOWN" } }]);
    await cluster.transactions.settled();
  });
});
