/** What is foretold of classic groups is what the step does, and their deadlines come to the millisecond. */
import { expect, test } from "vitest";
import type { BrokerCluster } from "../src/cluster/cluster.ts";
import { ClassicTestMember, GROUP, REBALANCE_MS, SESSION_MS, said, together } from "./classic-world.ts";
import { openGroups } from "./group-world.ts";
import { memoryWorld } from "./world.ts";

async function open(config = {}) {
  const world = memoryWorld();
  const cluster = await openGroups(world, config);
  const [a, b] = [new ClassicTestMember(cluster, "a"), new ClassicTestMember(cluster, "b")];
  return { world, cluster, a, b };
}

function foretold(cluster: BrokerCluster) {
  return cluster.foresight.steps().find((step) => step.operation === "expire_members")?.would;
}

/** `session_timeout of a in 10000`, those of groups. */
function deadlines(cluster: BrokerCluster, ...members: ClassicTestMember[]): string[] {
  const nameOf = (id: string | undefined) => members.find(({ memberId }) => memberId === id)?.name ?? "all";
  return cluster.foresight
    .deadlines()
    .filter(({ operation }) => operation === "expire_members")
    .map(
      ({ what, memberId, dueMs }) => `${what} of ${nameOf(memberId)} in ${dueMs - cluster.env.clock.nowMs()}`,
    );
}

/** The step does what was told of it, and nothing is left to tell then. */
async function expectForetold(cluster: BrokerCluster): Promise<readonly string[]> {
  const would = foretold(cluster);
  const expired = await cluster.groups.expireMembers();
  expect(would).toMatchObject({ expired, loads: [] });
  expect(foretold(cluster)).toBeUndefined();
  return expired.map(({ cause }) => cause);
}

test("a member's session, which each heartbeat moves, and no session of who waits", async () => {
  const { world, cluster, a, b } = await open();
  await together([a, b]);
  world.clock.advance(4_000);
  await b.beat().ended;
  expect(deadlines(cluster, a, b)).toEqual([
    `session_timeout of a in ${SESSION_MS - 4_000}`,
    `session_timeout of b in ${SESSION_MS}`,
  ]);
  const waits = b.join({ protocols: [{ name: "range", metadata: Buffer.from("more") }] });
  await said(waits);
  expect(deadlines(cluster, a, b)).toEqual([
    `session_timeout of a in ${SESSION_MS - 4_000}`,
    `rebalance_timeout of all in ${REBALANCE_MS}`,
  ]);
  world.clock.advance(SESSION_MS - 4_001);
  expect(foretold(cluster)).toBeUndefined();
  world.clock.advance(1);
  expect(await expectForetold(cluster)).toEqual(["session_timeout"]);
  expect(await said(waits)).toEqual(["joins 3 and leads 1"]);
});

test("the end of a rebalance, and of the wait for who asks for no assignment", async () => {
  const { world, cluster, a, b } = await open();
  await together([a, b]);
  const waits = a.join();
  for (let passed = 0; passed < REBALANCE_MS; passed += 5_000) {
    expect(foretold(cluster)).toBeUndefined();
    await b.beat().ended;
    world.clock.advance(5_000);
  }
  expect(await expectForetold(cluster)).toEqual(["rebalance_timeout"]);
  expect(await said(waits)).toEqual(["joins 3 and leads 1"]);
  expect(deadlines(cluster, a)).toContain(`rebalance_timeout of all in ${REBALANCE_MS}`);
  for (let passed = 0; passed < REBALANCE_MS; passed += 5_000) {
    await a.beat().ended;
    world.clock.advance(5_000);
  }
  expect(await expectForetold(cluster)).toEqual(["rebalance_timeout"]);
  expect((await cluster.groups.describe(GROUP)).state).toBe("empty");
});

test("the initial delay, and that it goes on since somebody has come", async () => {
  const { world, cluster, a, b } = await open({ groupInitialRebalanceDelayMs: 3_000 });
  const waiting = [a.join(), b.join()];
  await said(...waiting);
  expect(deadlines(cluster)).toContain("initial_rebalance_delay of all in 3000");
  world.clock.advance(3_000);
  expect(foretold(cluster)).toMatchObject({
    expired: [],
    rebalanced: [{ groupId: GROUP, reason: "it waits on for more members" }],
  });
  expect(await expectForetold(cluster)).toEqual([]);
  world.clock.advance(3_000);
  expect(foretold(cluster)).toMatchObject({
    rebalanced: [{ groupId: GROUP, reason: expect.stringMatching(/joined$/) }],
  });
  expect(await expectForetold(cluster)).toEqual([]);
  expect(await said(...waiting)).toEqual(["joins 1 and leads 2", "joins 1"]);
});

test("an id that was given and is not used", async () => {
  const { world, cluster, a } = await open();
  await a.join({ requiresKnownMemberId: true }).ended;
  expect(deadlines(cluster)).toEqual([`session_timeout of all in ${SESSION_MS}`]);
  world.clock.advance(SESSION_MS);
  expect(await expectForetold(cluster)).toEqual(["session_timeout"]);
});
