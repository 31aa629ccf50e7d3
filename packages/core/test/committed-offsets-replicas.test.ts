import { describe, expect, test } from "vitest";
import type { BrokerCluster } from "../src/cluster/cluster.ts";
import { commit, committed, OFFSETS_TOPIC, openOffsets } from "./offsets-world.ts";
import { outcomeOf, settle } from "./replica-world.ts";
import { memoryWorld, rejection, type World } from "./world.ts";

const PLACE = { topic: OFFSETS_TOPIC, partition: 0 };
const FILTER = { topic: OFFSETS_TOPIC };

/** Copies until nobody is behind, so that whoever waits for acks=all is told. */
async function replicate(cluster: BrokerCluster): Promise<void> {
  for (let round = 0; round < 3; round += 1) await cluster.replicateOnce(FILTER);
  await settle();
}

async function acknowledgedCommit(cluster: BrokerCluster, offset: string): Promise<void> {
  const acknowledged = commit(cluster, "billing", offset);
  while (!cluster.hasTopic(OFFSETS_TOPIC)) await new Promise(setImmediate);
  await settle();
  await replicate(cluster);
  await acknowledged;
}

async function threeBrokers(): Promise<{ world: World; cluster: BrokerCluster }> {
  const world = memoryWorld();
  const cluster = await openOffsets(world, { brokerIds: [1, 2, 3] });
  await acknowledgedCommit(cluster, "orders:0=5");
  return { world, cluster };
}

const loads = ({ events }: World) => events.of("coordinator_loaded").map(({ brokerId }) => brokerId);

