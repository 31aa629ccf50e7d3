/** Members of a group over a cluster: who owns what, and who may commit. */
import { describe, expect, test } from "vitest";
import { LIMITS } from "../src/limits.ts";
import { committedOf, described, GROUP, openGroups, orders, TestMember } from "./group-world.ts";
import { memoryWorld, rejection } from "./world.ts";

async function twoMembers(config = {}) {
  const world = memoryWorld();
  const cluster = await openGroups(world, config);
  return { world, cluster, a: new TestMember(cluster, "a"), b: new TestMember(cluster, "b") };
}

describe("four partitions", () => {
  test("go 0,1,2,3 to one member; under barrier the second has 1,3 once the first let go, and never before", async () => {
    const { cluster, a, b } = await twoMembers();
    expect(await a.join()).toBe("@1 0,1,2,3");
    expect(await b.join()).toBe("@2  +1,3");
    expect(await described(cluster)).toEqual(["reconciling@2", "a 0,2 -1,3", "b +1,3"].map(spaced));
    expect(await rejection(a.beat())).toMatchObject({
      code: "ILLEGAL_GENERATION",
      details: { generation: 2 },
    });
    expect(await b.beat([])).toBe("@2  +1,3");
    expect(await a.assignment()).toBe("@2 0,2");
    expect(await a.beat(orders(0, 1, 2, 3))).toBe("@2 0,2");
    expect(await b.beat([])).toBe("@2  +1,3");
    expect(await a.beat(orders(0, 2))).toBe("@2 0,2");
    expect(await b.beat([])).toBe("@2 1,3");
    expect(await described(cluster)).toEqual(["stable@2", "a 0,2", "b 1,3"]);
  });

  test("under immediate the second has 1,3 at once, and the first's old view overlaps until it asks", async () => {
    const { cluster, a, b } = await twoMembers({ rebalance: "immediate" });
    const old = await a.join();
    expect([old, await b.join()]).toEqual(["@1 0,1,2,3", "@2 1,3"]);
    expect(await described(cluster)).toEqual(["stable@2", "a 0,2", "b 1,3"]);
    expect(await rejection(a.beat(orders(0, 1, 2, 3)))).toMatchObject({ code: "ILLEGAL_GENERATION" });
    expect(await a.assignment()).toBe("@2 0,2");
  });
});

function spaced(text: string): string {
  return text.replace("b +", "b  +");
}

