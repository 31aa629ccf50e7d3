/** Members of a classic group over a cluster: what waits, what is told, and what time does. */
import { describe, expect, test } from "vitest";
import {
  asked,
  ClassicTestMember,
  GROUP,
  REBALANCE_MS,
  SESSION_MS,
  said,
  together,
} from "./classic-world.ts";
import { openGroups, TestMember } from "./group-world.ts";
import { memoryWorld, rejection } from "./world.ts";

async function open(config = {}, names = ["a", "b", "c"]) {
  const world = memoryWorld();
  const cluster = await openGroups(world, config);
  const [a, b, c] = names.map((name) => new ClassicTestMember(cluster, name, GROUP)) as [
    ClassicTestMember,
    ClassicTestMember,
    ClassicTestMember,
  ];
  const expire = async () =>
    (await cluster.groups.expireMembers()).map(({ memberId, cause }) => `${memberId} ${cause}`);
  return { world, cluster, a, b, c, expire };
}

describe("members", () => {
  test("come together, wait for one another, and have what the leader says", async () => {
    const { a, b } = await open();
    expect(await a.join().ended).toBe("joins 1 and leads 1");
    const first = b.join();
    expect(await said(first)).toEqual([null]);
    expect(await a.beat().ended).toBe("REBALANCE_IN_PROGRESS");
    const again = a.join();
    expect(await said(again, first)).toEqual(["joins 2 and leads 2", "joins 2"]);
    expect([a.leader, b.leader]).toEqual([a.memberId, a.memberId]);
    const follower = b.sync();
    expect(await said(follower)).toEqual([null]);
    const leader = a.sync({ [a.memberId]: "0,2", [b.memberId]: "1,3" });
    expect(await said(leader, follower)).toEqual(['has "0,2"', 'has "1,3"']);
    expect(await b.sync().ended).toBe('has "1,3"');
    expect(await b.beat().ended).toBe("lives");
    expect(await b.beat(1).ended).toBe("ILLEGAL_GENERATION");
  });

  test("that the leader leaves out have nothing", async () => {
    const { a, b } = await open();
    await together([a, b]);
    const [one, other] = [a.join(), b.join()];
    await Promise.all([one.ended, other.ended]);
    const waits = b.sync();
    expect(await said(a.sync({ [a.memberId]: "all" }), waits)).toEqual(['has "all"', 'has ""']);
  });

  test("without an id are given one to come with, where their client knows that", async () => {
    const { cluster, a } = await open();
    const known = { requiresKnownMemberId: true };
    const problem = await rejection(
      cluster.groups.classic.join({
        ...{ groupId: GROUP, memberId: "", clientId: "app", clientHost: "host" },
        ...{ protocolType: "consumer", protocols: [{ name: "range", metadata: Buffer.alloc(0) }] },
        ...{ sessionTimeoutMs: SESSION_MS, rebalanceTimeoutMs: REBALANCE_MS, requiresKnownMemberId: true },
      }),
    );
    expect(problem).toMatchObject({
      code: "MEMBER_ID_REQUIRED",
      details: { member_id: expect.stringMatching(/^app-[0-9a-f-]{36}$/) },
    });
    expect(await a.join(known).ended).toBe("MEMBER_ID_REQUIRED");
    a.memberId = (problem as { details: { member_id: string } }).details.member_id;
    expect(await a.join(known).ended).toBe("joins 1 and leads 1");
  });

  test("that leave are gone when they are told so, and the others are to join again", async () => {
    const { a, b } = await open();
    await together([a, b]);
    expect(await b.leave().ended).toBe("left");
    expect(await b.leave().ended).toBe("UNKNOWN_MEMBER");
    expect(await b.beat().ended).toBe("UNKNOWN_MEMBER");
    expect(await a.beat().ended).toBe("REBALANCE_IN_PROGRESS");
    expect(await a.join().ended).toBe("joins 3 and leads 1");
  });

  test("that leave and come again within one step are waited for by nobody who is gone", async () => {
    const { a, b } = await open();
    await together([a, b]);
    const [left, back] = [b.leave(), new ClassicTestMember(b.cluster, "b").join()];
    expect(await said(left, back)).toEqual(["left", null]);
    expect(await said(a.join(), back)).toEqual(["joins 3 and leads 2", "joins 3"]);
    expect(a.others).toHaveLength(2);
    expect(a.others).not.toContain(b.memberId);
  });

  test("that leave together are told one by one what became of them", async () => {
    const { cluster, a, b } = await open();
    await together([a, b]);
    const members = [
      { memberId: a.memberId },
      { memberId: "z" },
      { memberId: "", groupInstanceId: "nobody" },
      { memberId: a.memberId },
      { memberId: b.memberId },
    ];
    const left = await cluster.groups.classic.leave({ groupId: GROUP, members });
    expect(left.map(({ code }) => code)).toEqual([
      null,
      "UNKNOWN_MEMBER",
      "UNKNOWN_MEMBER",
      "UNKNOWN_MEMBER",
      null,
    ]);
    expect(await a.join().ended).toBe("UNKNOWN_MEMBER");
  });

  test("of no group are refused, and no topic is made for them", async () => {
    const { cluster, a } = await open();
    a.memberId = "somebody";
    for (const request of [a.join(), a.sync(), a.beat(1), a.leave()])
      expect(await request.ended).toBe("UNKNOWN_MEMBER");
    expect(cluster.hasTopic("__consumer_offsets")).toBe(false);
  });

  test.each([
    ["INVALID_SESSION_TIMEOUT", { sessionTimeoutMs: 5_999 }],
    ["INVALID_SESSION_TIMEOUT", { sessionTimeoutMs: 1_800_001 }],
    ["INVALID_GROUP_ID", { groupId: "" }],
    ["INVALID_REQUEST", { memberId: "\ud800" }],
    ["INCONSISTENT_GROUP_PROTOCOL", { protocols: [] }],
  ])("are refused with %s for %j", async (code, changes) => {
    expect(await (await open()).a.join(changes).ended).toBe(code);
  });

  test("are as many as group.max.size allows", async () => {
    const { a, b, c } = await open({ groupMaxSize: 2 });
    await together([a, b]);
    expect(await c.join().ended).toBe("GROUP_MAX_SIZE_REACHED");
    expect(await b.beat().ended).toBe("lives");
  });

  test("whose request is sent again are told by the newer one alone", async () => {
    const { a, b } = await open();
    await together([a, b]);
    const [first, second] = [a.join(), a.join()];
    expect(await said(first, second)).toEqual(["REBALANCE_IN_PROGRESS", null]);
  });
});

