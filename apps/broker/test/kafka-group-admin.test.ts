/** Groups as administrators see them, and what they may delete of them. */
import { expect, test } from "vitest";
import type { RawSettings } from "../src/config.ts";
import { Session } from "./support/broker.ts";
import { KafkaClient, openKafkaBroker } from "./support/kafka-client.ts";

const GROUP = "readers";
/** Kafka's ConsumerProtocol, version 0: the topic "orders", and no data of the user's. */
const SUBSCRIPTION = Buffer.from("000000000001" + "00066f7264657273" + "ffffffff", "hex");
const ASSIGNMENT = Buffer.from("what a leader gives");

async function openWithTopic(settings: RawSettings = {}) {
  const broker = await openKafkaBroker(settings);
  broker.cluster.createTopic({ topic: "orders", partitions: 2 });
  broker.cluster.createTopic({ topic: "other", partitions: 1 });
  return { broker, client: await KafkaClient.open(broker) };
}

/** A classic group with one member, which has its share. */
async function formGroup(
  client: KafkaClient,
  groupId = GROUP,
  metadata = SUBSCRIPTION,
  protocolType = "consumer",
) {
  await client.ask("FindCoordinator", 1, { key: groupId, keyType: 0 });
  const { memberId, generationId, errorCode } = await client.ask("JoinGroup", 3, {
    ...{ groupId, sessionTimeoutMs: 30_000, rebalanceTimeoutMs: 60_000, memberId: "" },
    ...{ protocolType, protocols: [{ name: "range", metadata }] },
  });
  expect(errorCode).toBe(0);
  const assignments = [{ memberId, assignment: ASSIGNMENT }];
  await client.ask("SyncGroup", 3, { groupId, generationId, memberId, assignments });
  return { groupId, memberId, generationId };
}

async function commit(
  client: KafkaClient,
  groupId: string,
  member: { memberId?: string; generationId?: number } = {},
) {
  const { memberId, generationId = -1 } = member;
  const committed = { partitionIndex: 0, committedOffset: 7, committedMetadata: null };
  const { topics } = await client.ask("OffsetCommit", 7, {
    ...{ groupId, generationIdOrMemberEpoch: generationId, ...(memberId !== undefined && { memberId }) },
    topics: ["orders", "other"].map((name) => ({ name, partitions: [committed] })),
  });
  expect(topics.flatMap(({ partitions }) => partitions.map(({ errorCode }) => errorCode))).toEqual([0, 0]);
}

async function committedOf(client: KafkaClient, groupId: string) {
  const { topics } = await client.ask("OffsetFetch", 2, { groupId, topics: null });
  return (topics ?? []).map(({ name }) => name);
}

function leave(client: KafkaClient, { groupId, memberId }: { groupId: string; memberId: string }) {
  return client.ask("LeaveGroup", 1, { groupId, memberId });
}

test("DescribeGroups tells in every version what a group is, who is in it, what they said and what they were given", async () => {
  const { client } = await openWithTopic();
  const { memberId } = await formGroup(client);
  for (let version = 0; version <= 5; version += 1) {
    const wish = version >= 3 ? { includeAuthorizedOperations: true } : {};
    const { groups } = await client.ask("DescribeGroups", version, { groups: [GROUP, "missing"], ...wish });
    expect(groups).toMatchObject([
      { errorCode: 0, groupId: GROUP, groupState: "Stable", protocolType: "consumer", protocolData: "range" },
      {
        errorCode: 0,
        groupId: "missing",
        groupState: "Dead",
        protocolType: "",
        protocolData: "",
        members: [],
      },
    ]);
    expect(groups[0]?.members).toEqual([
      {
        memberId,
        groupInstanceId: null,
        clientId: "tests",
        clientHost: "/127.0.0.1",
        memberMetadata: SUBSCRIPTION,
        memberAssignment: ASSIGNMENT,
      },
    ]);
    if (version >= 3) expect(groups[0]?.authorizedOperations).toBe(0x148);
  }
});

test("ListGroups tells in every version the groups that are there, chosen by state and type", async () => {
  const { client } = await openWithTopic();
  const left = await formGroup(client, "left");
  await formGroup(client);
  await leave(client, left);
  await commit(client, "simple");
  const names = async (
    version: number,
    filters: { statesFilter?: string[]; typesFilter?: string[] } = {},
  ) => {
    const answer = await client.ask("ListGroups", version, filters);
    expect(answer.errorCode).toBe(0);
    return answer.groups.map(({ groupId }) => groupId);
  };
  for (let version = 0; version <= 5; version += 1)
    expect(await names(version)).toEqual(["left", GROUP, "simple"]);
  expect(await names(4, { statesFilter: ["Stable"] })).toEqual([GROUP]);
  expect(await names(4, { statesFilter: ["stable", "Empty"] })).toEqual(["left", GROUP, "simple"]);
  expect(await names(5, { statesFilter: ["NoState"] })).toEqual([]);
  expect(await names(5, { typesFilter: ["classic"], statesFilter: ["Stable"] })).toEqual([GROUP]);
  const { groups } = await client.ask("ListGroups", 5, {});
  expect(groups.find(({ groupId }) => groupId === GROUP)).toEqual({
    groupId: GROUP,
    protocolType: "consumer",
    groupState: "Stable",
    groupType: "classic",
  });
});

