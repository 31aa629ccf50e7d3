/** What is foretold of what groups have committed, and of their members; with the times at which that comes. */
import { expect, test } from "vitest";
import type { BrokerCluster } from "../src/cluster/cluster.ts";
import { openGroups, TestMember } from "./group-world.ts";
import { commit, OFFSETS_TOPIC, openOffsets } from "./offsets-world.ts";
import { outcomeOf, settle } from "./replica-world.ts";
import { memoryWorld } from "./world.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
const NOTHING = { expired: [], dying: [], forgotten: [], loads: [] };

function foretold(cluster: BrokerCluster, operation: "expire_offsets" | "expire_members") {
  return cluster.foresight.steps().find((step) => step.operation === operation)?.would;
}

function nextOf(cluster: BrokerCluster, what: string) {
  const { dueMs, ...deadline } = cluster.foresight.deadlines().find((each) => each.what === what) ?? {};
  return { inMs: (dueMs ?? Number.NaN) - cluster.env.clock.nowMs(), ...deadline };
}

test("offsets are foretold to be forgotten from the millisecond on in which a step forgets them, and their deadline says when", async () => {
  const world = memoryWorld();
  const cluster = await openOffsets(world);
  await commit(cluster, "billing", "orders:0=1", "orders:1=1");
  expect(nextOf(cluster, "offset_retention")).toMatchObject({ inMs: 7 * DAY_MS, groupId: "billing" });
  world.clock.advance(7 * DAY_MS - 1);
  expect(foretold(cluster, "expire_offsets")).toBeUndefined();
  world.clock.advance(1);
  const would = foretold(cluster, "expire_offsets");
  expect(would).toEqual({ ...NOTHING, expired: await cluster.groups.expireOffsets() });
  expect(would).toMatchObject({ expired: [{ partition: 0 }, { partition: 1 }] });
  expect(foretold(cluster, "expire_offsets")).toBeUndefined();
  await cluster.close();
});

test("offsets of a topic that is gone are foretold at once, and a group that has nothing else dies, and is forgotten in time", async () => {
  const world = memoryWorld();
  const cluster = await openGroups(world);
  const member = new TestMember(cluster, "m", "billing");
  await member.join();
  await member.commit({ 0: 3 });
  await member.leave();
  cluster.deleteTopic("orders");
  const expired = [{ groupId: "billing", topic: "orders", partition: 0 }];
  expect(foretold(cluster, "expire_offsets")).toEqual({ ...NOTHING, expired, dying: ["billing"] });
  expect(await cluster.groups.expireOffsets()).toEqual(expired);
  expect(world.events.of("group_deleted")).toHaveLength(1);
  expect(foretold(cluster, "expire_offsets")).toBeUndefined();
  const { inMs } = nextOf(cluster, "group_retention");
  world.clock.advance(inMs - 1);
  expect(foretold(cluster, "expire_offsets")).toBeUndefined();
  world.clock.advance(1);
  expect(foretold(cluster, "expire_offsets")).toEqual({ ...NOTHING, forgotten: ["billing"] });
  await cluster.groups.expireOffsets();
  expect(foretold(cluster, "expire_offsets")).toBeUndefined();
  await cluster.close();
});

test("a member is told with the deadline of its session, which each heartbeat moves, and that comes to the millisecond", async () => {
  const world = memoryWorld();
  const cluster = await openGroups(world);
  const member = new TestMember(cluster, "m");
  await member.join({ sessionTimeoutMs: 6000 });
  world.clock.advance(1000);
  expect(nextOf(cluster, "session_timeout")).toMatchObject({ inMs: 5000, memberId: "m" });
  await member.beat();
  expect(nextOf(cluster, "session_timeout")).toMatchObject({ inMs: 6000, operation: "expire_members" });
  world.clock.advance(5999);
  expect(foretold(cluster, "expire_members")).toBeUndefined();
  world.clock.advance(1);
  expect(foretold(cluster, "expire_members")).toMatchObject({
    expired: await cluster.groups.expireMembers(),
  });
  await cluster.close();
});

test("which brokers have to copy what a step writes is foretold, and the step is done when they have", async () => {
  const world = memoryWorld();
  const cluster = await openGroups(world, { brokerIds: [1, 2, 3] });
  const copied = async <Result>(promise: Promise<Result>): Promise<Result> => {
    await settle();
    expect(await outcomeOf(promise)).toBe("pending");
    for (let round = 0; round < 8; round++) await cluster.replicateOnce();
    return promise;
  };
  await copied(new TestMember(cluster, "m").join({ sessionTimeoutMs: 6000 }));
  world.clock.advance(6000);
  const place = { topic: OFFSETS_TOPIC, partition: 0 };
  const { leaderId, inSyncReplicas } = cluster.replicaSet(place);
  expect(inSyncReplicas).toHaveLength(3);
  const copiersOf = (operation: string) =>
    cluster.foresight.steps().flatMap((step) => {
      return step.operation === operation ? [cluster.foresight.copiersOf(step)] : [];
    });
  const others = inSyncReplicas.filter((brokerId) => brokerId !== leaderId);
  expect(copiersOf("expire_members")).toEqual([others]);
  const away = others[0] ?? 0;
  cluster.removeFromIsr(place, away);
  expect(copiersOf("expire_members")).toEqual([others.slice(1)]);
  expect(await copied(cluster.groups.expireMembers())).toMatchObject([{ memberId: "m" }]);
  await cluster.close();
});

test("where nobody follows, a step has nobody to wait for", async () => {
  const world = memoryWorld();
  const cluster = await openGroups(world);
  await new TestMember(cluster, "m").join({ sessionTimeoutMs: 6000 });
  world.clock.advance(6000);
  const steps = cluster.foresight.steps();
  expect(steps.map(({ operation }) => operation)).toContain("expire_members");
  expect(steps.flatMap((step) => cluster.foresight.copiersOf(step))).toEqual([]);
  await cluster.close();
});

test("what no coordinator has in memory is foretold to be loaded, and nothing else", async () => {
  const world = memoryWorld();
  const before = await openOffsets(world);
  await commit(before, "billing", "orders:0=1");
  await before.close();
  const cluster = await openOffsets(world);
  world.clock.advance(8 * DAY_MS);
  const loads = [{ topic: OFFSETS_TOPIC, partition: 0 }];
  expect(foretold(cluster, "expire_offsets")).toEqual({ ...NOTHING, loads });
  expect(foretold(cluster, "expire_members")).toEqual({ expired: [], rebalanced: [], loads });
  await cluster.groups.expireMembers();
  expect(foretold(cluster, "expire_members")).toBeUndefined();
  expect(foretold(cluster, "expire_offsets")).toMatchObject({ expired: [{ groupId: "billing" }], loads: [] });
  await cluster.close();
});