describe("a commit", () => {
  test("of a stale generation, or one that is yet to come, is refused, and nothing moves", async () => {
    const { cluster, a, b } = await twoMembers();
    await a.join();
    await a.commit({ 0: 5 });
    await b.join();
    expect(await rejection(a.commit({ 0: 6 }))).toMatchObject({ code: "ILLEGAL_GENERATION" });
    expect(await rejection(a.commit({ 0: 6 }, 3))).toMatchObject({ code: "ILLEGAL_GENERATION" });
    expect(await committedOf(cluster)).toEqual(["orders:0=5"]);
    await a.assignment();
    await a.commit({ 0: 6 });
    expect(await committedOf(cluster)).toEqual(["orders:0=6"]);
  });

  test("of a partition that the member does not hold is refused with all that goes with it; what it is to let go it may commit", async () => {
    const { cluster, a, b } = await twoMembers();
    await a.join();
    await b.join();
    await a.assignment();
    await a.commit({ 1: 7, 3: 8 });
    expect(await rejection(b.commit({ 1: 1 }))).toMatchObject({
      code: "NOT_PARTITION_OWNER",
      details: { topic: "orders", partition: 1 },
    });
    await a.beat(orders(0, 2));
    expect(await rejection(a.commit({ 0: 9, 1: 9 }))).toMatchObject({ code: "NOT_PARTITION_OWNER" });
    await b.commit({ 1: 10 });
    expect(await committedOf(cluster)).toEqual(["orders:1=10", "orders:3=8"]);
  });

  test("by nobody in particular is refused while there are members, whatever it says, and taken when there are none", async () => {
    const { cluster, a } = await twoMembers();
    const offsets = [{ topic: "orders", partition: 0, offset: 3, metadata: null }];
    await a.join();
    const refused = await rejection(cluster.groups.commit({ groupId: GROUP, member: null, offsets }));
    expect(refused).toMatchObject({
      code: "UNKNOWN_MEMBER",
      message: expect.stringMatching(/expected a member of the group/),
    });
    await a.leave();
    await cluster.groups.commit({ groupId: GROUP, member: null, offsets });
    expect(await committedOf(cluster)).toEqual(["orders:0=3"]);
  });

  test("by a member of no group, by no member, and in no generation are different errors", async () => {
    const { cluster, a, b } = await twoMembers();
    expect(await rejection(a.commit({ 0: 1 }))).toMatchObject({ code: "UNKNOWN_GROUP" });
    expect(cluster.hasTopic("__consumer_offsets")).toBe(false);
    await a.join();
    expect(await rejection(b.commit({ 0: 1 }, 1))).toMatchObject({ code: "UNKNOWN_MEMBER" });
    expect(await rejection(a.commit({ 0: 1 }, 0))).toMatchObject({ code: "ILLEGAL_GENERATION" });
    expect(await rejection(a.commit({ 9: 1 }))).toMatchObject({ code: "NOT_PARTITION_OWNER" });
  });

  test("for a topic that was made anew is refused until the group has seen it, also where it began no generation yet", async () => {
    const { cluster, a } = await twoMembers();
    await a.join();
    await a.commit({ 0: 1_000 });
    cluster.deleteTopic("orders");
    expect(await rejection(a.commit({ 0: 1_001 }))).toMatchObject({ code: "UNKNOWN_TOPIC" });
    cluster.createTopic({ topic: "orders", partitions: 5 });
    expect(await rejection(a.commit({ 0: 1_001 }))).toMatchObject({ code: "ILLEGAL_GENERATION" });
    expect(await a.assignment()).toBe("@2 0,1,2,3,4");
    expect(await committedOf(cluster)).toEqual([]);
    await a.commit({ 0: 1 });
    expect(await committedOf(cluster)).toEqual(["orders:0=1"]);
  });
});

describe("topics that come, vanish and come again", () => {
  test("begin a generation at the next heartbeat, and the reason is told in plain words", async () => {
    const { cluster, a } = await twoMembers();
    expect(await a.join({ topics: ["orders", "mail"] })).toBe("@1 0,1,2,3");
    cluster.createTopic({ topic: "mail", partitions: 1 });
    expect(await rejection(a.beat())).toMatchObject({
      code: "ILLEGAL_GENERATION",
      details: { generation: 2 },
    });
    expect(await a.assignment()).toBe("@2 mail-0,0,1,2,3");
    const { lastRebalance } = await cluster.groups.describe(GROUP);
    expect(lastRebalance).toMatchObject({ generation: 2, reason: "the topic mail has come" });
    cluster.deleteTopic("mail");
    expect(await a.assignment()).toBe("@3 0,1,2,3");
  });

  test("or at the next expiry step, when nobody asks", async () => {
    const { cluster, a } = await twoMembers();
    await a.join({ topics: ["mail"] });
    cluster.createTopic({ topic: "mail", partitions: 2 });
    expect(await cluster.groups.expireMembers()).toEqual([]);
    expect(await described(cluster)).toEqual(["stable@2", "a mail-0,mail-1"]);
  });
});

