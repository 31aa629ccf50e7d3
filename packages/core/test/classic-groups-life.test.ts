/** Classic groups through the ends of the world: restarts, crashes at every instant, promotions, and logs that refuse. */
import { describe, expect, test } from "vitest";
import type { BrokerCluster } from "../src/cluster/cluster.ts";
import {
  type Asked,
  ClassicTestMember,
  GROUP,
  REBALANCE_MS,
  SESSION_MS,
  said,
  together,
} from "./classic-world.ts";
import { afterEachCrash, lived } from "./group-lives.ts";
import { openGroups } from "./group-world.ts";
import { settle } from "./replica-world.ts";
import { memoryWorld, rejection } from "./world.ts";

const PLACE = { topic: "__consumer_offsets", partition: 0 };

/** The same member, as it goes on with a cluster that was opened anew. */
function again(cluster: BrokerCluster, before: ClassicTestMember): ClassicTestMember {
  const member = new ClassicTestMember(cluster, before.name);
  const { memberId, generation, instanceId } = before;
  return Object.assign(member, { memberId, generation, instanceId });
}

/** `stable@2 range`, and each member with what it has: `a>a`. */
async function stateIn(cluster: BrokerCluster): Promise<string> {
  const group = await cluster.groups.describe(GROUP).catch((problem) => problem.code as string);
  if (typeof group === "string") return group;
  const members = group.members.map(({ classic, memberId }) => {
    const leads = group.classic?.leaderId === memberId ? "!" : "";
    return `${classic?.clientId}${leads}=${classic?.assignment}`;
  });
  return [`${group.state}@${group.generation}`, group.classic?.protocol, ...members].join(" ").trim();
}

describe("a restart", () => {
  test.each(["close", "crash"] as const)(
    "(%s) keeps members, generation and assignments: they go on as if nothing had happened, and sessions begin anew",
    async (end) => {
      const world = memoryWorld();
      const first = await openGroups(world);
      const before = [new ClassicTestMember(first, "a"), new ClassicTestMember(first, "b")];
      await together(before);
      const seen = await first.groups.describe(GROUP);
      await first[end]();
      if (end === "crash") world.disk.crash({ mode: "lost" });
      const cluster = await openGroups(world);
      expect(await cluster.groups.describe(GROUP)).toEqual(seen);
      const [a, b] = before.map((member) => again(cluster, member)) as [ClassicTestMember, ClassicTestMember];
      world.clock.advance(SESSION_MS - 1);
      expect(await cluster.groups.expireMembers()).toEqual([]);
      expect(await Promise.all([a.beat().ended, b.sync().ended, b.commit(7).ended])).toEqual([
        "lives",
        'has "b"',
        "committed 7",
      ]);
      const c = new ClassicTestMember(cluster, "c").join();
      const joined = [b.join(), a.join()];
      expect(await said(c, ...joined)).toEqual(["joins 3", "joins 3", "joins 3 and leads 3"]);
    },
  );

  test("after which the leader has not assigned yet: it assigns, and the others have it", async () => {
    const world = memoryWorld();
    const first = await openGroups(world);
    const [one, other] = [new ClassicTestMember(first, "a"), new ClassicTestMember(first, "b")];
    await together([one, other]);
    const joined = [one.join(), other.join()];
    await Promise.all(joined.map(({ ended }) => ended));
    await first.crash();
    world.disk.crash({ mode: "lost" });
    const cluster = await openGroups(world);
    const [a, b] = [again(cluster, one), again(cluster, other)];
    const waits = b.sync();
    expect(await said(waits)).toEqual([null]);
    expect(await said(a.sync({ [b.memberId]: "all" }), waits)).toEqual(['has ""', 'has "all"']);
  });

  test("in the middle of a rebalance has the members join again; who was never told that it is one has to come anew", async () => {
    const world = memoryWorld();
    const first = await openGroups(world);
    const [one, other] = [new ClassicTestMember(first, "a"), new ClassicTestMember(first, "b")];
    await together([one]);
    const parked = other.join();
    await said(parked);
    await first.crash();
    world.disk.crash({ mode: "lost" });
    expect(await parked.ended).toBe("SHUTTING_DOWN");
    const cluster = await openGroups(world);
    const [a, b] = [again(cluster, one), again(cluster, other)];
    expect(await stateIn(cluster)).toBe("preparing_rebalance@1  a!=a");
    expect(await a.beat().ended).toBe("REBALANCE_IN_PROGRESS");
    expect(await said(b.join(), a.join())).toEqual(["joins 2", "joins 2 and leads 2"]);
  });

  test("in the middle of a rebalance ends it after the rebalance timeout, without who does not come", async () => {
    const world = memoryWorld();
    const first = await openGroups(world);
    const [one, other] = [new ClassicTestMember(first, "a"), new ClassicTestMember(first, "b")];
    await together([one, other]);
    await said(one.join());
    await first.crash();
    world.disk.crash({ mode: "lost" });
    const cluster = await openGroups(world);
    const [a, b] = [again(cluster, one), again(cluster, other)];
    const waits = a.join();
    for (let passed = 0; passed < REBALANCE_MS; passed += 5_000) {
      expect(await b.beat().ended).toBe("REBALANCE_IN_PROGRESS");
      expect(await cluster.groups.expireMembers()).toEqual([]);
      world.clock.advance(5_000);
    }
    expect(await cluster.groups.expireMembers()).toMatchObject([{ cause: "rebalance_timeout" }]);
    expect(await said(waits)).toEqual(["joins 3 and leads 1"]);
  });
});