test("a consumer group of JSON clients is listed as what it is, and has no classic members to tell", async () => {
  const { broker, client } = await openWithTopic();
  const json = Session.open(broker);
  await json.call("join_group", { group_id: GROUP, member_id: "m1", topics: ["other"] });
  const listed = await client.ask("ListGroups", 5, { typesFilter: ["consumer"] });
  expect(listed.groups).toMatchObject([{ groupId: GROUP, groupType: "consumer", groupState: "Stable" }]);
  const { groups } = await client.ask("DescribeGroups", 5, { groups: [GROUP] });
  expect(groups).toMatchObject([{ errorCode: 0, groupState: "Dead", members: [] }]);
});

test("each broker lists the groups that it coordinates, and describes no other's", async () => {
  const broker = await openKafkaBroker({ brokers: 3 });
  broker.cluster.createTopic({ topic: "orders", partitions: 1 });
  broker.cluster.createTopic({ topic: "other", partitions: 1 });
  const first = await KafkaClient.open(broker, 1);
  const groupIds = ["a", "b", "c", "d", "e", "f"];
  const clients = await Promise.all([1, 2, 3].map((brokerId) => KafkaClient.open(broker, brokerId)));
  for (const groupId of groupIds) {
    const { nodeId } = await first.ask("FindCoordinator", 1, { key: groupId, keyType: 0 });
    await commit(clients[nodeId - 1] ?? first, groupId);
  }
  const listed = await Promise.all(clients.map((client) => client.ask("ListGroups", 4, {})));
  const names = listed.map(({ groups }) => groups.map(({ groupId }) => groupId));
  expect(names.filter((own) => own.length > 0).length).toBeGreaterThan(1);
  expect(names.flat().sort()).toEqual(groupIds);
  const others = names.slice(1).flat();
  const described = await first.ask("DescribeGroups", 4, { groups: others });
  expect(new Set(described.groups.map(({ errorCode }) => errorCode))).toEqual(new Set([16]));
  const deleted = await first.ask("DeleteGroups", 1, { groupsNames: others });
  expect(new Set(deleted.results.map(({ errorCode }) => errorCode))).toEqual(new Set([16]));
});

test("DeleteGroups forgets in every version groups without members, with their offsets", async () => {
  const { client } = await openWithTopic();
  const living = await formGroup(client, "living");
  for (let version = 0; version <= 2; version += 1) {
    const member = await formGroup(client);
    await commit(client, GROUP, member);
    await leave(client, member);
    const { results } = await client.ask("DeleteGroups", version, {
      groupsNames: [GROUP, "living", "missing"],
    });
    expect(results).toEqual([
      { groupId: GROUP, errorCode: 0 },
      { groupId: "living", errorCode: 68 },
      { groupId: "missing", errorCode: 69 },
    ]);
    expect(await committedOf(client, GROUP)).toEqual([]);
    const { groups } = await client.ask("DescribeGroups", 0, { groups: [GROUP] });
    expect(groups).toMatchObject([{ groupState: "Dead" }]);
  }
  expect(await client.ask("Heartbeat", 1, living)).toMatchObject({ errorCode: 0 });
});

test("OffsetDelete forgets offsets of topics that no member subscribes to", async () => {
  const { client } = await openWithTopic();
  const member = await formGroup(client);
  await commit(client, GROUP, member);
  const topics = ["orders", "other", "missing"].map((name) => ({
    name,
    partitions: [{ partitionIndex: 0 }],
  }));
  const answer = await client.ask("OffsetDelete", 0, { groupId: GROUP, topics });
  expect(answer.errorCode).toBe(0);
  expect(answer.topics).toEqual([
    { name: "orders", partitions: [{ partitionIndex: 0, errorCode: 86 }] },
    { name: "other", partitions: [{ partitionIndex: 0, errorCode: 0 }] },
    { name: "missing", partitions: [{ partitionIndex: 0, errorCode: 3 }] },
  ]);
  expect(await committedOf(client, GROUP)).toEqual(["orders"]);
  const missing = await client.ask("OffsetDelete", 0, { groupId: "missing", topics });
  expect(missing).toMatchObject({ errorCode: 69, topics: [] });
  await formGroup(client, "workers", Buffer.from("none of a consumer"), "connect");
  const workers = await client.ask("OffsetDelete", 0, { groupId: "workers", topics });
  expect(workers).toMatchObject({ errorCode: 68, topics: [] });
});