describe("members that subscribe to different topics", () => {
  test("share each topic among those who read it, and let go what they do not read any more", async () => {
    const { cluster, a, b } = await twoMembers();
    cluster.createTopic({ topic: "mail", partitions: 2 });
    await a.join({ topics: ["orders", "mail"] });
    expect(await b.join({ topics: ["mail"] })).toBe("@2  +mail-1");
    expect(await a.join({ topics: ["orders"] })).toBe("@3 0,1,2,3");
    expect(await described(cluster)).toEqual([
      "reconciling@3",
      "a 0,1,2,3 -mail-0,mail-1",
      "b  +mail-0,mail-1",
    ]);
    await a.beat(orders(0, 1, 2, 3));
    expect(await b.assignment()).toBe("@3 mail-0,mail-1");
  });
});

describe("the life of a member", () => {
  test("leaving gives everything to the others at once; the last one leaves an empty group that keeps its offsets", async () => {
    const { cluster, a, b } = await twoMembers();
    await a.join();
    await a.commit({ 0: 4 });
    await b.join();
    expect(await a.leave()).toBe(3);
    expect(await b.assignment()).toBe("@3 0,1,2,3");
    expect(await b.leave()).toBe(4);
    expect(await described(cluster)).toEqual(["empty@4"]);
    expect(await committedOf(cluster)).toEqual(["orders:0=4"]);
    expect(await rejection(b.leave())).toMatchObject({ code: "UNKNOWN_MEMBER" });
    expect(await rejection(new TestMember(cluster, "a", "nobody").leave())).toMatchObject({
      code: "UNKNOWN_GROUP",
    });
  });

  test("joining again with the same subscription changes nothing, and begins the session anew", async () => {
    const { world, cluster, a } = await twoMembers();
    await a.join();
    world.clock.advance(9_000);
    const { logEndOffset } = cluster.describePartition({ topic: "__consumer_offsets", partition: 0 });
    expect(await a.join()).toBe("@1 0,1,2,3");
    expect(cluster.describePartition({ topic: "__consumer_offsets", partition: 0 }).logEndOffset).toBe(
      logEndOffset,
    );
    world.clock.advance(9_000);
    expect(await cluster.groups.expireMembers()).toEqual([]);
  });

  test("a member that is silent for its session timeout is expired by the step, a heartbeat or a commit before keeps it", async () => {
    const { world, cluster, a, b } = await twoMembers();
    await a.join();
    await b.join({ sessionTimeoutMs: 5_000 });
    await a.assignment();
    world.clock.advance(4_999);
    await a.commit({ 0: 1 });
    expect(await cluster.groups.expireMembers()).toEqual([]);
    world.clock.advance(1);
    expect(await cluster.groups.expireMembers()).toEqual([
      { groupId: GROUP, memberId: "b", cause: "session_timeout" },
    ]);
    expect(await rejection(b.beat())).toMatchObject({ code: "UNKNOWN_MEMBER" });
    world.clock.advance(9_998);
    expect(await cluster.groups.expireMembers()).toEqual([]);
    world.clock.advance(1);
    expect(await cluster.groups.expireMembers()).toEqual([
      { groupId: GROUP, memberId: "a", cause: "session_timeout" },
    ]);
    expect(await described(cluster)).toEqual(["empty@4"]);
  });

  test("one that joins again after it was expired is another member, and is told so, whatever it asks", async () => {
    const { world, cluster, a, b } = await twoMembers();
    const since = async () =>
      (await cluster.groups.assignment({ groupId: GROUP, memberId: "a" })).memberSince;
    await a.join();
    await b.join();
    await a.join({ topics: ["orders", "mail"] });
    expect(await since()).toBe(1);
    world.clock.advance(10_000);
    await b.assignment();
    await b.beat();
    expect(await cluster.groups.expireMembers()).toEqual([
      { groupId: GROUP, memberId: "a", cause: "session_timeout" },
    ]);
    await a.join();
    expect(await since()).toBe(5);
  });

  test("a heartbeat or commit of an older generation is no sign of life, and neither is a question", async () => {
    const { world, cluster, a, b } = await twoMembers();
    await a.join();
    await b.join();
    world.clock.advance(9_999);
    await b.beat();
    await rejection(a.beat());
    await rejection(a.commit({ 0: 1 }));
    await cluster.groups.assignment({ groupId: GROUP, memberId: "a" });
    world.clock.advance(1);
    expect(await cluster.groups.expireMembers()).toMatchObject([{ memberId: "a" }]);
    expect(await b.assignment()).toBe("@3 0,1,2,3");
  });

  test("one that never lets go is expired after its rebalance timeout, though it beats all the time", async () => {
    const { world, cluster, a, b } = await twoMembers();
    await a.join({ rebalanceTimeoutMs: 20_000 });
    await b.join();
    await a.assignment();
    for (let beats = 0; beats < 4; beats++) {
      world.clock.advance(4_999);
      await a.beat(orders(0, 1, 2, 3));
      await b.beat();
    }
    expect(await cluster.groups.expireMembers()).toEqual([]);
    world.clock.advance(4);
    expect(await cluster.groups.expireMembers()).toEqual([
      { groupId: GROUP, memberId: "a", cause: "rebalance_timeout" },
    ]);
    expect(await b.assignment()).toBe("@3 0,1,2,3");
    expect((await cluster.groups.describe(GROUP)).lastRebalance?.reason).toMatch(/held a partition back/);
  });
});

