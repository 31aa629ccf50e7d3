/** Single offsets of a group that are deleted. */
import { describe, expect, test } from "vitest";
import type { BrokerCluster } from "../src/cluster/cluster.ts";
import { ClassicTestMember, together } from "./classic-world.ts";
import { committedOf, GROUP, openGroups, TestMember } from "./group-world.ts";
import { memoryWorld, rejection } from "./world.ts";

/** Offsets of all partitions of `orders`, 1 and up, and of `mail`. */
async function open() {
  const world = memoryWorld();
  const cluster = await openGroups(world);
  cluster.createTopic({ topic: "mail", partitions: 1 });
  const offsets = [0, 1, 2, 3].map((partition) => {
    return { topic: "orders", partition, offset: partition + 1, metadata: null };
  });
  const mail = { topic: "mail", partition: 0, offset: 9, metadata: null };
  await cluster.groups.commit({ groupId: GROUP, member: null, offsets: [...offsets, mail] });
  return { world, cluster };
}

async function deleted(cluster: BrokerCluster, ...places: [topic: string, partition: number][]) {
  const partitions = places.map(([topic, partition]) => ({ topic, partition }));
  const results = await cluster.groups.deleteOffsets({ groupId: GROUP, partitions });
  return results.map(({ topic, partition, offset, problem }) => {
    return `${topic}:${partition} ${problem?.code ?? `gone, was ${offset}`}`;
  });
}

/** As a consumer's subscription begins: version 0, and the topics. */
function subscriptionTo(topic: string): Buffer {
  const bytes = Buffer.alloc(2 + 4 + 2 + topic.length);
  bytes.writeInt32BE(1, 2);
  bytes.writeInt16BE(topic.length, 6);
  bytes.write(topic, 8);
  return bytes;
}

describe("offsets that somebody deletes", () => {
  test("are gone, also after a crash, and told one by one; what nothing is committed for is as good", async () => {
    const { world, cluster } = await open();
    expect(
      await deleted(cluster, ["orders", 1], ["orders", 1], ["orders", 9], ["nowhere", 0], ["mail", 0]),
    ).toEqual([
      "orders:1 gone, was 2",
      "orders:1 gone, was 2",
      "orders:9 UNKNOWN_PARTITION",
      "nowhere:0 UNKNOWN_TOPIC",
      "mail:0 gone, was 9",
    ]);
    expect(world.events.of("offsets_deleted")).toMatchObject([
      { groupId: GROUP, offsets: [{ topic: "orders", partition: 1, offset: 2 }, { topic: "mail" }] },
    ]);
    await cluster.crash();
    world.disk.crash({ mode: "lost" });
    const again = await openGroups(world);
    expect(await committedOf(again)).toEqual(["orders:0=1", "orders:2=3", "orders:3=4"]);
    expect(await deleted(again, ["orders", 1])).toEqual(["orders:1 gone, was null"]);
  });

  test("of topics that a member of a consumer group subscribes to stay", async () => {
    const { cluster } = await open();
    await new TestMember(cluster, "a").join();
    expect(await deleted(cluster, ["orders", 0], ["mail", 0])).toEqual([
      "orders:0 GROUP_SUBSCRIBED_TO_TOPIC",
      "mail:0 gone, was 9",
    ]);
  });

  test("of topics that a member of a classic group subscribes to stay; of all of them where nobody understands what it says", async () => {
    const { cluster } = await open();
    const [a, b] = [new ClassicTestMember(cluster, "a", GROUP), new ClassicTestMember(cluster, "b", GROUP)];
    const protocols = [{ name: "range", metadata: subscriptionTo("orders") }];
    await a.join({ protocols }).ended;
    expect(await deleted(cluster, ["orders", 0], ["mail", 0])).toEqual([
      "orders:0 GROUP_SUBSCRIBED_TO_TOPIC",
      "mail:0 gone, was 9",
    ]);
    b.join();
    await a.join({ protocols }).ended;
    expect(await deleted(cluster, ["mail", 0])).toEqual(["mail:0 GROUP_SUBSCRIBED_TO_TOPIC"]);
  });

  test("of a group whose members are no consumers are refused while it has any, and of a group that is not there", async () => {
    const { cluster } = await open();
    const worker = new ClassicTestMember(cluster, "w", GROUP);
    await worker.join({ protocolType: "connect" }).ended;
    expect(await rejection(deleted(cluster, ["orders", 0]))).toMatchObject({ code: "GROUP_NOT_EMPTY" });
    await worker.leave().ended;
    expect(await deleted(cluster, ["orders", 0])).toEqual(["orders:0 gone, was 1"]);
    const nobody = cluster.groups.deleteOffsets({ groupId: "nobody", partitions: [] });
    expect(await rejection(nobody)).toMatchObject({ code: "UNKNOWN_GROUP" });
  });

  test("may be more than one batch forgets, and all that a group has", async () => {
    const { cluster } = await open();
    cluster.createTopic({ topic: "wide", partitions: 600 });
    const all = Array.from({ length: 600 }, (_, partition) => ({ topic: "wide", partition }));
    const groupId = "wide";
    const offsets = all.map((place) => ({ ...place, offset: 1, metadata: null }));
    await cluster.groups.commit({ groupId, member: null, offsets });
    const results = await cluster.groups.deleteOffsets({ groupId, partitions: all });
    expect(results.filter(({ problem }) => problem === null)).toHaveLength(600);
    expect(await committedOf(cluster, groupId)).toEqual([]);
    await together([new ClassicTestMember(cluster, "a", groupId)]);
  });
});
