import type { RequestInputOf, ResponseValueOf } from "@minikafka/protocol/kafka";
import { expect, test } from "vitest";
import type { RawSettings } from "../src/config.ts";
import type { Broker } from "../src/daemon.ts";
import { Session } from "./support/broker.ts";
import { KafkaClient, openKafkaBroker } from "./support/kafka-client.ts";

const GROUP = "readers";
const SUBSCRIPTION = Buffer.from("what a client says of itself");

interface Member {
  readonly client: KafkaClient;
  readonly memberId: string;
}

function joining(fields: Partial<RequestInputOf<"JoinGroup">> = {}): RequestInputOf<"JoinGroup"> {
  return {
    groupId: GROUP,
    sessionTimeoutMs: 30_000,
    rebalanceTimeoutMs: 60_000,
    memberId: "",
    protocolType: "consumer",
    protocols: [{ name: "range", metadata: SUBSCRIPTION }],
    ...fields,
  };
}

function join(client: KafkaClient, version: number, fields: Partial<RequestInputOf<"JoinGroup">> = {}) {
  return client.ask("JoinGroup", version, joining(fields));
}

async function sync(
  { client, memberId }: Member,
  generationId: number,
  assigned: { readonly [memberId: string]: string } = {},
  version = 3,
): Promise<ResponseValueOf<"SyncGroup">> {
  const assignments = Object.entries(assigned).map(([member, text]) => ({
    memberId: member,
    assignment: Buffer.from(text),
  }));
  return client.ask("SyncGroup", version, { groupId: GROUP, generationId, memberId, assignments });
}

async function openWithTopic(settings: RawSettings = {}): Promise<{ broker: Broker; client: KafkaClient }> {
  const broker = await openKafkaBroker(settings);
  broker.cluster.createTopic({ topic: "orders", partitions: 2 });
  return { broker, client: await KafkaClient.open(broker) };
}

function commit(client: KafkaClient, version: number, fields: Partial<RequestInputOf<"OffsetCommit">> = {}) {
  const partitions = [{ partitionIndex: 0, committedOffset: 7, committedMetadata: "a note" }];
  return client.ask("OffsetCommit", version, {
    groupId: GROUP,
    topics: [{ name: "orders", partitions }],
    ...fields,
  });
}

function codesOf({ topics }: ResponseValueOf<"OffsetCommit">): number[][] {
  return topics.map(({ partitions }) => partitions.map(({ errorCode }) => errorCode));
}

test("the coordinator of a group and of a transactional id is found in every version, and its topic is made for who asks first", async () => {
  const broker = await openKafkaBroker({ brokers: 3 });
  const client = await KafkaClient.open(broker, 3);
  const ports = new Map(broker.kafkaAddresses.map(({ brokerId, port }) => [brokerId, port]));
  for (let version = 0; version <= 3; version += 1) {
    const found = await client.ask("FindCoordinator", version, { key: GROUP });
    expect(found).toMatchObject({ errorCode: 0, host: "127.0.0.1", port: ports.get(found.nodeId) });
    expect(found.nodeId).toBe(await broker.cluster.groups.coordinatorOf(GROUP));
  }
  const keys = ["one", "two", "three", ""];
  for (let version = 4; version <= 6; version += 1) {
    const { coordinators } = await client.ask("FindCoordinator", version, {
      keyType: 1,
      coordinatorKeys: keys,
    });
    expect(coordinators.map(({ key, errorCode }) => [key, errorCode])).toEqual([
      ["one", 0],
      ["two", 0],
      ["three", 0],
      ["", 42],
    ]);
    const [one] = coordinators;
    expect(one?.nodeId).toBe(await broker.cluster.transactions.coordinatorOf("one"));
  }
  const share = await client.ask("FindCoordinator", 6, { keyType: 2, coordinatorKeys: ["a"] });
  expect(share.coordinators[0]).toMatchObject({ errorCode: 42, nodeId: -1 });
  expect((await client.ask("FindCoordinator", 0, { key: "" })).errorCode).toBe(24);
});