test("a crash at any instant leaves the group as it was answered last or as it was being changed, whole, and its generation goes on", async () => {
  const instants = await lived(stateIn, async (cluster, step) => {
    const [a, b] = [new ClassicTestMember(cluster, "a"), new ClassicTestMember(cluster, "b")];
    const asking = (act: () => readonly Asked[], ...states: string[]) =>
      step(() => Promise.all(act().map(({ ended }) => ended)), ...states);
    await asking(() => [a.join()], "completing_rebalance@1 range a!=");
    await asking(() => [a.sync({ [a.memberId]: "all" })], "stable@1 range a!=all");
    const [preparing, second] = ["preparing_rebalance@1  a!=all", "completing_rebalance@2 range a!= b="];
    await asking(() => [b.join(), a.join()], preparing, second);
    await asking(() => [b.sync(), a.sync({ [b.memberId]: "x" })], "stable@2 range a!= b=x");
    cluster.steps.rollSegment(PLACE);
    await asking(() => [a.leave()], "preparing_rebalance@2  b!=x");
    await asking(() => [b.join()], "completing_rebalance@3 range b!=");
    await cluster.steps.flushLogs();
    await cluster.steps.compact(() => Promise.resolve(), PLACE.topic);
    await asking(() => [b.leave()], "empty@4");
    await step(() => cluster.groups.delete(GROUP), "UNKNOWN_GROUP");
  });
  expect(instants.length).toBeGreaterThan(30);
  await afterEachCrash(instants, stateIn, async ({ world, cluster, generation, where }) => {
    const joining = new ClassicTestMember(cluster, "z").join();
    await settle();
    world.clock.advance(REBALANCE_MS);
    await cluster.groups.expireMembers();
    const [, told = "0"] = /joins (\d+)/.exec(await joining.ended) ?? [];
    expect(Number(told), where).toBeGreaterThan(generation);
  });
}, 60_000);

