/** Transactions on three brokers: what waits for the replicas in sync, and leaderships that move in any state. */
import { describe, expect, test } from "vitest";
import type { BrokerCluster } from "../src/cluster/cluster.ts";
import type { FaultPoint } from "../src/env/fault-point.ts";
import type { TopicPartition } from "../src/replica/topic-partition.ts";
import { batchOf } from "./cluster-world.ts";
import { committed } from "./offsets-world.ts";
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
import { begun, copied, OFFSETS, STATES, type Stage } from "./transactions-stage.ts";
import { memoryWorld, rejection } from "./world.ts";

async function written(): Promise<Stage> {
  const stage = await begun();
  const { cluster, producer } = stage;
  await replicatedUntil(cluster, producer.send(A, "1"));
  await replicatedUntil(cluster, producer.send(B, "1"));
  await replicatedUntil(cluster, producer.sendOffsets("readers", "a:0=1"));
  return stage;
}

/** The end is decided, and stopped at `point`. */
async function decided(isCommit: boolean, point: FaultPoint): Promise<Stage> {
  const stage = await written();
  const { world, cluster, producer } = stage;
  const rule = world.faults.arm({ point, action: "error" });
  const refused = await replicatedUntil(cluster, rejection(producer.end(isCommit)));
  expect(refused).toMatchObject({ code: "STORAGE_ERROR" });
  world.faults.disarm(rule);
  return stage;
}

describe("on three brokers", () => {
  test("records, markers and decisions wait for the replicas in sync", async () => {
    const { cluster, producer } = await begun();
    const sent = producer.send(A, "1");
    expect(await outcomeOf(sent)).toBe("pending");
    await replicatedUntil(cluster, sent);
    const end = producer.end(true);
    expect([await outcomeOf(end), logOf(cluster, A)]).toEqual(["pending", ["1"]]);
    for (let round = 0; round < 2; round += 1) await cluster.replicateOnce({ topic: TRANSACTIONS_TOPIC });
    await settle();
    // The decision is durable; the marker stands in the log, and its replicas lack it.
    expect([await outcomeOf(end), logOf(cluster, A)]).toEqual(["pending", ["1", "commit"]]);
    expect([committedIn(cluster, A), await stateOf(cluster)]).toEqual([[], "prepare_commit a-0"]);
    for (let round = 0; round < 2; round += 1) await cluster.replicateOnce({ topic: "a" });
    await settle();
    expect([committedIn(cluster, A), await outcomeOf(end)]).toEqual([["1"], "pending"]);
    await replicatedUntil(cluster, end);
    expect(await stateOf(cluster)).toBe("complete_commit");
    await cluster.close();
  });

  test("an end that too few replicas can take is refused, stays decided, and goes on when they are back", async () => {
    const world = memoryWorld();
    const cluster = await openTransactions(world, { brokers: 2 });
    cluster.createTopic({
      topic: "both",
      partitions: 1,
      replicationFactor: 2,
      config: { min_insync_replicas: 2 },
    });
    const place = { topic: "both", partition: 0 };
    const producer = new TransactionalProducer(cluster);
    await replicatedUntil(cluster, producer.init());
    await replicatedUntil(cluster, producer.begin());
    await replicatedUntil(cluster, producer.send(place, "1"));
    cluster.removeFromIsr(place, 2);
    const refused = await replicatedUntil(cluster, rejection(producer.end(true)));
    expect(refused).toMatchObject({ code: "NOT_ENOUGH_REPLICAS" });
    expect([await stateOf(cluster), logOf(cluster, place)]).toEqual(["prepare_commit both-0", ["1"]]);
    await cluster.rejoin(place, 2);
    await replicatedUntil(cluster, producer.commit());
    expect([committedIn(cluster, place), logOf(cluster, place)]).toEqual([["1"], ["1", "commit"]]);
    await cluster.close();
  });
});

type Disruption = (stage: Stage) => Promise<BrokerCluster>;

