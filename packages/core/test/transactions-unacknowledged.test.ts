/** An end stands in the coordinator's log, and nobody has acknowledged it: nobody is told of it, neither by an answer nor by a refusal. */
import { expect, test } from "vitest";
import type { BrokerCluster } from "../src/cluster/cluster.ts";
import { outcomeOf } from "./replica-world.ts";
import { replicatedUntil } from "./replicated-until.ts";
import {
  A,
  B,
  committedIn,
  openTransactions,
  TRANSACTIONS_TOPIC,
  TransactionalProducer,
} from "./transactional-producer.ts";
import { STATES } from "./transactions-stage.ts";
import { memoryWorld, rejection } from "./world.ts";

const TIMEOUT_MS = 100;

/** What ends the transaction of an instance that has not asked for it. */
const ENDS: Readonly<Record<string, (cluster: BrokerCluster) => Promise<unknown>>> = {
  "its timeout": async (cluster) => {
    const { failed } = await cluster.transactions.expire();
    throw failed[0]?.error;
  },
  "an operator": (cluster) => cluster.transactions.abort("billing"),
  "a newer instance": (cluster) => cluster.transactions.init({ transactionalId: "billing" }),
};

const ASKED: Readonly<Record<string, (producer: TransactionalProducer) => Promise<unknown>>> = {
  "a commit": (producer) => producer.end(true),
  "a batch to a partition of the transaction": (producer) => producer.send(A, "2"),
  "a batch to another partition": (producer) => producer.send(B, "2"),
  offsets: (producer) => producer.sendOffsets("readers", "a:0=5"),
  "a transaction": (producer) => producer.begin(),
};

const CASES = Object.entries(ENDS).flatMap(([by, endNow]) =>
  Object.entries(ASKED).map(([what, ask]) => ({ by, what, endNow, ask })),
);

test.for(CASES)(
  "who asks for $what is not told of an end by $by that a disk refused to keep, and a power cut takes it back",
  async ({ endNow, ask }) => {
    const world = memoryWorld();
    const cluster = await openTransactions(world);
    const producer = await new TransactionalProducer(cluster).init({ timeoutMs: TIMEOUT_MS });
    await producer.begin();
    await producer.send(A, "1");
    world.clock.advance(TIMEOUT_MS + 1);
    world.faults.arm({ point: "disk.sync.before", action: "error", site: { topic: TRANSACTIONS_TOPIC } });
    expect(await rejection(endNow(cluster))).toMatchObject({ code: "BROKER_FAILED" });
    expect(await rejection(ask(producer))).toMatchObject({ code: "BROKER_FAILED" });
    await cluster.crash();
    world.disk.crash({ mode: "lost" });
    producer.cluster = await openTransactions(world);
    await producer.commit();
    expect(committedIn(producer.cluster, A)).toEqual(["1"]);
    await producer.cluster.close();
  },
);

test("who asks for a commit is not told of an abort that the replicas in sync lack, and the next leader of the coordinator has none", async () => {
  const cluster = await openTransactions(memoryWorld(), { brokers: 3 });
  const producer = new TransactionalProducer(cluster);
  await replicatedUntil(cluster, producer.init());
  await replicatedUntil(cluster, producer.begin());
  await replicatedUntil(cluster, producer.send(A, "1"));
  const impatient = new AbortController();
  const aborted = rejection(cluster.transactions.abort("billing", { giveUp: impatient.signal }));
  expect(await outcomeOf(aborted)).toBe("pending");
  impatient.abort();
  await aborted;
  const end = producer.end(true);
  const told = end.catch((problem: unknown) => problem);
  expect(await outcomeOf(told)).toBe("pending");
  await cluster.promote(STATES, 2);
  expect(await replicatedUntil(cluster, told)).toMatchObject({ code: "FENCED_LEADER_EPOCH" });
  await replicatedUntil(cluster, producer.commit());
  expect(committedIn(cluster, A)).toEqual(["1"]);
  await cluster.close();
});
