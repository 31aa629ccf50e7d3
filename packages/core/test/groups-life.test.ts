/** Groups through the ends of the world: restarts, crashes at every instant, promotions, and logs that refuse. */
import { describe, expect, test } from "vitest";
import type { BrokerCluster } from "../src/cluster/cluster.ts";
import { afterEachCrash, lived } from "./group-lives.ts";
import { committedOf, described, GROUP, openGroups, orders, TestMember } from "./group-world.ts";
import { outcomeOf, settle } from "./replica-world.ts";
import { memoryWorld, rejection, type World } from "./world.ts";

const PLACE = { topic: "__consumer_offsets", partition: 0 };

/** The same member, as it goes on with a cluster that was opened anew. */
function again(cluster: BrokerCluster, { memberId, generation }: TestMember): TestMember {
  const member = new TestMember(cluster, memberId);
  member.generation = generation;
  return member;
}

describe("a restart", () => {
  test.each(["close", "crash"] as const)(
    "(%s) keeps members, what they hold and the generation: they go on as if nothing had happened",
    async (end) => {
      const world = memoryWorld();
      const first = await openGroups(world);
      const [before, other] = [new TestMember(first, "a"), new TestMember(first, "b")];
      await before.join();
      await other.join();
      await before.assignment();
      await before.commit({ 1: 7 });
      const seen = await first.groups.describe(GROUP);
      await first[end]();
      if (end === "crash") world.disk.crash({ mode: "lost" });
      const cluster = await openGroups(world);
      expect(await cluster.groups.describe(GROUP)).toEqual(seen);
      const [a, b] = [again(cluster, before), again(cluster, other)];
      await a.commit({ 1: 8 });
      expect(await a.beat(orders(0, 2))).toBe("@2 0,2");
      expect(await b.beat()).toBe("@2 1,3");
      expect(await committedOf(cluster)).toEqual(["orders:1=8"]);
      expect(await new TestMember(cluster, "c").join()).toBe("@3  +2");
    },
  );

  test("a member of before it cannot commit over its successor", async () => {
    const world = memoryWorld();
    const first = await openGroups(world);
    const zombie = new TestMember(first, "a");
    await zombie.join();
    await first.crash();
    world.disk.crash({ mode: "lost" });
    const cluster = await openGroups(world);
    const successor = new TestMember(cluster, "b");
    world.clock.advance(10_000);
    expect(await cluster.groups.expireMembers(), "the session begins with the load").toEqual([]);
    world.clock.advance(10_000);
    expect(await cluster.groups.expireMembers()).toMatchObject([{ memberId: "a" }]);
    expect(await successor.join()).toBe("@3 0,1,2,3");
    await successor.commit({ 0: 10 });
    expect(await rejection(again(cluster, zombie).commit({ 0: 5 }))).toMatchObject({
      code: "UNKNOWN_MEMBER",
    });
    expect(await again(cluster, zombie).join()).toBe("@4  +0,2");
    expect(await rejection(again(cluster, zombie).commit({ 0: 5 }))).toMatchObject({
      code: "ILLEGAL_GENERATION",
    });
    expect(await committedOf(cluster)).toEqual(["orders:0=10"]);
  });
});

async function stateIn(cluster: BrokerCluster): Promise<string> {
  const group = await described(cluster).catch((problem) => problem.code as string);
  if (typeof group === "string") return group;
  return `${group.join(" | ")} | ${(await committedOf(cluster)).join(" ")}`.trim();
}

describe("a crash at any instant", () => {
  test("leaves the group as it was answered last or as it was being changed, whole, and every member may go on", async () => {
    const instants = await lived(stateIn, async (cluster, step) => {
      const [a, b] = [new TestMember(cluster, "a"), new TestMember(cluster, "b")];
      await step(() => a.join(), "stable@1 | a 0,1,2,3 |");
      await step(() => a.commit({ 0: 1, 1: 1 }), "stable@1 | a 0,1,2,3 | orders:0=1 orders:1=1");
      await step(() => b.join(), "reconciling@2 | a 0,2 -1,3 | b  +1,3 | orders:0=1 orders:1=1");
      await a.assignment();
      const released = orders(0, 2, 3);
      await step(() => a.beat(released), "reconciling@2 | a 0,2 -3 | b 1 +3 | orders:0=1 orders:1=1");
      await step(() => b.commit({ 1: 2 }), "reconciling@2 | a 0,2 -3 | b 1 +3 | orders:0=1 orders:1=2");
      cluster.steps.rollSegment(PLACE);
      await step(() => a.leave(), "stable@3 | b 0,1,2,3 | orders:0=1 orders:1=2");
      await cluster.steps.flushLogs();
      await cluster.steps.compact(() => Promise.resolve(), PLACE.topic);
      await step(() => b.leave(), "empty@4 | orders:0=1 orders:1=2");
      await step(() => cluster.groups.delete(GROUP), "UNKNOWN_GROUP");
      await step(() => a.join(), "stable@5 | a 0,1,2,3 |");
    });
    expect(instants.length).toBeGreaterThan(40);
    await afterEachCrash(instants, stateIn, async ({ cluster, generation, where }) => {
      const shown = await new TestMember(cluster, "z").join();
      expect(Number(shown.slice(1).split(" ")[0]), where).toBeGreaterThan(generation);
    });
  }, 60_000);
});