test("whoever does not coordinate a group says so, for every request of it", async () => {
  const broker = await openKafkaBroker({ brokers: 2 });
  broker.cluster.createTopic({ topic: "orders", partitions: 1 });
  const coordinator = await broker.cluster.groups.coordinatorOf(GROUP);
  const client = await KafkaClient.open(broker, 3 - coordinator);
  expect(await join(client, 5)).toMatchObject({ errorCode: 16, memberId: "", generationId: -1 });
  expect(await sync({ client, memberId: "m" }, 1)).toMatchObject({ errorCode: 16 });
  const asked = { groupId: GROUP, generationId: 1, memberId: "m" };
  expect(await client.ask("Heartbeat", 0, asked)).toMatchObject({ errorCode: 16 });
  expect(await client.ask("LeaveGroup", 0, asked)).toMatchObject({ errorCode: 16 });
  expect(codesOf(await commit(client, 5))).toEqual([[16]]);
  const topics = [{ name: "orders", partitionIndexes: [0] }];
  const fetched = await client.ask("OffsetFetch", 3, { groupId: GROUP, topics });
  expect(fetched).toMatchObject({ errorCode: 16 });
});

test("in every version a member joins, is assigned what it brought as the leader, lives, commits, and leaves", async () => {
  const { client } = await openWithTopic();
  for (let version = 0; version <= 9; version += 1) {
    let memberId = "";
    if (version >= 4) {
      const given = await join(client, version);
      expect(given).toMatchObject({ errorCode: 79, generationId: -1 });
      expect(given.memberId).not.toBe("");
      ({ memberId } = given);
    }
    const joined = await join(client, version, { memberId });
    expect(joined).toMatchObject({ errorCode: 0, protocolName: "range", leader: joined.memberId });
    expect(joined.members).toEqual([
      { memberId: joined.memberId, groupInstanceId: null, metadata: SUBSCRIPTION },
    ]);
    if (version >= 7) expect(joined.protocolType).toBe("consumer");
    const member = { client, memberId: joined.memberId };
    const generationId = joined.generationId;
    const synced = await sync(member, generationId, { [member.memberId]: "all" }, Math.min(version, 4));
    expect(synced).toMatchObject({ errorCode: 0, assignment: Buffer.from("all") });
    const asked = { groupId: GROUP, generationId, memberId: member.memberId };
    for (let each = 0; each <= 4; each += 1)
      expect((await client.ask("Heartbeat", each, asked)).errorCode).toBe(0);
    const committer = { generationIdOrMemberEpoch: generationId, memberId: member.memberId };
    expect(codesOf(await commit(client, Math.max(2, version), committer))).toEqual([[0]]);
    const leaving = { groupId: GROUP, memberId: member.memberId, members: [{ memberId: member.memberId }] };
    const left = await client.ask("LeaveGroup", Math.min(version, 5), leaving);
    expect(left.errorCode).toBe(0);
    if (version >= 3) expect(left.members).toMatchObject([{ memberId: member.memberId, errorCode: 0 }]);
    expect((await client.ask("Heartbeat", 3, asked)).errorCode).toBe(25);
  }
});

test("three members share a group: who joins waits for the others, the leader knows them all, and a leave is a new generation", async () => {
  const { broker, client } = await openWithTopic();
  const first = await join(client, 2);
  await sync({ client, memberId: first.memberId }, first.generationId, { [first.memberId]: "both" });
  const others = [await KafkaClient.open(broker), await KafkaClient.open(broker)];
  const waiting = others.map((other) => join(other, 2));
  const asked = { groupId: GROUP, generationId: first.generationId, memberId: first.memberId };
  while ((await client.ask("Heartbeat", 1, asked)).errorCode === 0);
  expect((await client.ask("Heartbeat", 1, asked)).errorCode).toBe(27);
  // Both may have come by now, or one of them comes into the next generation: in the end there are three.
  let leader = await join(client, 2, { memberId: first.memberId });
  while (leader.members.length < 3) leader = await join(client, 2, { memberId: first.memberId });
  const joined = await Promise.race([Promise.all(waiting)]);
  expect(joined.map(({ errorCode, members }) => [errorCode, members.length])).toEqual([
    [0, 0],
    [0, 0],
  ]);
  const [one, two] = joined;
  const parts = { [leader.memberId]: "0", [one?.memberId ?? ""]: "1", [two?.memberId ?? ""]: "" };
  // Followers may ask before the leader has brought it.
  const synced = others.map((other, index) =>
    sync({ client: other, memberId: joined[index]?.memberId ?? "" }, leader.generationId),
  );
  expect((await sync({ client, memberId: leader.memberId }, leader.generationId, parts)).assignment).toEqual(
    Buffer.from("0"),
  );
  expect((await Promise.all(synced)).map(({ assignment }) => assignment.toString())).toEqual(["1", ""]);
});

