/** What an idempotent producer's retry meets where a partition has several replicas, and where leadership moves. */
import { encodeBatch } from "@minikafka/record";
import { expect, test } from "vitest";
import type { BrokerCluster } from "../src/cluster/cluster.ts";
import type { Acks } from "../src/replica/acknowledgement.ts";
import type { ProducerIdentity } from "../src/replica/producer-identity.ts";
import { valuesOf } from "./cluster-world.ts";
import { ORDERS, openReplicated, outcomeOf, valuesOn } from "./replica-world.ts";
import { memoryWorld, rejection, worldOn } from "./world.ts";

interface Sent extends ProducerIdentity {
  readonly baseSequence: number;
  readonly value?: string;
}

function produce(cluster: BrokerCluster, sent: Sent, acks: Acks = "all") {
  const { value = `${sent.baseSequence}`, ...sequence } = sent;
  const record = { key: null, value: Buffer.from(value), timestampMs: 0, headers: [] };
  return cluster.appendBatch(ORDERS, encodeBatch({ records: [record], ...sequence }), { acks });
}

/** Writes with acks all and lets the followers copy it. */
async function produced(cluster: BrokerCluster, sent: Sent) {
  const appended = produce(cluster, sent);
  await cluster.replicateOnce();
  return appended;
}

test("a retry is acknowledged when the first one would be, not before every replica in sync has it", async () => {
  const cluster = await openReplicated(memoryWorld());
  const producer = cluster.initProducer({});
  const first = produce(cluster, { ...producer, baseSequence: 0 });
  const retry = produce(cluster, { ...producer, baseSequence: 0 });
  expect([await outcomeOf(first), await outcomeOf(retry)]).toEqual(["pending", "pending"]);
  await cluster.replicateOnce();
  expect([await first, await retry]).toMatchObject([
    { baseOffset: 0, duplicate: false },
    { baseOffset: 0, duplicate: true },
  ]);
  expect(valuesOf(cluster, ORDERS)).toEqual(["0"]);
});

test("a retry is refused while too few replicas are in sync, as the first one would be", async () => {
  const cluster = await openReplicated(memoryWorld(), { brokers: 2, minInSyncReplicas: 2 });
  const producer = cluster.initProducer({});
  const first = produce(cluster, { ...producer, baseSequence: 0 });
  await cluster.removeFromIsr(ORDERS, 2);
  expect(await rejection(first)).toMatchObject({ code: "NOT_ENOUGH_REPLICAS_AFTER_APPEND" });
  const retry = () => produce(cluster, { ...producer, baseSequence: 0 });
  expect(await rejection(retry())).toMatchObject({ code: "NOT_ENOUGH_REPLICAS" });
  await cluster.rejoin(ORDERS, 2);
  await cluster.replicateOnce();
  expect(await retry()).toMatchObject({ baseOffset: 0, duplicate: true });
});

test("the leader that is promoted knows the batches that it copied, and their producers", async () => {
  const world = memoryWorld();
  const cluster = await openReplicated(world);
  const producer = cluster.initProducer({ name: "billing" });
  for (const baseSequence of [0, 1, 2]) await produced(cluster, { ...producer, baseSequence });
  await cluster.promote(ORDERS, 2);
  expect(await produced(cluster, { ...producer, baseSequence: 1 })).toMatchObject({
    baseOffset: 1,
    duplicate: true,
  });
  expect(await rejection(produce(cluster, { ...producer, baseSequence: 4 }))).toMatchObject({
    code: "OUT_OF_ORDER_SEQUENCE",
    details: { expected: 3, actual: 4 },
  });
  const present = cluster.initProducer({ name: "billing" });
  await cluster.crash();
  world.disk.crash({ mode: "lost" });
  const again = await openReplicated(worldOn(world.disk));
  expect(await rejection(produce(again, { ...producer, baseSequence: 3 }))).toMatchObject({
    code: "PRODUCER_FENCED",
  });
  await again.replicateOnce();
  expect(await produced(again, { ...present, baseSequence: 0 })).toMatchObject({
    baseOffset: 3,
    duplicate: false,
  });
});

test("what an old leader alone had is forgotten with its tail: the retry is appended, once", async () => {
  const cluster = await openReplicated(memoryWorld(), { brokers: 2 });
  const producer = cluster.initProducer({});
  await produced(cluster, { ...producer, baseSequence: 0 });
  await produce(cluster, { ...producer, baseSequence: 1 }, 1);
  await cluster.promote(ORDERS, 2);
  expect(await produce(cluster, { ...producer, baseSequence: 1 }, 1)).toMatchObject({
    baseOffset: 1,
    duplicate: false,
  });
  await produce(cluster, { ...producer, baseSequence: 2 }, 1);
  await cluster.rejoin(ORDERS, 1);
  await cluster.replicateOnce();
  await cluster.promote(ORDERS, 1);
  for (const baseSequence of [1, 2])
    expect(await produce(cluster, { ...producer, baseSequence }, 1)).toMatchObject({ duplicate: true });
  expect([valuesOn(cluster, 1), valuesOn(cluster, 2)]).toEqual([
    ["0", "1", "2"],
    ["0", "1", "2"],
  ]);
});

test("with a window of one, as the original had, a retry of a batch after the next one is out of order", async () => {
  const cluster = await openReplicated(memoryWorld(), { brokers: 1, config: { duplicateWindow: 1 } });
  const producer = cluster.initProducer({});
  for (const baseSequence of [0, 1]) await produce(cluster, { ...producer, baseSequence });
  expect(await produce(cluster, { ...producer, baseSequence: 1 })).toMatchObject({ duplicate: true });
  expect(await rejection(produce(cluster, { ...producer, baseSequence: 0 }))).toMatchObject({
    code: "OUT_OF_ORDER_SEQUENCE",
    details: { expected: 2, actual: 0 },
  });
});

test("the step forgets producers that were silent for as long as the configuration says, on every replica", async () => {
  const world = memoryWorld();
  const cluster = await openReplicated(world, { config: { producerExpirationMs: 1000 } });
  const [first, second] = [cluster.initProducer({}), cluster.initProducer({})];
  await produced(cluster, { ...first, baseSequence: 0 });
  world.clock.advance(999);
  await produced(cluster, { ...second, baseSequence: 0 });
  expect(cluster.steps.expireProducers()).toEqual([]);
  world.clock.advance(1);
  expect(cluster.steps.expireProducers()).toEqual(
    [1, 2, 3].map((brokerId) => ({ brokerId, ...ORDERS, producerIds: [first.producerId] })),
  );
  expect(world.events.of("producer_forgotten")).toHaveLength(3);
  expect(await produced(cluster, { ...second, baseSequence: 0 })).toMatchObject({ duplicate: true });
  expect(await produced(cluster, { ...first, baseSequence: 7 })).toMatchObject({
    baseOffset: 2,
    duplicate: false,
  });
});
