import { describe, expect, test } from "vitest";
import { commit, committed, OFFSETS_TOPIC, openOffsets } from "./offsets-world.ts";
import { memoryWorld, rejection } from "./world.ts";

const PLACE = { topic: OFFSETS_TOPIC, partition: 0 };
const DAY_MS = 24 * 60 * 60 * 1000;

describe("committed offsets are forgotten", () => {
  test("a week after their commit, each by itself, and for good", async () => {
    const world = memoryWorld();
    let cluster = await openOffsets(world);
    await commit(cluster, "billing", "orders:0=1", "orders:1=1");
    await commit(cluster, "shipping", "orders:0=2");
    world.clock.advance(DAY_MS);
    await commit(cluster, "billing", "orders:1=3");
    world.clock.advance(6 * DAY_MS - 1);
    expect(await cluster.groups.expireOffsets()).toEqual([]);
    world.clock.advance(1);
    expect(await cluster.groups.expireOffsets()).toEqual([
      { groupId: "billing", topic: "orders", partition: 0 },
      { groupId: "shipping", topic: "orders", partition: 0 },
    ]);
    expect(await cluster.groups.expireOffsets()).toEqual([]);
    expect(
      world.events.of("offsets_expired").map(({ groupId, offsets }) => [groupId, offsets[0]?.reason]),
    ).toEqual([
      ["billing", "retention"],
      ["shipping", "retention"],
    ]);
    await cluster.crash();
    world.disk.crash({ mode: "lost" });
    cluster = await openOffsets(world);
    expect(await committed(cluster, "billing")).toEqual(["orders:1=3"]);
    expect(await committed(cluster, "shipping")).toEqual([]);
    await cluster.close();
  });

  test("when the configuration says so", async () => {
    const world = memoryWorld();
    const cluster = await openOffsets(world, { offsetsRetentionMs: 1000 });
    await commit(cluster, "billing", "orders:0=1");
    world.clock.advance(1000);
    expect(await cluster.groups.expireOffsets()).toHaveLength(1);
    await cluster.close();
  });

  test("with their topic: one of the same name that is made anew does not inherit them", async () => {
    const world = memoryWorld();
    const cluster = await openOffsets(world);
    cluster.createTopic({ topic: "audit", partitions: 1 });
    await commit(cluster, "billing", "orders:0=1", "audit:0=7");
    cluster.deleteTopic("audit");
    expect(await committed(cluster, "billing")).toEqual(["orders:0=1"]);
    cluster.createTopic({ topic: "audit", partitions: 1 });
    const asked = [{ topic: "audit", partition: 0 }];
    expect(await committed(cluster, "billing", asked)).toEqual(["audit:0=-"]);
    expect(await cluster.groups.expireOffsets()).toEqual([
      { groupId: "billing", topic: "audit", partition: 0 },
    ]);
    await commit(cluster, "billing", "audit:0=2");
    expect(await cluster.groups.expireOffsets()).toEqual([]);
    expect(await committed(cluster, "billing", asked)).toEqual(["audit:0=2"]);
    await cluster.close();
  });

  test("but not for a commit that is under way when the old one is found to be over", async () => {
    const world = memoryWorld();
    const cluster = await openOffsets(world);
    await commit(cluster, "billing", "orders:0=1", "orders:1=1");
    world.clock.advance(7 * DAY_MS);
    const committing = commit(cluster, "billing", "orders:0=2");
    expect(await cluster.groups.expireOffsets()).toEqual([
      { groupId: "billing", topic: "orders", partition: 1 },
    ]);
    await committing;
    expect(await committed(cluster, "billing")).toEqual(["orders:0=2"]);
    await cluster.close();
  });

  test("more than fit one batch, batch after batch", async () => {
    const world = memoryWorld();
    const cluster = await openOffsets(world);
    cluster.createTopic({ topic: "wide", partitions: 1000 });
    const offsets = Array.from({ length: 1000 }, (_, partition) => `wide:${partition}=1`);
    await commit(cluster, "billing", ...offsets);
    world.clock.advance(7 * DAY_MS);
    const { logEndOffset } = cluster.describeOffsets(PLACE);
    expect(await cluster.groups.expireOffsets()).toHaveLength(1000);
    expect(cluster.describeOffsets(PLACE).logEndOffset).toBe(logEndOffset + 1000);
    expect(await committed(cluster, "billing")).toEqual([]);
    await cluster.close();
  });

  test("one partition of the internal topic that cannot be written stops no other, and its problem is told", async () => {
    const world = memoryWorld();
    const cluster = await openOffsets(world, { offsetsTopicPartitions: 2 });
    await commit(cluster, "a", "orders:0=1");
    await commit(cluster, "b", "orders:0=1");
    world.clock.advance(7 * DAY_MS);
    const fault = world.faults.arm({ point: "coordinator.write.before_append", action: "error" });
    expect(await rejection(cluster.groups.expireOffsets())).toMatchObject({ code: "STORAGE_ERROR" });
    expect(fault.hits).toBe(2);
    const left = [...(await committed(cluster, "a")), ...(await committed(cluster, "b"))];
    expect(left).toHaveLength(1);
    await cluster.close();
  });
});