describe("groups", () => {
  test("are listed by name with their coordinator, those with offsets alone too, and described; unknown ones are not", async () => {
    const { cluster, a } = await twoMembers();
    expect((await cluster.groups.list()).groups).toEqual([]);
    expect(await rejection(cluster.groups.describe(GROUP))).toMatchObject({ code: "UNKNOWN_GROUP" });
    await a.join();
    const offsets = [{ topic: "orders", partition: 0, offset: 3, metadata: null }];
    await cluster.groups.commit({ groupId: "alone", member: null, offsets });
    expect((await cluster.groups.list()).groups).toEqual([
      {
        ...{ groupId: "alone", type: "consumer", protocolType: null },
        ...{ state: "empty", generation: 0, members: 0, coordinatorId: 1 },
      },
      {
        ...{ groupId: GROUP, type: "consumer", protocolType: "consumer" },
        ...{ state: "stable", generation: 1, members: 1, coordinatorId: 1 },
      },
    ]);
    expect(await cluster.groups.describe(GROUP)).toMatchObject({
      assignor: "roundrobin",
      rebalance: "barrier",
      coordinatorId: 1,
      offsetsPartition: 0,
      lastRebalance: { generation: 1, reason: 'the member "a" joined' },
      members: [
        {
          memberId: "a",
          topics: ["orders"],
          sessionTimeoutMs: 10_000,
          rebalanceTimeoutMs: 300_000,
          heartbeatAgeMs: 0,
        },
      ],
    });
    expect(await rejection(cluster.groups.describe("x"))).toMatchObject({ code: "UNKNOWN_GROUP" });
  });

  test("are deleted with their offsets when they have no members; begun again, they go on counting", async () => {
    const { cluster, a } = await twoMembers();
    expect(await rejection(cluster.groups.delete(GROUP))).toMatchObject({ code: "UNKNOWN_GROUP" });
    await a.join();
    await a.commit({ 0: 4 });
    expect(await rejection(cluster.groups.delete(GROUP))).toMatchObject({
      code: "GROUP_NOT_EMPTY",
      message: expect.stringMatching(/ has 1 member; expected none$/),
    });
    await a.leave();
    await cluster.groups.delete(GROUP);
    expect((await cluster.groups.list()).groups).toEqual([]);
    expect(await committedOf(cluster)).toEqual([]);
    expect(await rejection(cluster.groups.delete(GROUP))).toMatchObject({ code: "UNKNOWN_GROUP" });
    expect(await a.join()).toBe("@3 0,1,2,3");
  });

  test("of which nothing is left go with the offsets' expiry, and are forgotten when those would be", async () => {
    const { world, cluster, a } = await twoMembers({ offsetsRetentionMs: 1_000 });
    await a.join();
    await a.leave();
    await cluster.groups.expireOffsets();
    expect((await cluster.groups.list()).groups).toEqual([]);
    world.clock.advance(999);
    await cluster.groups.expireOffsets();
    expect(await a.join()).toBe("@3 0,1,2,3");
    await a.commit({ 0: 1 });
    await a.leave();
    world.clock.advance(999);
    await cluster.groups.expireOffsets();
    expect(await described(cluster)).toEqual(["empty@4"]);
    world.clock.advance(1);
    expect(await cluster.groups.expireOffsets()).toEqual([{ groupId: GROUP, topic: "orders", partition: 0 }]);
    expect((await cluster.groups.list()).groups).toEqual([]);
    world.clock.advance(1_000);
    await cluster.groups.expireOffsets();
    expect(await a.join(), "nothing is known of it any more").toBe("@1 0,1,2,3");
  });

  test("with more offsets than one batch forgets are deleted whole", async () => {
    const { cluster } = await twoMembers();
    const count = 2 * LIMITS.offsetsForgottenAtOnce + 1;
    for (let base = 0; base < count; base += 1_000)
      cluster.createTopic({ topic: `wide-${base}`, partitions: Math.min(1_000, count - base) });
    const offsets = Array.from({ length: count }, (_, index) => {
      const base = Math.floor(index / 1_000) * 1_000;
      return { topic: `wide-${base}`, partition: index - base, offset: 1, metadata: null };
    });
    await cluster.groups.commit({ groupId: GROUP, member: null, offsets });
    await cluster.groups.delete(GROUP);
    expect(await committedOf(cluster)).toEqual([]);
    expect((await cluster.groups.list()).groups).toEqual([]);
  });
});