describe("a record that the log refuses", () => {
  test("leaves the group as it was; one that stands in the log and was not acknowledged counts, and is told once it is", async () => {
    const world = memoryWorld();
    const cluster = await openGroups(world);
    const [a, b] = [new TestMember(cluster, "a"), new TestMember(cluster, "b")];
    await a.join();
    const before = world.faults.arm({ point: "coordinator.write.before_append", action: "error" });
    expect(await rejection(b.join())).toMatchObject({ code: "STORAGE_ERROR" });
    before.assertFired();
    expect(await described(cluster)).toEqual(["stable@1", "a 0,1,2,3"]);
    expect(await a.beat()).toBe("@1 0,1,2,3");
    const after = world.faults.arm({ point: "coordinator.write.after_append", action: "error" });
    expect(await rejection(b.join())).toMatchObject({ code: "STORAGE_ERROR" });
    after.assertFired();
    expect(await b.join()).toBe("@2  +1,3");
    expect(world.events.of("generation_started").map(({ generation }) => generation)).toEqual([1]);
  });

  test("a group that cannot be loaded answers its error, is not skipped in the list, and works again when it can be", async () => {
    const world = memoryWorld();
    const first = await openGroups(world);
    await new TestMember(first, "a").join();
    await first.close();
    const cluster = await openGroups(world);
    const fault = world.faults.arm({
      point: "coordinator.load.before_read",
      action: "error",
      times: "always",
    });
    const a = new TestMember(cluster, "a");
    expect(await rejection(a.assignment())).toMatchObject({ code: "STORAGE_ERROR" });
    expect(await rejection(cluster.groups.list())).toMatchObject({ code: "STORAGE_ERROR" });
    expect(await rejection(cluster.groups.expireMembers())).toMatchObject({ code: "STORAGE_ERROR" });
    world.faults.disarm(fault);
    expect(await a.assignment()).toBe("@1 0,1,2,3");
  });
});

test("of groups in two partitions, the list has those that can be read, and says which partition cannot", async () => {
  const world = memoryWorld();
  const config = { offsetsTopicPartitions: 2 };
  const first = await openGroups(world, config);
  // By their hash, a is in partition 1 and b in partition 0.
  for (const groupId of ["a", "b"]) await new TestMember(first, "m", groupId).join();
  await first.close();
  const cluster = await openGroups(world, config);
  const fault = world.faults.arm({ point: "coordinator.load.before_read", action: "error" });
  const { groups, unreadable } = await cluster.groups.list();
  fault.assertFired();
  expect(groups.map(({ groupId }) => groupId)).toEqual(["a"]);
  expect(unreadable).toEqual([{ partition: 0, error: expect.objectContaining({ code: "STORAGE_ERROR" }) }]);
  const again = await cluster.groups.list();
  expect([again.groups.map(({ groupId }) => groupId), again.unreadable]).toEqual([["a", "b"], []]);
});

/** Copies until nobody is behind, so that whoever waits for acks=all is told. */
async function replicate(cluster: BrokerCluster): Promise<void> {
  for (let round = 0; round < 3; round++) await cluster.replicateOnce({ topic: PLACE.topic });
  await settle();
}

/** What `act` resolves with, while the followers fetch. */
async function replicated<Result>(cluster: BrokerCluster, act: Promise<Result>): Promise<Result> {
  act.catch(() => {});
  while (!cluster.hasTopic(PLACE.topic)) await new Promise(setImmediate);
  await settle();
  await replicate(cluster);
  return act;
}

async function onThreeBrokers(): Promise<{
  world: World;
  cluster: BrokerCluster;
  a: TestMember;
  b: TestMember;
}> {
  const world = memoryWorld();
  const cluster = await openGroups(world, { brokerIds: [1, 2, 3] });
  return { world, cluster, a: new TestMember(cluster, "a"), b: new TestMember(cluster, "b") };
}