test("a static member comes back under its name to what it had, and its old id is fenced; an operator may remove it", async () => {
  const { client } = await openWithTopic();
  const groupInstanceId = "host-1";
  const first = await join(client, 5, { groupInstanceId });
  expect(first.errorCode).toBe(0);
  const member = { client, memberId: first.memberId };
  await sync(member, first.generationId, { [first.memberId]: "all" });
  const again = await join(client, 5, { groupInstanceId });
  expect(again).toMatchObject({ errorCode: 0 });
  expect(again.memberId).not.toBe(first.memberId);
  const old = { groupId: GROUP, generationId: again.generationId, memberId: first.memberId, groupInstanceId };
  expect((await client.ask("Heartbeat", 3, old)).errorCode).toBe(82);
  const left = await client.ask("LeaveGroup", 3, {
    groupId: GROUP,
    members: [{ memberId: "", groupInstanceId }],
  });
  expect(left.members).toMatchObject([{ groupInstanceId, errorCode: 0 }]);
  const unknown = await client.ask("LeaveGroup", 3, { groupId: GROUP, members: [{ memberId: "nobody" }] });
  expect(unknown).toMatchObject({ errorCode: 0, members: [{ errorCode: 25 }] });
});

test("what a join may not say is refused in Kafka's numbers", async () => {
  const { client } = await openWithTopic();
  expect((await join(client, 2, { groupId: "" })).errorCode).toBe(24);
  expect((await join(client, 2, { sessionTimeoutMs: 1 })).errorCode).toBe(26);
  expect((await join(client, 2, { memberId: "nobody" })).errorCode).toBe(25);
  const joined = await join(client, 2);
  const member = { client, memberId: joined.memberId };
  await sync(member, joined.generationId, { [joined.memberId]: "all" });
  expect((await join(client, 2, { protocolType: "connect" })).errorCode).toBe(23);
  expect((await sync(member, joined.generationId + 1)).errorCode).toBe(22);
});

test("offsets are kept and told in every version; what is amiss with one stands with it, and the others are kept", async () => {
  const { broker, client } = await openWithTopic();
  const partitions = [
    { partitionIndex: 0, committedOffset: 7, committedMetadata: "a note" },
    { partitionIndex: 1, committedOffset: 8, committedMetadata: null },
    { partitionIndex: 9, committedOffset: 9, committedMetadata: null },
  ];
  const topics = [
    { name: "orders", partitions },
    { name: "unknown", partitions: partitions.slice(0, 1) },
  ];
  for (let version = 2; version <= 9; version += 1)
    expect(codesOf(await commit(client, version, { topics }))).toEqual([[0, 0, 3], [3]]);
  const tooLong = [{ partitionIndex: 0, committedOffset: 9, committedMetadata: "x".repeat(4097) }];
  expect(codesOf(await commit(client, 5, { topics: [{ name: "orders", partitions: tooLong }] }))).toEqual([
    [12],
  ]);
  const asked = [{ name: "orders", partitionIndexes: [0, 1, 9] }];
  const expected = [
    { partitionIndex: 0, committedOffset: 7, committedLeaderEpoch: -1, metadata: "a note", errorCode: 0 },
    { partitionIndex: 1, committedOffset: 8, committedLeaderEpoch: -1, metadata: "", errorCode: 0 },
    { partitionIndex: 9, committedOffset: -1, committedLeaderEpoch: -1, metadata: "", errorCode: 0 },
  ];
  for (let version = 1; version <= 7; version += 1) {
    const found = await client.ask("OffsetFetch", version, { groupId: GROUP, topics: asked });
    expect(found.topics).toEqual([{ name: "orders", partitions: expected }]);
    if (version < 2) continue;
    const all = await client.ask("OffsetFetch", version, { groupId: GROUP, topics: null });
    expect(all.topics).toEqual([{ name: "orders", partitions: expected.slice(0, 2) }]);
  }
  for (const version of [8, 9]) {
    const { groups } = await client.ask("OffsetFetch", version, {
      groups: [
        { groupId: GROUP, topics: asked },
        { groupId: "nobody", topics: asked },
        { groupId: GROUP, topics: null },
      ],
    });
    expect(groups.map(({ errorCode }) => errorCode)).toEqual([0, 0, 0]);
    expect(groups[0]?.topics).toEqual([{ name: "orders", partitions: expected }]);
    expect(groups[1]?.topics[0]?.partitions.map(({ committedOffset }) => committedOffset)).toEqual([
      -1, -1, -1,
    ]);
    expect(groups[2]?.topics).toEqual([{ name: "orders", partitions: expected.slice(0, 2) }]);
  }
  const json = Session.open(broker);
  const { offsets } = await json.call("fetch_offsets", { group_id: GROUP });
  expect(offsets.map(({ partition, offset }) => [partition, offset])).toEqual([
    [0, 7],
    [1, 8],
  ]);
});