const promoted =
  (place: TopicPartition): Disruption =>
  async ({ cluster }) => {
    await copied(cluster);
    await cluster.promote(place, 2);
    return cluster;
  };

const DISRUPTIONS: readonly (readonly [name: string, disrupt: Disruption])[] = [
  ["another leader of the coordinator's partition", promoted(STATES)],
  ["another leader of a partition with records", promoted(A)],
  ["another leader of the partition with offsets", promoted(OFFSETS)],
  [
    "a broker that stops, and others who lead",
    async ({ cluster }) => {
      await copied(cluster);
      await cluster.stopBroker(1);
      for (const place of [STATES, OFFSETS, A, B])
        if (cluster.hasTopic(place.topic)) await cluster.promote(place, 3);
      return cluster;
    },
  ],
  [
    "a restart",
    async ({ world, cluster }) => {
      await cluster.close();
      return openTransactions(world, { brokers: 3 });
    },
  ],
  [
    "a crash",
    async ({ world, cluster }) => {
      await copied(cluster);
      await cluster.crash();
      world.disk.crash({ mode: "lost" });
      return openTransactions(world, { brokers: 3 });
    },
  ],
];

const STAGES: readonly (readonly [
  name: string,
  reach: () => Promise<Stage>,
  fate: "open" | "commit" | "abort",
])[] = [
  ["open with records and offsets", written, "open"],
  ["decided to commit", () => decided(true, "transaction.prepare.after_write"), "commit"],
  ["decided to abort", () => decided(false, "transaction.prepare.after_write"), "abort"],
  [
    "committed in a part of its partitions",
    () => decided(true, "transaction.marker.before_append"),
    "commit",
  ],
  ["committed in all its partitions", () => decided(true, "transaction.complete.before_write"), "commit"],
  ["aborted in all its partitions", () => decided(false, "transaction.complete.before_write"), "abort"],
];

describe.each(STAGES)("a transaction that is %s", (_stage, reach, fate) => {
  test.each(DISRUPTIONS)("survives %s", async (_name, disrupt) => {
    const stage = await reach();
    const cluster = await disrupt(stage);
    const { producer } = stage;
    producer.cluster = cluster;
    if (fate === "open") {
      await replicatedUntil(cluster, producer.send(A, "2"));
      await replicatedUntil(cluster, producer.commit());
      expect(committedIn(cluster, A)).toEqual(["1", "2"]);
    } else {
      // The step finds it, with nobody asking for it.
      const { failed } = await replicatedUntil(cluster, cluster.transactions.expire());
      expect(failed).toEqual([]);
      await replicatedUntil(cluster, cluster.transactions.settled());
      expect(await stateOf(cluster)).toBe(`complete_${fate}`);
      expect(committedIn(cluster, A)).toEqual(fate === "commit" ? ["1"] : []);
      await replicatedUntil(cluster, producer.end(fate === "commit"));
    }
    const isThere = fate !== "abort";
    expect(committedIn(cluster, B)).toEqual(isThere ? ["1"] : []);
    expect(await committed(cluster, "readers")).toEqual(isThere ? ["a:0=1"] : []);
    const marker = isThere ? "commit" : "abort";
    expect(logOf(cluster, B)).toEqual(["1", marker]);
    expect(logOf(cluster, A).filter((entry) => entry === "commit" || entry === "abort")).toEqual([marker]);
    await replicatedUntil(cluster, cluster.appendBatch(B, batchOf(["plain"]), { acks: "all" }));
    expect(committedIn(cluster, B).at(-1)).toBe("plain");
    await cluster.close();
  });
});

