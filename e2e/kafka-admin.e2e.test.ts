/** Administration by kafkajs and @platformatic/kafka against the running daemon, and the same things seen by the SDK. */
import { Admin } from "@platformatic/kafka";
import kafkajs from "kafkajs";
import { expect, onTestFinished, test } from "vitest";
import { addressesOf, type KafkaWorld, kafkaWorld, Member, opened } from "./support/kafka-world.ts";

const { ConfigResourceTypes } = kafkajs;

async function withAdmin(arguments_: readonly string[] = []) {
  const world = await kafkaWorld(arguments_);
  return { ...world, world, admin: await opened(world.kafka.admin()) };
}

function platformaticAdmin({ daemon }: KafkaWorld): Admin {
  const admin = new Admin({ clientId: "e2e", bootstrapBrokers: addressesOf(daemon), retryDelay: 20 });
  onTestFinished(async () => {
    await Promise.resolve(admin.close() as unknown).catch(() => {});
  });
  return admin;
}

const names = (topics: readonly { readonly topic: string }[]) => topics.map(({ topic }) => topic);

test("kafkajs makes, describes, grows and deletes topics, and the SDK sees them", async () => {
  const { admin, client } = await withAdmin(["--brokers", "3"]);
  const configEntries = [{ name: "cleanup.policy", value: "compact" }];
  const topics = [{ topic: "t", numPartitions: 3, replicationFactor: 2, configEntries }, { topic: "u" }];
  expect(await admin.createTopics({ topics })).toBe(true);
  expect(await admin.createTopics({ topics: [{ topic: "t" }] })).toBe(false);
  expect((await admin.listTopics()).filter((topic) => !topic.startsWith("__")).sort()).toEqual(["t", "u"]);
  const [described] = (await admin.fetchTopicMetadata({ topics: ["t"] })).topics;
  expect(described?.partitions.map(({ partitionId }) => partitionId).sort()).toEqual([0, 1, 2]);
  expect(described?.partitions.map(({ replicas }) => replicas.length)).toEqual([2, 2, 2]);
  await admin.createPartitions({ topicPartitions: [{ topic: "t", count: 5 }] });
  expect((await client.admin().metadata("t")).partitions).toHaveLength(5);
  const config = new Map((await client.admin().describeConfig("t")).map(({ name, value }) => [name, value]));
  expect(config.get("cleanup_policy")).toBe("compact");
  await admin.deleteTopics({ topics: ["t"] });
  expect(names(await client.admin().listTopics())).toEqual(["u"]);
});

test("what cannot be made says why: a name, partitions, replicas, a setting, in Kafka's own errors", async () => {
  const { admin } = await withAdmin();
  const problem = async (topic: object) => {
    const error = await admin.createTopics({ topics: [{ topic: "t", ...topic }] }).then(
      () => null,
      (caught: unknown) => caught,
    );
    const { errors } = error as { errors?: { type: string }[] };
    return errors?.map(({ type }) => type).join() ?? (error as { type?: string }).type;
  };
  expect(await problem({ topic: "a b" })).toBe("INVALID_TOPIC_EXCEPTION");
  expect(await problem({ numPartitions: 0 })).toBe("INVALID_PARTITIONS");
  expect(await problem({ replicationFactor: 3 })).toBe("INVALID_REPLICATION_FACTOR");
  expect(await problem({ configEntries: [{ name: "cleanup.policy", value: "shred" }] })).toBe(
    "INVALID_CONFIG",
  );
  expect(await admin.listTopics()).toEqual([]);
});

test("kafkajs describes settings and changes them, for the SDK too", async () => {
  const { admin, client } = await withAdmin();
  await admin.createTopics({ topics: [{ topic: "t" }] });
  const resource = { type: ConfigResourceTypes.TOPIC, name: "t" };
  const value = async (name: string) => {
    const { resources } = await admin.describeConfigs({ includeSynonyms: false, resources: [resource] });
    return resources[0]?.configEntries.find(({ configName }) => configName === name)?.configValue;
  };
  expect(await value("cleanup.policy")).toBe("delete");
  await admin.alterConfigs({
    validateOnly: false,
    resources: [{ ...resource, configEntries: [{ name: "retention.ms", value: "60000" }] }],
  });
  expect(await value("retention.ms")).toBe("60000");
  const own = await client.admin().describeConfig("t");
  expect(own.find(({ name }) => name === "retention_ms")?.value).toBe(60_000);
});

test("kafkajs lists groups, describes their members, and deletes them once they are empty", async () => {
  const { admin, client, kafka, world } = await withAdmin();
  await client.admin().createTopic({ topic: "t", partitions: 1 });
  await client
    .producer({ acks: "all" })
    .sendMany([0, 1, 2].map((number) => ({ topic: "t", partition: 0, value: `${number}` })));
  const member = await Member.join(kafka, { topic: "t" });
  await member.read(3);
  expect(await admin.listGroups()).toEqual({ groups: [{ groupId: "readers", protocolType: "consumer" }] });
  const [group] = (await admin.describeGroups(["readers"])).groups;
  expect(group).toMatchObject({
    groupId: "readers",
    state: "Stable",
    protocol: "RoundRobinAssigner",
    protocolType: "consumer",
  });
  const [described] = group?.members ?? [];
  expect(described).toMatchObject({ clientId: "e2e", clientHost: "/127.0.0.1" });
  expect(
    kafkajs.AssignerProtocol.MemberAssignment.decode(described?.memberAssignment as Buffer)?.assignment,
  ).toEqual({ t: [0] });
  // It takes every refusal of a deletion for one that may pass.
  const impatient = await opened(kafka.admin({ retry: { retries: 0 } }));
  await expect(impatient.deleteGroups(["readers"])).rejects.toMatchObject({
    groups: [{ error: { type: "NON_EMPTY_GROUP" } }],
  });
  await member.consumer.disconnect();
  expect((await admin.describeGroups(["readers"])).groups).toMatchObject([{ state: "Empty", members: [] }]);
  expect(await admin.deleteGroups(["readers"])).toEqual([{ groupId: "readers", errorCode: 0 }]);
  expect((await world.client.admin().listGroups()).map(({ groupId }) => groupId)).toEqual([]);
});