test("in a group with members only they commit, in their generation; in one that is not there nobody who says that he is a member", async () => {
  const { client } = await openWithTopic();
  expect(codesOf(await commit(client, 5, { generationIdOrMemberEpoch: 3, memberId: "m" }))).toEqual([[22]]);
  const joined = await join(client, 2);
  const member = { client, memberId: joined.memberId };
  const committer = { generationIdOrMemberEpoch: joined.generationId, memberId: joined.memberId };
  expect(codesOf(await commit(client, 5, committer))).toEqual([[27]]);
  await sync(member, joined.generationId, { [joined.memberId]: "all" });
  expect(codesOf(await commit(client, 5, committer))).toEqual([[0]]);
  expect(codesOf(await commit(client, 5))).toEqual([[25]]);
  expect(codesOf(await commit(client, 5, { ...committer, memberId: "nobody" }))).toEqual([[25]]);
  const later = { ...committer, generationIdOrMemberEpoch: joined.generationId + 1 };
  expect(codesOf(await commit(client, 5, later))).toEqual([[22]]);
});

test("groups are listed by who coordinates them, and told with their members, in every version", async () => {
  const { broker, client } = await openWithTopic({ brokers: 2 });
  const coordinator = await KafkaClient.open(broker, await broker.cluster.groups.coordinatorOf(GROUP));
  const joined = await join(coordinator, 5, { groupInstanceId: "host-1" });
  const member = { client: coordinator, memberId: joined.memberId };
  await sync(member, joined.generationId, { [joined.memberId]: "all" });
  for (let version = 0; version <= 5; version += 1) {
    const listed = await coordinator.ask("ListGroups", version, {});
    expect(listed).toMatchObject({ errorCode: 0, groups: [{ groupId: GROUP, protocolType: "consumer" }] });
    if (version >= 4) expect(listed.groups[0]?.groupState).toBe("Stable");
    if (version >= 5) expect(listed.groups[0]?.groupType).toBe("classic");
    const { groups } = await coordinator.ask("DescribeGroups", version, { groups: [GROUP, "nobody"] });
    const told = { errorCode: 0, groupState: "Stable", protocolType: "consumer", protocolData: "range" };
    expect(groups[0]).toMatchObject(told);
    expect(groups[0]?.members).toEqual([
      {
        memberId: joined.memberId,
        groupInstanceId: version >= 4 ? "host-1" : null,
        clientId: "tests",
        clientHost: "/127.0.0.1",
        memberMetadata: SUBSCRIPTION,
        memberAssignment: Buffer.from("all"),
      },
    ]);
  }
  const { groups: empty } = await coordinator.ask("ListGroups", 4, { statesFilter: ["Empty"] });
  expect(empty).toEqual([]);
  expect((await coordinator.ask("ListGroups", 5, { typesFilter: ["Classic"] })).groups).toHaveLength(1);
  const elsewhere = [client, await KafkaClient.open(broker, 2)].map((each) => each.ask("ListGroups", 3, {}));
  expect((await Promise.all(elsewhere)).flatMap(({ groups }) => groups)).toHaveLength(1);
});

test("a group that is not there is Dead, and one with offsets alone is Empty", async () => {
  const { client } = await openWithTopic();
  await commit(client, 5, { groupId: "offsets alone" });
  const { groups } = await client.ask("DescribeGroups", 5, { groups: ["nobody", "offsets alone"] });
  expect(groups.map(({ errorCode, groupState }) => [errorCode, groupState])).toEqual([
    [0, "Dead"],
    [0, "Empty"],
  ]);
  const listed = await client.ask("ListGroups", 5, {});
  expect(listed.groups).toMatchObject([
    { groupId: "offsets alone", groupState: "Empty", groupType: "classic" },
  ]);
});