describe("time", () => {
  test("ends the session of a silent member, and the others are to join again", async () => {
    const { world, a, b, expire } = await open();
    await together([a, b]);
    world.clock.advance(SESSION_MS - 1);
    await a.beat().ended;
    expect(await expire()).toEqual([]);
    world.clock.advance(1);
    expect(await expire()).toEqual([`${b.memberId} session_timeout`]);
    expect(await a.beat().ended).toBe("REBALANCE_IN_PROGRESS");
    expect(await b.beat().ended).toBe("UNKNOWN_MEMBER");
  });

  test("does not count for who waits for an answer", async () => {
    const { world, a, b, expire } = await open();
    await together([a, b]);
    const waits = b.join({ protocols: [{ name: "range", metadata: Buffer.from("more") }] });
    world.clock.advance(SESSION_MS);
    expect(await expire()).toEqual([`${a.memberId} session_timeout`]);
    expect(await said(waits)).toEqual(["joins 3 and leads 1"]);
  });

  test("ends the wait for who does not join again, after the longest rebalance timeout", async () => {
    const { world, a, b, c, expire } = await open();
    await together([a, b]);
    const waits = c.join();
    for (let passed = 0; passed < REBALANCE_MS; passed += 5_000) {
      expect(await expire()).toEqual([]);
      await Promise.all([a.beat().ended, b.beat().ended]);
      world.clock.advance(5_000);
    }
    expect(await expire()).toEqual([`${a.memberId} rebalance_timeout`, `${b.memberId} rebalance_timeout`]);
    expect(await said(waits)).toEqual(["joins 3 and leads 1"]);
  });

  test("ends the membership of who never asks for its assignment", async () => {
    const { world, a, b, expire } = await open();
    await a.join().ended;
    const [one, other] = [b.join(), a.join()];
    await Promise.all([one.ended, other.ended]);
    await a.sync({ [a.memberId]: "all" }).ended;
    for (let passed = 0; passed < REBALANCE_MS; passed += 5_000) {
      expect(await expire()).toEqual([]);
      await Promise.all([a.beat().ended, b.beat().ended]);
      world.clock.advance(5_000);
    }
    expect(await expire()).toEqual([`${b.memberId} rebalance_timeout`]);
    expect(await a.beat().ended).toBe("REBALANCE_IN_PROGRESS");
  });

  test("begins the first generation of a group after group.initial.rebalance.delay.ms", async () => {
    const { world, a, b, expire } = await open({ groupInitialRebalanceDelayMs: 3_000 });
    const waiting = [a.join(), b.join()];
    expect(await said(...waiting)).toEqual([null, null]);
    world.clock.advance(3_000);
    await expire();
    expect(await said(...waiting), "b came after a").toEqual([null, null]);
    world.clock.advance(3_000);
    await expire();
    expect(await said(...waiting)).toEqual(["joins 1 and leads 2", "joins 1"]);
  });

  test("forgets an id that was given and not used", async () => {
    const { world, cluster, a, expire } = await open();
    const known = { requiresKnownMemberId: true };
    await a.join(known).ended;
    const [given] = world.events.events.filter(({ kind }) => kind === "member_id_given");
    a.memberId = (given as { memberId: string }).memberId;
    world.clock.advance(SESSION_MS);
    expect(await expire()).toEqual([`${a.memberId} session_timeout`]);
    expect(await a.join(known).ended).toBe("UNKNOWN_MEMBER");
    expect((await cluster.groups.list()).groups).toEqual([]);
  });
});

