/** Transactions whose records, states or topics go away: compaction, deletion, and a topic that is made anew. */
import { describe, expect, test } from "vitest";
import type { BrokerCluster } from "../src/cluster/cluster.ts";
import { committed } from "./offsets-world.ts";
import { settle } from "./replica-world.ts";
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
  transactionalBatch,
} from "./transactional-producer.ts";
import { memoryWorld, rejection, type World } from "./world.ts";

const KEYED = { topic: "keyed", partition: 0 };
const STATES = { topic: TRANSACTIONS_TOPIC, partition: 0 };

function withKeyed(cluster: BrokerCluster): BrokerCluster {
  const config = { cleanup_policy: "compact", min_cleanable_dirty_ratio: 0, delete_retention_ms: 0 };
  if (!cluster.hasTopic("keyed")) cluster.createTopic({ topic: "keyed", partitions: 1, config });
  return cluster;
}

async function compacted(cluster: BrokerCluster, topic: string): Promise<void> {
  cluster.steps.rollSegment({ topic, partition: 0 });
  await cluster.steps.flushLogs();
  await cluster.steps.compact(() => Promise.resolve(), topic);
}

describe("an id that was used for an abort, then for a commit", () => {
  test("never brings the aborted records back, also after compaction and restart", async () => {
    const world = memoryWorld();
    let cluster = withKeyed(await openTransactions(world));
    const producer = await new TransactionalProducer(cluster).init();
    await producer.begin();
    await producer.send(KEYED, "k=first", "other=kept");
    await producer.commit();
    await producer.begin();
    await producer.send(KEYED, "k=aborted", "only=aborted");
    await producer.abort();
    for (let pass = 0; pass < 3; pass += 1) {
      expect(committedIn(cluster, KEYED)).toEqual(["first", "kept"]);
      await compacted(cluster, "keyed");
      expect(committedIn(cluster, KEYED)).toEqual(["first", "kept"]);
      world.clock.advance(1);
      await cluster.close();
      cluster = withKeyed(await openTransactions(world));
      await cluster.transactions.settled();
    }
    expect(logOf(cluster, KEYED).join()).not.toContain("aborted");
    producer.cluster = cluster;
    await producer.begin();
    await producer.send(KEYED, "k=second");
    await compacted(cluster, "keyed");
    expect(committedIn(cluster, KEYED)).toEqual(["first", "kept"]);
    await producer.commit();
    expect(committedIn(cluster, KEYED)).toEqual(["first", "kept", "second"]);
    await compacted(cluster, "keyed");
    expect(committedIn(cluster, KEYED)).toEqual(["kept", "second"]);
    await cluster.close();
  });
});

describe("the states' own topic", () => {
  test("is compacted, and every id is after that as it was: open, decided, complete and forgotten", async () => {
    const world = memoryWorld();
    const options = { config: { transactionalIdExpirationMs: 10_000 } };
    const cluster = await openTransactions(world, options);
    await new TransactionalProducer(cluster, "forgotten").init();
    world.clock.advance(10_000);
    await cluster.transactions.expire();
    const open = await new TransactionalProducer(cluster, "open").init();
    await open.begin();
    await open.send(A, "1");
    const complete = await new TransactionalProducer(cluster, "complete").init();
    for (let round = 0; round < 20; round += 1) {
      await complete.begin();
      await complete.commit();
    }
    const decided = await new TransactionalProducer(cluster, "decided").init();
    await decided.begin();
    await decided.send(B, "2");
    world.faults.arm({ point: "transaction.prepare.after_write", action: "error" });
    await rejection(decided.end(true));
    const listed = await cluster.transactions.list();
    const before = cluster
      .describePartition(STATES)
      .segments.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
    await compacted(cluster, TRANSACTIONS_TOPIC);
    const after = cluster
      .describePartition(STATES)
      .segments.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
    expect(after).toBeLessThan(before / 2);
    await cluster.crash();
    world.disk.crash({ mode: "lost" });
    const again = await openTransactions(world, options);
    await again.transactions.settled();
    const completed = { state: "complete_commit", partitions: 0, startedMs: null };
    expect((await again.transactions.list()).transactions).toEqual(
      listed.transactions.map((each) =>
        each.transactionalId === "decided" ? { ...each, ...completed } : each,
      ),
    );
    expect(committedIn(again, B)).toEqual(["2"]);
    expect(await stateOf(again, "open")).toBe("ongoing a-0");
    open.cluster = again;
    await open.commit();
    expect(committedIn(again, A)).toEqual(["1"]);
    await again.close();
  });
});

async function decidedWith(
  world: World,
): Promise<{ cluster: BrokerCluster; producer: TransactionalProducer }> {
  const cluster = await openTransactions(world);
  const producer = await new TransactionalProducer(cluster).init();
  await producer.begin();
  await producer.send(A, "1");
  await producer.send(B, "2");
  await producer.sendOffsets("readers", "a:0=1", "b:0=1");
  world.faults.arm({ point: "transaction.prepare.after_write", action: "error" });
  await rejection(producer.end(true));
  return { cluster, producer };
}

describe("a topic of a transaction that is deleted", () => {
  test("needs no marker: the rest is committed", async () => {
    const { cluster, producer } = await decidedWith(memoryWorld());
    cluster.deleteTopic("a");
    await producer.commit();
    expect([committedIn(cluster, B), await stateOf(cluster)]).toEqual([["2"], "complete_commit"]);
    expect(await committed(cluster, "readers")).toEqual(["b:0=1"]);
    await cluster.close();
  });

  test("and made anew gets none of the old one's markers", async () => {
    const world = memoryWorld();
    const { cluster } = await decidedWith(world);
    cluster.deleteTopic("a");
    cluster.createTopic({ topic: "a", partitions: 1 });
    await cluster.close();
    const again = await openTransactions(world);
    await again.transactions.settled();
    expect([logOf(again, A), committedIn(again, B)]).toEqual([[], ["2"]]);
    await again.close();
  });

  test("while the transaction is open is a partition anew for what is written to the next topic of that name", async () => {
    const cluster = await openTransactions(memoryWorld());
    const producer = await new TransactionalProducer(cluster).init();
    await producer.begin();
    await producer.send(A, "gone");
    cluster.deleteTopic("a");
    expect(await rejection(producer.send(A, "nowhere"))).toMatchObject({ code: "UNKNOWN_TOPIC" });
    cluster.createTopic({ topic: "a", partitions: 1 });
    const { transactionalId, identity } = producer;
    const { transactions } = cluster;
    await transactions.append(A, transactionalBatch(identity, 0, ["new"]), { transactionalId });
    await producer.commit();
    expect([committedIn(cluster, A), logOf(cluster, A)]).toEqual([["new"], ["new", "commit"]]);
    await cluster.close();
  });

  test("while its marker waits for the replicas lets the end go on", async () => {
    const cluster = await openTransactions(memoryWorld(), { brokers: 2 });
    const producer = new TransactionalProducer(cluster);
    await replicatedUntil(cluster, producer.init());
    await replicatedUntil(cluster, producer.begin());
    await replicatedUntil(cluster, producer.send(A, "1"));
    await replicatedUntil(cluster, producer.send(B, "2"));
    const end = producer.end(true);
    for (let round = 0; round < 2; round += 1) await cluster.replicateOnce({ topic: TRANSACTIONS_TOPIC });
    await settle();
    expect(logOf(cluster, A)).toEqual(["1", "commit"]);
    cluster.deleteTopic("a");
    await replicatedUntil(cluster, end);
    expect(committedIn(cluster, B)).toEqual(["2"]);
    await cluster.close();
  });
});
