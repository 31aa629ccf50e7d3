/** What is shown of classic groups: which kind they are, who is in them, and what is not certain yet. */
import { expect, test } from "vitest";
import { ClassicTestMember, GROUP, said, together } from "./classic-world.ts";
import { openGroups, TestMember } from "./group-world.ts";
import { memoryWorld } from "./world.ts";

async function open(config = {}) {
  const world = memoryWorld();
  const cluster = await openGroups(world, config);
  const [a, b] = [new ClassicTestMember(cluster, "a"), new ClassicTestMember(cluster, "b")];
  return { world, cluster, a, b };
}

/** `orders` with partitions, as ConsumerProtocolAssignment version 0 has it. */
function assignmentOf(...partitions: number[]): string {
  const bytes = Buffer.alloc(2 + 4 + 2 + 6 + 4 + partitions.length * 4);
  bytes.writeInt32BE(1, 2);
  bytes.writeInt16BE(6, 6);
  bytes.write("orders", 8);
  bytes.writeInt32BE(partitions.length, 14);
  for (const [index, partition] of partitions.entries()) bytes.writeInt32BE(partition, 18 + index * 4);
  return bytes.toString();
}

test("a group tells its kind, its state, what it goes by, and its members with what they said", async () => {
  const { world, cluster, a, b } = await open();
  b.instanceId = "two";
  await together([a, b]);
  world.clock.advance(7);
  const group = await cluster.groups.describe(GROUP);
  expect(group).toMatchObject({
    type: "classic",
    state: "stable",
    generation: 2,
    assignor: null,
    classic: { protocolType: "consumer", protocol: "range", leaderId: a.memberId },
    lastRebalance: { generation: 2, reason: expect.stringMatching(/^the member "two-.*" joined$/) },
  });
  const common = { topics: [], sessionTimeoutMs: 10_000, rebalanceTimeoutMs: 60_000, heartbeatAgeMs: 7 };
  const empty = { assignment: [], pending: [], revoking: [] };
  const of = { clientHost: "127.0.0.1" };
  expect(group.members).toEqual([
    {
      ...{ memberId: a.memberId, ...common, ...empty },
      classic: {
        ...of,
        instanceId: null,
        clientId: "a",
        metadata: Buffer.from("a"),
        assignment: Buffer.from("a"),
      },
    },
    {
      ...{ memberId: b.memberId, ...common, ...empty },
      classic: {
        ...of,
        instanceId: "two",
        clientId: "b",
        metadata: Buffer.from("b"),
        assignment: Buffer.from("b"),
      },
    },
  ]);
});

test("the assignment of a consumer is read from its bytes", async () => {
  const { cluster, a } = await open();
  await a.join().ended;
  await a.sync({ [a.memberId]: assignmentOf(0, 2) }).ended;
  const { members } = await cluster.groups.describe(GROUP);
  expect(members[0]?.assignment).toEqual([
    { topic: "orders", partition: 0 },
    { topic: "orders", partition: 2 },
  ]);
});

test("every state has a name while it lasts, with who waits to join", async () => {
  const { cluster, a, b } = await open();
  const states: string[] = [];
  const note = async () => {
    const { state, members, generation } = await cluster.groups.describe(GROUP);
    states.push(`${state}@${generation} of ${members.length}`);
  };
  await a.join().ended;
  await note();
  await a.sync().ended;
  await note();
  const waits = b.join();
  expect(await said(waits)).toEqual([null]);
  await note();
  await a.join().ended;
  await a.leave().ended;
  await b.leave().ended;
  await note();
  expect(states).toEqual([
    "completing_rebalance@1 of 1",
    "stable@1 of 1",
    "preparing_rebalance@1 of 2",
    "empty@3 of 0",
  ]);
});

test("why it is rebalanced is told while the rebalance is prepared: that one's reason, time and generation to come", async () => {
  const { world, cluster, a, b } = await open();
  await a.join().ended;
  await a.sync().ended;
  const why = async (of = cluster) => (await of.groups.describe(GROUP)).lastRebalance;
  const first = { generation: 1, reason: `the member "${a.memberId}" joined`, atMs: world.clock.nowMs() };
  expect(await why()).toEqual(first);
  world.clock.advance(7);
  await said(b.join());
  const reason = expect.stringMatching(/^the member "b-.*" joined$/);
  const second = { generation: 2, reason, atMs: world.clock.nowMs() };
  expect(await why()).toEqual(second);
  world.clock.advance(7);
  expect(await why()).toEqual(second);
  await cluster.crash();
  world.clock.advance(7);
  const next = await openGroups(world);
  // Which member began it stands in no record.
  const loaded = { generation: 2, reason: "the coordinator was loaded", atMs: world.clock.nowMs() };
  expect(await why(next)).toEqual(loaded);
});

test("the list has both kinds, and those that only have offsets", async () => {
  const { cluster, a } = await open();
  await a.join().ended;
  await new TestMember(cluster, "m", "consumers").join();
  const offsets = [{ topic: "orders", partition: 0, offset: 1, metadata: null }];
  await cluster.groups.commit({ groupId: "only-offsets", member: null, offsets });
  const emptied = new ClassicTestMember(cluster, "e", "emptied");
  await emptied.join().ended;
  await emptied.leave().ended;
  const { groups } = await cluster.groups.list();
  expect(groups.map(({ coordinatorId, ...group }) => group)).toEqual([
    ...[
      {
        groupId: "consumers",
        type: "consumer",
        protocolType: "consumer",
        state: "stable",
        generation: 1,
        members: 1,
      },
    ],
    ...[
      {
        groupId: "emptied",
        type: "classic",
        protocolType: "consumer",
        state: "empty",
        generation: 2,
        members: 0,
      },
    ],
    ...[
      {
        groupId: "only-offsets",
        type: "consumer",
        protocolType: null,
        state: "empty",
        generation: 0,
        members: 0,
      },
    ],
    {
      ...{ groupId: GROUP, type: "classic", protocolType: "consumer" },
      ...{ state: "completing_rebalance", generation: 1, members: 1 },
    },
  ]);
});

test("offsets of a classic group stay while it has members, and are forgotten with it", async () => {
  const { world, cluster, a } = await open({ offsetsRetentionMs: 1_000 });
  await together([a]);
  await a.commit(5).ended;
  world.clock.advance(5_000);
  expect(await cluster.groups.expireOffsets()).toEqual([]);
  await a.leave().ended;
  world.clock.advance(999);
  expect(await cluster.groups.expireOffsets()).toEqual([]);
  world.clock.advance(1);
  expect(await cluster.groups.expireOffsets()).toHaveLength(1);
  expect((await cluster.groups.list()).groups).toEqual([]);
  world.clock.advance(1_000);
  await cluster.groups.expireOffsets();
  expect(await new ClassicTestMember(cluster, "a").join().ended, "forgotten").toBe("joins 1 and leads 1");
});