test("kafkajs deletes records below an offset, and who reads from the start begins there", async () => {
  const { admin, client, kafka } = await withAdmin();
  await client.admin().createTopic({ topic: "t", partitions: 1 });
  await client
    .producer({ acks: "all" })
    .sendMany([0, 1, 2, 3].map((number) => ({ topic: "t", partition: 0, value: `${number}` })));
  // It deletes of topics alone whose metadata it has.
  await admin.fetchTopicOffsets("t");
  await admin.deleteTopicRecords({ topic: "t", partitions: [{ partition: 0, offset: "3" }] });
  expect(await admin.fetchTopicOffsets("t")).toEqual([{ partition: 0, offset: "4", high: "4", low: "3" }]);
  expect((await (await Member.join(kafka, { topic: "t" })).read(1)).map(({ offset }) => offset)).toEqual([
    "3",
  ]);
});

test("kafkajs resets a group's offsets to the start, which is kept and told, and its members begin there", async () => {
  const { admin, client, kafka } = await withAdmin();
  await client.admin().createTopic({ topic: "t", partitions: 1 });
  const producer = client.producer({ acks: "all" });
  await producer.sendMany([0, 1, 2].map((number) => ({ topic: "t", partition: 0, value: `${number}` })));
  await client.admin().deleteRecords({ topic: "t", partition: 0, beforeOffset: 1 });
  await admin.resetOffsets({ groupId: "readers", topic: "t", earliest: true });
  const [found] = await admin.fetchOffsets({ groupId: "readers", topics: ["t"] });
  expect(found?.partitions).toMatchObject([{ partition: 0, offset: "-2" }]);
  expect(await client.admin().groupLag("readers")).toMatchObject([{ committedOffset: null, lag: null }]);
  const member = await Member.join(kafka, { topic: "t" });
  expect((await member.read(2)).map(({ offset }) => offset)).toEqual(["1", "2"]);
});

test("kafkajs is told that replicas stay where they are, and that none is on its way", async () => {
  const { admin } = await withAdmin(["--brokers", "3"]);
  const replicaAssignment = [{ partition: 0, replicas: [1, 2] }];
  await admin.createTopics({ topics: [{ topic: "t", replicaAssignment }] });
  const move = (replicas: number[]) =>
    admin.alterPartitionReassignments({
      topics: [{ topic: "t", partitionAssignment: [{ partition: 0, replicas }] }],
    });
  await move([1, 2]);
  await expect(move([1, 3])).rejects.toMatchObject({
    errors: [{ topic: "t", partition: 0, type: "INVALID_REPLICA_ASSIGNMENT" }],
  });
  expect(await admin.listPartitionReassignments({ topics: [{ topic: "t", partitions: [0] }] })).toEqual({
    topics: [],
  });
});

test("kafkajs's cluster is the daemon's brokers, each with its own port", async () => {
  const { admin, daemon } = await withAdmin(["--brokers", "3"]);
  const { brokers, controller } = await admin.describeCluster();
  expect(brokers).toEqual(
    daemon.kafka.map(({ broker_id, host, port }) => ({ nodeId: broker_id, host, port })),
  );
  expect(brokers.map(({ nodeId }) => nodeId)).toContain(controller);
});

test("@platformatic/kafka makes topics, describes settings and groups, and deletes what it made", async () => {
  const { world, kafka, client } = await withAdmin();
  const admin = platformaticAdmin(world);
  expect(await admin.createTopics({ topics: ["t"], partitions: 2, replicas: 1 })).toMatchObject([
    { name: "t", partitions: 2, replicas: 1 },
  ]);
  expect(await admin.listTopics()).toEqual(["t"]);
  const configs = await admin.describeConfigs({ resources: [{ resourceType: 2, resourceName: "t" }] });
  expect(JSON.stringify(configs)).toContain("cleanup.policy");
  const member = await Member.join(kafka, { topic: "t" });
  const groups = await admin.listGroups();
  expect(groups.get("readers")).toMatchObject({ id: "readers", state: "STABLE", protocolType: "consumer" });
  const described = (await admin.describeGroups({ groups: ["readers"] })).get("readers");
  expect(described?.members.size).toBe(1);
  await member.consumer.disconnect();
  const partitions = [{ partition: 1, offset: 7n }];
  await admin.alterConsumerGroupOffsets({
    groupId: "readers",
    topics: [{ name: "t", partitionOffsets: partitions }],
  });
  expect(await client.admin().fetchOffsets("readers")).toMatchObject([
    { topic: "t", partition: 1, offset: 7 },
  ]);
  await admin.deleteGroups({ groups: ["readers"] });
  expect([...(await admin.listGroups()).keys()]).toEqual([]);
  await admin.deleteTopics({ topics: ["t"] });
  expect(names(await client.admin().listTopics())).not.toContain("t");
});