describe("what is asked for in the wrong way is refused, and makes no topic", () => {
  test.each([
    [{ memberId: "" }, /member_id is ""/],
    [{ groupId: "x".repeat(256) }, /group_id is .*256 characters/],
    [{ memberId: "\ud800" }, /well-formed/],
    [
      { groupId: "\u{1f600}".repeat(256) },
      /^group_id is "(\\u\{1f600\}){16}" and 480 more characters, 256 characters/,
    ],
    [
      { topics: Array.from({ length: 1_001 }, (_, index) => `t${index}`) },
      /topics names 1001; expected at most 1000/,
    ],
    [{ topics: [""] }, /a topic is ""/],
    [{ assignor: "best" as "sticky" }, /assignor is best; expected roundrobin, range, sticky/],
    [{ sessionTimeoutMs: 0 }, /session_timeout_ms is 0; expected a whole number, 1 to 3600000/],
    [{ rebalanceTimeoutMs: 1.5 }, /rebalance_timeout_ms is 1.5/],
  ])("%j", async (changes, message) => {
    const { cluster, a } = await twoMembers();
    const refused = await rejection(a.join(changes));
    const code = "groupId" in changes ? "INVALID_GROUP_ID" : "INVALID_REQUEST";
    expect(refused).toMatchObject({ code, message: expect.stringMatching(message) });
    expect(cluster.hasTopic("__consumer_offsets")).toBe(false);
  });

  test("a group that takes more than one record may hold is refused, and is as it was", async () => {
    const { cluster, a, b } = await twoMembers();
    const topics = Array.from({ length: 1_000 }, (_, index) => `${index}`.padEnd(249, "x"));
    await a.join();
    for (let index = 0; index < 4; index++) await new TestMember(cluster, `m${index}`).join({ topics });
    expect(await rejection(b.join({ topics }))).toMatchObject({
      code: "GROUP_MAX_SIZE_REACHED",
    });
    expect(await a.assignment()).toBe("@5 0,1,2,3");
  });
});