describe("a record that the log refuses", () => {
  test("leaves the group and who waits in it as they were; the request alone is refused", async () => {
    const world = memoryWorld();
    const cluster = await openGroups(world);
    const [a, b] = [new ClassicTestMember(cluster, "a"), new ClassicTestMember(cluster, "b")];
    await together([a, b]);
    const waits = b.join({ protocols: [{ name: "range", metadata: Buffer.from("more") }] });
    await said(waits);
    const fault = world.faults.arm({ point: "coordinator.write.before_append", action: "error" });
    expect(await a.join().ended).toBe("STORAGE_ERROR");
    fault.assertFired();
    expect(await said(waits)).toEqual([null]);
    expect(await stateIn(cluster)).toBe("preparing_rebalance@2  a!=a b=b");
    expect(await said(a.join(), waits)).toEqual(["joins 3 and leads 2", "joins 3"]);
  });

  test("one that stands in the log and is not acknowledged counts: who was to be told is told so, and asks again", async () => {
    const world = memoryWorld();
    const cluster = await openGroups(world);
    const [a, b] = [new ClassicTestMember(cluster, "a"), new ClassicTestMember(cluster, "b")];
    await together([a, b]);
    await Promise.all([a.join(), b.join()].map(({ ended }) => ended));
    const waits = b.sync();
    await said(waits);
    const fault = world.faults.arm({ point: "coordinator.write.after_append", action: "error" });
    const leader = a.sync({ [b.memberId]: "all" });
    expect(await said(leader, waits)).toEqual(["STORAGE_ERROR", "STORAGE_ERROR"]);
    fault.assertFired();
    expect(await b.sync().ended).toBe('has "all"');
  });
});

async function onThreeBrokers() {
  const world = memoryWorld();
  const cluster = await openGroups(world, { brokerIds: [1, 2, 3] });
  const [a, b] = [new ClassicTestMember(cluster, "a"), new ClassicTestMember(cluster, "b")];
  const replicate = async () => {
    for (let round = 0; round < 3; round++) await cluster.replicateOnce({ topic: PLACE.topic });
    await settle();
  };
  /** What the requests come to while the followers fetch. */
  const replicated = async (...requests: readonly Asked[]) => {
    while (!cluster.hasTopic(PLACE.topic)) await new Promise(setImmediate);
    await settle();
    await replicate();
    return requests.map((request) => request.said);
  };
  return { world, cluster, a, b, replicate, replicated };
}