describe("committed offsets on three brokers", () => {
  test("are acknowledged when all in sync have them, and not visible before", async () => {
    const { cluster } = await threeBrokers();
    expect(cluster.describeTopic(OFFSETS_TOPIC).replicationFactor).toBe(3);
    const acknowledged = commit(cluster, "billing", "orders:0=6");
    expect(await outcomeOf(acknowledged)).toBe("pending");
    expect(await committed(cluster, "billing")).toEqual(["orders:0=5"]);
    await replicate(cluster);
    expect(await outcomeOf(acknowledged)).toBe("kept");
    expect(await committed(cluster, "billing")).toEqual(["orders:0=6"]);
    await cluster.close();
  });

  test("are loaded anew from the new leader's log after a promotion, with every acknowledged commit", async () => {
    const { world, cluster } = await threeBrokers();
    await cluster.promote(PLACE, 2);
    expect(await committed(cluster, "billing")).toEqual(["orders:0=5"]);
    await acknowledgedCommit(cluster, "orders:0=6");
    await cluster.promote(PLACE, 3);
    expect(await committed(cluster, "billing")).toEqual(["orders:0=6"]);
    expect(loads(world)).toEqual([1, 2, 3]);
    await cluster.close();
  });

  test("that were not acknowledged when the leadership moved are refused, and gone with a leader that never had them", async () => {
    const { cluster } = await threeBrokers();
    const lost = rejection(commit(cluster, "billing", "orders:0=6"));
    await cluster.promote(PLACE, 2);
    expect(await lost).toMatchObject({ code: "FENCED_LEADER_EPOCH" });
    expect(await committed(cluster, "billing")).toEqual(["orders:0=5"]);
    await acknowledgedCommit(cluster, "orders:1=1");
    await cluster.promote(PLACE, 1);
    expect(await committed(cluster, "billing")).toEqual(["orders:0=5", "orders:1=1"]);
    await cluster.close();
  });

  test("that a new leader has and others lack are not told before they are acknowledged, and count for what comes next", async () => {
    const { cluster } = await threeBrokers();
    const fenced = rejection(commit(cluster, "billing", "orders:0=6"));
    // Broker 2 has fetched it, and its leader has not heard of that.
    await cluster.replicateOnce({ ...FILTER, brokerId: 2 });
    await cluster.promote(PLACE, 2);
    expect(await fenced).toMatchObject({ code: "FENCED_LEADER_EPOCH" });
    expect(await committed(cluster, "billing")).toEqual(["orders:0=5"]);
    await replicate(cluster);
    expect(await committed(cluster, "billing")).toEqual(["orders:0=6"]);
    await cluster.close();
  });

  test("have no coordinator while their leader is stopped, and are loaded anew when it starts", async () => {
    const { world, cluster } = await threeBrokers();
    const waiting = rejection(commit(cluster, "billing", "orders:0=6"));
    await cluster.stopBroker(1);
    expect(await waiting).toMatchObject({ code: "LEADER_NOT_AVAILABLE" });
    expect(await rejection(committed(cluster, "billing"))).toMatchObject({ code: "LEADER_NOT_AVAILABLE" });
    expect(await rejection(commit(cluster, "billing", "orders:0=7"))).toMatchObject({
      code: "LEADER_NOT_AVAILABLE",
    });
    await cluster.startBroker(1);
    expect(await committed(cluster, "billing")).toEqual(["orders:0=5"]);
    await acknowledgedCommit(cluster, "orders:1=1");
    // The one of unknown fate was kept by the log, so that the later one has acknowledged it as well.
    expect(await committed(cluster, "billing")).toEqual(["orders:0=6", "orders:1=1"]);
    expect(loads(world)).toEqual([1, 1]);
    await cluster.close();
  });

  test("outlive a process that died, on whichever broker leads next", async () => {
    const { world, cluster } = await threeBrokers();
    await acknowledgedCommit(cluster, "orders:0=6");
    commit(cluster, "billing", "orders:0=7").catch(() => {});
    await cluster.crash();
    world.disk.crash({ mode: "lost" });
    const again = await openOffsets(world, { brokerIds: [1, 2, 3] });
    for (const leader of [2, 3, 1]) {
      await replicate(again);
      await again.promote(PLACE, leader);
      expect(await committed(again, "billing")).toEqual(["orders:0=6"]);
    }
    await again.close();
  });

  test("a caller whose time is over hears of it, and the commit goes on without anybody waiting", async () => {
    const { world, cluster } = await threeBrokers();
    const time = new AbortController();
    const offsets = [{ topic: "orders", partition: 0, offset: 6, metadata: null }];
    const request = { groupId: "billing", member: null, offsets };
    const waiting = cluster.groups.commit(request, { giveUp: time.signal });
    expect(await outcomeOf(waiting)).toBe("pending");
    time.abort();
    expect(await rejection(waiting)).toMatchObject({ code: "REQUEST_TIMED_OUT" });
    expect(world.events.of("offsets_committed")).toHaveLength(1);
    await replicate(cluster);
    expect(await committed(cluster, "billing")).toEqual(["orders:0=6"]);
    expect(world.events.of("offsets_committed").at(-1)).toEqual({
      kind: "offsets_committed",
      ...{ groupId: "billing", memberId: null, generation: null },
      offsets: [{ topic: "orders", partition: 0, offset: 6 }],
    });
    await cluster.close();
  });

  test("are made on the brokers that run, and not at all while there are fewer than copies", async () => {
    const cluster = await openOffsets(memoryWorld(), { brokerIds: [1, 2, 3, 4] });
    await cluster.stopBroker(2);
    await acknowledgedCommit(cluster, "orders:0=5");
    expect(cluster.metadata(OFFSETS_TOPIC).partitions[0]?.replicas).toEqual([1, 3, 4]);
    await cluster.close();
    const three = await openOffsets(memoryWorld(), { brokerIds: [1, 2, 3] });
    await three.stopBroker(2);
    expect(await rejection(commit(three, "billing", "orders:0=5"))).toMatchObject({
      code: "BROKER_NOT_AVAILABLE",
    });
    expect(three.hasTopic(OFFSETS_TOPIC)).toBe(false);
    await three.startBroker(2);
    await acknowledgedCommit(three, "orders:0=5");
    await three.close();
  });
});