test("a group is deleted once it has no members, and single offsets where no member reads the topic", async () => {
  const { client, broker } = await openWithTopic();
  broker.cluster.createTopic({ topic: "old", partitions: 1 });
  await commit(client, 5, {
    topics: ["orders", "old"].map((name) => ({
      name,
      partitions: [{ partitionIndex: 0, committedOffset: 1, committedMetadata: null }],
    })),
  });
  // A subscription of version 0 to "orders", without a client's own words.
  const topic = Buffer.from("orders");
  const metadata = Buffer.concat([
    Buffer.from("0000000000010006", "hex"),
    topic,
    Buffer.from("ffffffff", "hex"),
  ]);
  const joined = await join(client, 2, { protocols: [{ name: "range", metadata }] });
  await sync({ client, memberId: joined.memberId }, joined.generationId, { [joined.memberId]: "all" });
  const deletion = await client.ask("OffsetDelete", 0, {
    groupId: GROUP,
    topics: [
      { name: "orders", partitions: [{ partitionIndex: 0 }] },
      { name: "old", partitions: [{ partitionIndex: 0 }, { partitionIndex: 5 }] },
    ],
  });
  expect(deletion.errorCode).toBe(0);
  const codes = deletion.topics.map(({ partitions }) => partitions.map(({ errorCode }) => errorCode));
  expect(codes).toEqual([[86], [0, 3]]);
  const nobody = await client.ask("OffsetDelete", 0, { groupId: "nobody", topics: [] });
  expect(nobody.errorCode).toBe(69);
  for (let version = 0; version <= 2; version += 1) {
    const { results } = await client.ask("DeleteGroups", version, { groupsNames: [GROUP, "nobody"] });
    expect(results.map(({ errorCode }) => errorCode)).toEqual([68, 69]);
  }
  await client.ask("LeaveGroup", 1, { groupId: GROUP, memberId: joined.memberId });
  expect((await client.ask("DeleteGroups", 2, { groupsNames: [GROUP] })).results).toMatchObject([
    { errorCode: 0 },
  ]);
  const found = await client.ask("OffsetFetch", 5, { groupId: GROUP, topics: null });
  expect(found.topics).toEqual([]);
});

test("with a manual clock no member is lost while the clock stands still, and one whose session is over when it is stepped is", async () => {
  const { broker, client } = await openWithTopic({ clock: "manual" });
  const json = Session.open(broker);
  const joined = await join(client, 2);
  const member = { client, memberId: joined.memberId };
  await sync(member, joined.generationId, { [joined.memberId]: "all" });
  await json.call("expire_members");
  const asked = { groupId: GROUP, generationId: joined.generationId, memberId: joined.memberId };
  expect((await client.ask("Heartbeat", 1, asked)).errorCode).toBe(0);
  await json.call("advance_clock", { ms: 30_001 });
  await json.call("expire_members");
  expect((await client.ask("Heartbeat", 1, asked)).errorCode).toBe(25);
});

test("a rebalance timeout of 0 is the session's: a member that has joined keeps its place until it has synced", async () => {
  const { broker, client } = await openWithTopic({ clock: "manual" });
  const json = Session.open(broker);
  const { memberId, generationId } = await join(client, 3, { rebalanceTimeoutMs: 0 });
  await json.call("advance_clock", { ms: 29_999 });
  await json.call("expire_members");
  const synced = await sync({ client, memberId }, generationId, { [memberId]: "all" });
  expect(synced.errorCode).toBe(0);
});

test("a broker that closes waits for no member that waits for others", async () => {
  const { broker, client } = await openWithTopic();
  const first = await join(client, 2);
  await sync({ client, memberId: first.memberId }, first.generationId, { [first.memberId]: "all" });
  const second = await KafkaClient.open(broker);
  const waiting = join(second, 2).catch((error: Error) => error.message);
  const asked = { groupId: GROUP, generationId: first.generationId, memberId: first.memberId };
  while ((await client.ask("Heartbeat", 1, asked)).errorCode === 0);
  const begunMs = performance.now();
  await broker.close();
  // Far less than what a broker waits for answers that do not come.
  expect(performance.now() - begunMs).toBeLessThan(4_000);
  await waiting;
});