describe("three brokers", () => {
  test("members hear of a generation, and of their assignments, when all in sync have it, and nobody is shown it before", async () => {
    const { cluster, a, b, replicate, replicated } = await onThreeBrokers();
    expect(await replicated(a.join())).toEqual(["joins 1 and leads 1"]);
    expect(await replicated(a.sync({ [a.memberId]: "all" }))).toEqual(['has "all"']);
    const joining = [b.join(), a.join()];
    expect(await said(...joining)).toEqual([null, null]);
    expect(await stateIn(cluster)).toBe("stable@1 range a!=all");
    await replicate();
    expect(await said(...joining)).toEqual(["joins 2", "joins 2 and leads 2"]);
    const syncing = [b.sync(), a.sync({ [b.memberId]: "x" })];
    expect(await said(...syncing)).toEqual([null, null]);
    await replicate();
    expect(await said(...syncing)).toEqual(['has "x"', 'has ""']);
  });

  test("nobody is expired while the answer that it waits for is on its way to the followers", async () => {
    const { world, cluster, a, b, replicate, replicated } = await onThreeBrokers();
    await replicated(a.join());
    await replicated(a.sync());
    const joining = [b.join(), a.join()];
    await said(...joining);
    world.clock.advance(SESSION_MS * 10);
    const expiring = cluster.groups.expireMembers();
    await replicate();
    expect(await expiring).toEqual([]);
    expect(await said(...joining)).toEqual(["joins 2", "joins 2 and leads 2"]);
    world.clock.advance(SESSION_MS - 1);
    expect(await cluster.groups.expireMembers(), "sessions begin with the answer").toEqual([]);
  });

  test("after a promotion of the coordinator's partition the members go on with the new one, in their generation", async () => {
    const { world, cluster, a, b, replicate, replicated } = await onThreeBrokers();
    await replicated(a.join());
    await replicated(b.join(), a.join());
    await replicated(b.sync(), a.sync({ [b.memberId]: "x" }));
    world.clock.advance(SESSION_MS - 1);
    await cluster.promote(PLACE, 2);
    await replicate();
    expect(await cluster.groups.coordinatorOf(GROUP)).toBe(2);
    expect(await said(a.beat(), b.sync())).toEqual(["lives", 'has "x"']);
    world.clock.advance(SESSION_MS - 1);
    expect(await cluster.groups.expireMembers(), "sessions begin anew").toEqual([]);
  });

  test("who waits when the leadership moves is told at once to look for the coordinator, and its membership was none", async () => {
    const { cluster, a, b, replicate, replicated } = await onThreeBrokers();
    await replicated(a.join());
    await replicated(a.sync());
    const waits = b.join();
    await replicated(waits);
    expect(waits.said).toBe(null);
    await cluster.promote(PLACE, 2);
    expect(await said(waits)).toEqual(["NOT_COORDINATOR"]);
    await replicate();
    expect(await stateIn(cluster)).toBe("preparing_rebalance@1  a!=");
    expect(await a.beat().ended).toBe("REBALANCE_IN_PROGRESS");
    expect(await replicated(a.join())).toEqual(["joins 2 and leads 1"]);
  });

  test("what was not acknowledged when the leadership moved never was: members go on in the generation before", async () => {
    const { cluster, a, b, replicated } = await onThreeBrokers();
    await replicated(a.join());
    await replicated(a.sync({ [a.memberId]: "all" }));
    const lost = [b.join(), a.join()];
    await said(...lost);
    await cluster.promote(PLACE, 2);
    expect(await said(...lost)).toEqual(["NOT_COORDINATOR", "NOT_COORDINATOR"]);
    expect(await stateIn(cluster)).toBe("stable@1 range a!=all");
    expect(await replicated(a.sync())).toEqual(['has "all"']);
    expect(await replicated(b.join(), a.join())).toEqual(["joins 2", "joins 2 and leads 2"]);
  });

  test("while the coordinator's broker is stopped who waits is told, members are told to try again, and nobody is expired", async () => {
    const { world, cluster, a, b, replicated } = await onThreeBrokers();
    await replicated(a.join());
    const waits = b.join();
    await replicated(waits);
    await cluster.stopBroker(1);
    expect(await said(waits)).toEqual(["LEADER_NOT_AVAILABLE"]);
    expect(await a.beat().ended).toBe("LEADER_NOT_AVAILABLE");
    expect(await rejection(cluster.groups.coordinatorOf(GROUP))).toMatchObject({
      code: "LEADER_NOT_AVAILABLE",
    });
    world.clock.advance(SESSION_MS * 6);
    expect(await cluster.groups.expireMembers()).toEqual([]);
    await cluster.startBroker(1);
    expect(await a.beat().ended).toBe("REBALANCE_IN_PROGRESS");
  });
});

test("who gives up waiting is a member all the same, and is told when it asks again", async () => {
  const cluster = await openGroups(memoryWorld());
  const [a, b] = [new ClassicTestMember(cluster, "a"), new ClassicTestMember(cluster, "b")];
  await together([a, b]);
  const time = new AbortController();
  const { groupId, memberId, generation } = b;
  await Promise.all([a.join(), b.join()].map(({ ended }) => ended));
  const request = { groupId, memberId, generation: generation + 1, assignments: [] };
  const waiting = rejection(cluster.groups.classic.sync(request, { giveUp: time.signal }));
  await settle();
  time.abort();
  expect(await waiting).toMatchObject({ code: "REQUEST_TIMED_OUT" });
  await a.sync({ [memberId]: "x" }).ended;
  expect(await b.sync().ended).toBe('has "x"');
});