describe("leadership that moves while an end waits", () => {
  test("to a broker that has the decision, and nobody beside it: no partition has a marker before the others have the decision too", async () => {
    const { cluster, producer } = await written();
    const refused = rejection(producer.end(true));
    await settle();
    await cluster.replicateOnce({ topic: TRANSACTIONS_TOPIC, brokerId: 2 });
    await cluster.promote(STATES, 2);
    expect(await refused).toMatchObject({ code: "FENCED_LEADER_EPOCH" });
    // The new leader reads what is decided, and takes it up by itself.
    expect((await stateOf(cluster)).split(" ")[0]).toBe("ongoing");
    await settle();
    expect([logOf(cluster, A), logOf(cluster, B)]).toEqual([["1"], ["1"]]);
    await copied(cluster, [TRANSACTIONS_TOPIC]);
    expect([logOf(cluster, A), logOf(cluster, B)]).toEqual([
      ["1", "commit"],
      ["1", "commit"],
    ]);
    await replicatedUntil(cluster, cluster.transactions.settled());
    expect([committedIn(cluster, A), await committed(cluster, "readers")]).toEqual([["1"], ["a:0=1"]]);
    await cluster.close();
  });

  test("of a partition with records: the marker is written anew where the new leader lacks it, and the end is answered", async () => {
    const { cluster, producer } = await written();
    const end = producer.end(true);
    for (let round = 0; round < 2; round += 1) await cluster.replicateOnce({ topic: TRANSACTIONS_TOPIC });
    await settle();
    expect(logOf(cluster, A)).toEqual(["1", "commit"]);
    await cluster.promote(A, 2);
    await replicatedUntil(cluster, end);
    expect([committedIn(cluster, A), logOf(cluster, A)]).toEqual([["1"], ["1", "commit"]]);
    await cluster.close();
  });

  test("of the coordinator's partition: who asked is refused, and asks again; nobody's decision is lost or doubled", async () => {
    const { cluster, producer } = await written();
    const refused = rejection(producer.end(true));
    await settle();
    // Broker 2 has the decision, and its leader has not heard of that.
    await cluster.replicateOnce({ topic: TRANSACTIONS_TOPIC, brokerId: 2 });
    await cluster.promote(STATES, 2);
    expect(await refused).toMatchObject({ code: "FENCED_LEADER_EPOCH" });
    await replicatedUntil(cluster, producer.commit());
    expect([committedIn(cluster, A), logOf(cluster, A)]).toEqual([["1"], ["1", "commit"]]);
    expect(producer.identity.producerEpoch).toBe(1);
    await cluster.close();
  });

  test("to a leader that never had the decision: it was not made, and may be made the other way", async () => {
    const { cluster, producer } = await written();
    const refused = rejection(producer.end(true));
    await settle();
    await cluster.promote(STATES, 2);
    expect(await refused).toMatchObject({ code: "FENCED_LEADER_EPOCH" });
    await replicatedUntil(cluster, producer.abort());
    expect([committedIn(cluster, A), logOf(cluster, A)]).toEqual([[], ["1", "abort"]]);
    await cluster.close();
  });
});

test("while nobody leads the coordinator's partition every request says so, and the step passes it over", async () => {
  const { cluster, producer } = await written();
  await copied(cluster);
  await cluster.stopBroker(1);
  const none = { code: "LEADER_NOT_AVAILABLE" };
  await cluster.promote(A, 2);
  expect(await rejection(producer.send(A, "2"))).toMatchObject(none);
  expect(await rejection(producer.commit())).toMatchObject(none);
  expect(await rejection(producer.init())).toMatchObject(none);
  expect(await rejection(cluster.transactions.describe("billing"))).toMatchObject(none);
  expect(await rejection(cluster.transactions.list())).toMatchObject(none);
  expect(await cluster.transactions.expire()).toMatchObject({ aborted: [], failed: [] });
  expect(logOf(cluster, A)).toEqual(["1"]);
  await cluster.promote(STATES, 2);
  await cluster.promote(OFFSETS, 2);
  await cluster.promote(B, 2);
  await replicatedUntil(cluster, producer.commit());
  expect(committedIn(cluster, A)).toEqual(["1"]);
  await cluster.close();
});