describe("a commit", () => {
  test("is a member's of the current generation, once it has assignments", async () => {
    const { cluster, a, b } = await open();
    await together([a, b]);
    expect(await b.commit(5).ended).toBe("committed 5");
    expect(await b.commit(6, 1).ended).toBe("ILLEGAL_GENERATION");
    const [one, other] = [b.join({ protocols: [{ name: "range", metadata: Buffer.from("x") }] }), a];
    expect(await b.commit(6).ended, "while members join").toBe("committed 6");
    await Promise.all([other.join().ended, one.ended]);
    expect(await b.commit(7).ended, "while assignments are under way").toBe("REBALANCE_IN_PROGRESS");
    await a.sync().ended;
    expect(await b.commit(7).ended).toBe("committed 7");
    const nobody = { memberId: "", generation: -1 };
    const offsets = [{ topic: "orders", partition: 0, offset: 9, metadata: null }];
    for (const member of [null, nobody]) {
      const commit = cluster.groups.commit({ groupId: GROUP, member, offsets });
      expect(await asked(commit, () => "committed").ended).toBe("UNKNOWN_MEMBER");
    }
    await Promise.all([a.leave().ended, b.leave().ended]);
    await cluster.groups.commit({ groupId: GROUP, member: nobody, offsets });
    expect((await cluster.groups.committed({ groupId: GROUP }))[0]?.offset).toBe(9);
  });

  test("of a static member that another one has replaced is fenced", async () => {
    const { cluster, a } = await open();
    a.instanceId = "one";
    await together([a]);
    const next = new ClassicTestMember(cluster, "a");
    next.instanceId = "one";
    expect(await next.join().ended).toBe("joins 1");
    expect(await a.commit(1).ended).toBe("FENCED_INSTANCE_ID");
    expect(await a.beat().ended).toBe("FENCED_INSTANCE_ID");
    expect(await next.sync().ended).toBe('has "a"');
    expect(await next.commit(1).ended).toBe("committed 1");
  });
});

describe("a group is of one kind", () => {
  test("while it has members: the others are refused, by code", async () => {
    const { cluster, a } = await open();
    await together([a]);
    const member = new TestMember(cluster, "m", GROUP);
    expect(await rejection(member.join())).toMatchObject({ code: "INCONSISTENT_GROUP_PROTOCOL" });
    expect(await rejection(member.beat())).toMatchObject({ code: "UNKNOWN_MEMBER" });
    expect(await rejection(member.leave())).toMatchObject({ code: "UNKNOWN_MEMBER" });
    expect(await rejection(cluster.groups.delete(GROUP))).toMatchObject({ code: "GROUP_NOT_EMPTY" });
    await a.leave().ended;
    expect(await member.join()).toBe("@3 0,1,2,3");
    expect(await a.join().ended).toBe("INCONSISTENT_GROUP_PROTOCOL");
    expect(await a.beat(3).ended).toBe("INCONSISTENT_GROUP_PROTOCOL");
  });

  test("and of the other when it is empty, with its offsets, and goes on counting, also when it was deleted", async () => {
    const { cluster, a } = await open();
    await together([a]);
    await a.commit(5).ended;
    await a.leave().ended;
    const member = new TestMember(cluster, "m", GROUP);
    await member.join();
    expect((await cluster.groups.committed({ groupId: GROUP }))[0]?.offset).toBe(5);
    await member.leave();
    await cluster.groups.delete(GROUP);
    a.memberId = "";
    expect(await a.join().ended).toBe("joins 5 and leads 1");
    await a.leave().ended;
    await cluster.groups.delete(GROUP);
    expect(await rejection(cluster.groups.describe(GROUP))).toMatchObject({ code: "UNKNOWN_GROUP" });
  });
});

test("the coordinator of a group, and of a transactional id, is who leads its partition, which is made for the question", async () => {
  const { cluster } = await open({ brokerIds: [1, 2, 3], offsetsTopicPartitions: 3 });
  const at = await cluster.groups.coordinatorOf(GROUP);
  const { partition } = await cluster.groups.partitionOf(GROUP);
  expect(cluster.replicaSet({ topic: "__consumer_offsets", partition }).leaderId).toBe(at);
  await cluster.stopBroker(at);
  expect(await rejection(cluster.groups.coordinatorOf(GROUP))).toMatchObject({
    code: "LEADER_NOT_AVAILABLE",
  });
  await cluster.startBroker(at);
  expect([1, 2, 3]).toContain(await cluster.transactions.coordinatorOf("payments"));
});
