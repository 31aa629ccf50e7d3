/** Small lives of transactions, through each instant of which a crash may come. */
import { OFFSETS_TOPIC } from "./offsets-world.ts";
import type { TransactionLife } from "./transaction-life.ts";
import { A, B, TRANSACTIONS_TOPIC } from "./transactional-producer.ts";

export interface Workload {
  readonly name: string;
  /** How many brokers it makes sense with. */
  readonly brokers: readonly number[];
  readonly live: (life: TransactionLife) => Promise<void>;
}

const ANY = [1, 3];

async function whole(life: TransactionLife, end: "commit" | "abort"): Promise<void> {
  const producer = await life.producer();
  await producer.begin("one");
  await producer.send(A);
  await producer.send(B);
  await producer.send(A);
  await producer.sendOffset("a:0=5");
  await producer[end]();
}

/** The end is decided, and no partition has its marker, when the process dies. */
async function prepared(life: TransactionLife, end: "commit" | "abort"): Promise<void> {
  const producer = await life.producer();
  await producer.begin("one");
  await producer.send(A);
  await producer.send(B);
  await producer.sendOffset("a:0=5");
  const fault = life.world.faults.arm({
    point: "transaction.marker.before_append",
    action: "error",
    times: "always",
  });
  await life.driven(producer.decide(end)).catch(() => {});
  fault.assertFired();
  await life.kill();
  await life.driven(life.cluster.transactions.settled());
  await producer.ended(end, () => producer.producer[end]());
  await producer.begin("two");
  await producer.send(A);
  await producer.commit();
}

/** Another replica leads a partition in the middle of a transaction, and again at its end. */
async function promoted(life: TransactionLife, topic: string): Promise<void> {
  const place = { topic, partition: 0 };
  const producer = await life.producer();
  await producer.begin("one");
  await producer.send(A);
  await life.driven(life.cluster.promote(place, 2));
  await producer.send(B);
  await producer.sendOffset("a:0=5");
  const [ending] = [producer.decide("commit")];
  await life.cluster.replicateOnce();
  await life.driven(life.cluster.promote(place, 3));
  await life.driven(ending).catch(() => {});
  await producer.ended("commit", () => producer.producer.commit());
}

export const WORKLOADS: readonly Workload[] = [
  { name: "a commit", brokers: ANY, live: (life) => whole(life, "commit") },
  { name: "an abort", brokers: ANY, live: (life) => whole(life, "abort") },
  {
    name: "an abort and a commit of one id",
    brokers: ANY,
    live: async (life) => {
      const producer = await life.producer();
      await producer.begin("one");
      await producer.send(A);
      await producer.sendOffset("a:0=5");
      await producer.abort();
      await producer.begin("two");
      await producer.send(A);
      await producer.send(B);
      await producer.sendOffset("a:0=7");
      await producer.commit();
    },
  },
  {
    name: "a new instance while a transaction is open",
    brokers: ANY,
    live: async (life) => {
      const producer = await life.producer();
      await producer.begin("one");
      await producer.send(A);
      await producer.send(B);
      await producer.sendOffset("a:0=5");
      let other = producer;
      await producer.ended("abort", async () => {
        other = await life.producer();
      });
      await other.begin("two");
      await other.send(B);
      await other.commit();
    },
  },
  {
    name: "a transaction whose time is over",
    brokers: ANY,
    live: async (life) => {
      const producer = await life.producer();
      await producer.begin("one");
      await producer.send(A);
      await producer.send(B);
      await producer.sendOffset("a:0=5");
      await producer.ended("abort", () => life.expire());
      const { identity } = producer.producer;
      await life.driven(producer.producer.init({ current: identity }));
      await producer.begin("two");
      await producer.send(B);
      await producer.commit();
    },
  },
  { name: "a commit that a restart completes", brokers: ANY, live: (life) => prepared(life, "commit") },
  { name: "an abort that a restart completes", brokers: ANY, live: (life) => prepared(life, "abort") },
  {
    name: "a promotion of the coordinator",
    brokers: [3],
    live: (life) => promoted(life, TRANSACTIONS_TOPIC),
  },
  { name: "a promotion of a partition of records", brokers: [3], live: (life) => promoted(life, A.topic) },
  {
    name: "a promotion of the partition of offsets",
    brokers: [3],
    live: (life) => promoted(life, OFFSETS_TOPIC),
  },
  {
    name: "an abort, an open transaction and a commit among rolls and compaction",
    brokers: ANY,
    live: async (life) => {
      const producer = await life.producer();
      await producer.begin("one");
      await producer.send(A);
      await producer.sendOffset("a:0=5");
      await producer.abort();
      await producer.begin("two");
      await producer.send(B);
      await producer.sendOffset("a:0=6");
      await life.clean();
      await producer.commit();
      await life.clean();
    },
  },
  {
    name: "an end by hand, and another instance",
    brokers: [1],
    live: async (life) => {
      const producer = await life.producer();
      await producer.begin("one");
      await producer.send(A);
      await producer.send(B);
      await producer.ended("abort", () => life.cluster.transactions.abort("billing"));
      const other = await life.producer();
      await other.begin("two");
      await other.send(A);
      await other.commit();
    },
  },
  {
    name: "two ids at once",
    brokers: [1],
    live: async (life) => {
      const one = await life.producer("one");
      const other = await life.producer("other");
      await one.begin("one");
      await other.begin("two");
      await one.send(A);
      await other.send(A);
      await one.send(B);
      await other.send(B);
      await one.abort();
      await other.commit();
    },
  },
];