describe("three brokers", () => {
  test("a member hears of its share when all in sync have it, and nobody is shown it before", async () => {
    const { cluster, a, b } = await onThreeBrokers();
    expect(await replicated(cluster, a.join())).toBe("@1 0,1,2,3");
    const joining = b.join();
    expect(await outcomeOf(joining)).toBe("pending");
    expect(await described(cluster)).toEqual(["stable@1", "a 0,1,2,3"]);
    const asking = a.assignment();
    expect(await outcomeOf(asking), "what a is told rests on b's record").toBe("pending");
    await replicate(cluster);
    expect([await joining, await asking]).toEqual(["@2  +1,3", "@2 0,2"]);
  });

  test("after a promotion of the coordinator's partition the members go on with the new one", async () => {
    const { world, cluster, a, b } = await onThreeBrokers();
    await replicated(cluster, a.join());
    await replicated(cluster, b.join());
    world.clock.advance(6_000);
    await cluster.promote(PLACE, 2);
    expect(await a.assignment()).toBe("@2 0,2");
    expect(await replicated(cluster, a.beat(orders(0, 2)))).toBe("@2 0,2");
    expect(await b.beat()).toBe("@2 1,3");
    expect((await cluster.groups.describe(GROUP)).coordinatorId).toBe(2);
    world.clock.advance(9_999);
    expect(await cluster.groups.expireMembers(), "sessions begin anew").toEqual([]);
  });

  test("what was not acknowledged when the leadership moved never was, and the generation goes on from what was", async () => {
    const { cluster, a, b } = await onThreeBrokers();
    await replicated(cluster, a.join());
    const lost = rejection(b.join());
    await settle();
    await cluster.promote(PLACE, 2);
    expect(await lost).toMatchObject({ code: "FENCED_LEADER_EPOCH" });
    expect(await described(cluster)).toEqual(["stable@1", "a 0,1,2,3"]);
    expect(await replicated(cluster, b.join())).toBe("@2  +1,3");
  });

  test("while the coordinator's broker is stopped nobody is expired; members are told to try again", async () => {
    const { world, cluster, a } = await onThreeBrokers();
    await replicated(cluster, a.join());
    await cluster.stopBroker(1);
    expect(await rejection(a.beat())).toMatchObject({ code: "LEADER_NOT_AVAILABLE" });
    world.clock.advance(60_000);
    expect(await cluster.groups.expireMembers()).toEqual([]);
    await cluster.startBroker(1);
    expect(await a.beat()).toBe("@1 0,1,2,3");
  });

  test("members of several groups are expired together: one round of the followers is enough for all", async () => {
    const { world, cluster, a } = await onThreeBrokers();
    await replicated(cluster, a.join());
    await replicated(cluster, new TestMember(cluster, "b", "other").join());
    world.clock.advance(10_000);
    const expiring = cluster.groups.expireMembers();
    expect(await outcomeOf(expiring)).toBe("pending");
    await replicate(cluster);
    expect(await expiring).toEqual([
      { groupId: GROUP, memberId: "a", cause: "session_timeout" },
      { groupId: "other", memberId: "b", cause: "session_timeout" },
    ]);
  });

  test("a caller whose time is over hears of it; the change goes on and is told, and asking again changes nothing", async () => {
    const { world, cluster, a, b } = await onThreeBrokers();
    await replicated(cluster, a.join());
    const time = new AbortController();
    const request = { groupId: GROUP, memberId: "b", topics: ["orders"], assignor: "roundrobin" } as const;
    const waiting = rejection(cluster.groups.join(request, { giveUp: time.signal }));
    await settle();
    time.abort();
    expect(await waiting).toMatchObject({ code: "REQUEST_TIMED_OUT" });
    expect(await replicated(cluster, b.join())).toBe("@2  +1,3");
    expect(world.events.of("member_joined").map(({ memberId }) => memberId)).toEqual(["a", "b"]);
  });
});

describe("members that race", () => {
  test("for the first place in a group, while its topic is being made, are one after the other", async () => {
    const cluster = await openGroups(memoryWorld());
    const members = ["c", "a", "b"].map((memberId) => new TestMember(cluster, memberId));
    const told = await Promise.all(members.map((member) => member.join()));
    expect(told).toEqual(["@1 0,1,2,3", "@2  +0,2", "@3  +1"]);
    expect(await described(cluster)).toEqual(["reconciling@3", "a  +0,3", "b  +1", "c 2 -0,1,3"]);
  });

  test("a commit that was called before another's join counts, one that was called after it is stale", async () => {
    const cluster = await openGroups(memoryWorld());
    const [a, b] = [new TestMember(cluster, "a"), new TestMember(cluster, "b")];
    await a.join();
    const outcomes = await Promise.allSettled([a.commit({ 0: 1 }), b.join(), a.commit({ 0: 2 })]);
    expect(outcomes.map(({ status }) => status)).toEqual(["fulfilled", "fulfilled", "rejected"]);
    expect(await committedOf(cluster)).toEqual(["orders:0=1"]);
  });
});
