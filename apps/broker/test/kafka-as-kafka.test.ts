/** What Apache Kafka, asked the same by the oracle (tools/oracle), answers as well. */
import { expect, test } from "vitest";
import { KafkaClient, openKafkaBroker } from "./support/kafka-client.ts";
import { kafkaBatch } from "./support/kafka-records.ts";

async function open() {
  const broker = await openKafkaBroker();
  return { broker, client: await KafkaClient.open(broker) };
}

const MEMBER = { sessionTimeoutMs: 30_000, rebalanceTimeoutMs: 30_000, protocolType: "consumer" };
const RANGE = { protocols: [{ name: "range", metadata: Buffer.from("what I read") }] };

test("who asks the port of a broker for controllers, or for nobody, is told why, and whose port it is", async () => {
  const { client } = await open();
  for (const [endpointType, errorCode] of [
    [2, 114],
    [9, 115],
  ] as const) {
    const answer = await client.ask("DescribeCluster", 1, { endpointType });
    expect(answer).toMatchObject({ errorCode, endpointType: 1, brokers: [] });
    expect(answer.errorMessage).toContain(String(endpointType));
  }
});

test("a fetch of no bytes brings a batch all the same, so that a reader gets on", async () => {
  const { broker, client } = await open();
  broker.cluster.createTopic({ topic: "orders", partitions: 1 });
  const partitionData = [{ index: 0, records: kafkaBatch(["a"]) }];
  await client.ask("Produce", 8, {
    acks: 1,
    timeoutMs: 5_000,
    topicData: [{ name: "orders", partitionData }],
  });
  for (const [partitionMaxBytes, maxBytes] of [
    [0, 1_000],
    [1_000, 0],
  ] as const) {
    const partitions = [{ partition: 0, fetchOffset: 0, partitionMaxBytes }];
    const request = { maxWaitMs: 0, minBytes: 0, maxBytes, topics: [{ topic: "orders", partitions }] };
    const { responses } = await client.ask("Fetch", 12, request);
    expect(responses[0]?.partitions[0]?.records?.length).toBeGreaterThan(60);
  }
});

test("a group tells its protocol, and what its members say of themselves, once it is stable", async () => {
  const { client } = await open();
  const joined = await client.ask("JoinGroup", 3, { groupId: "g", memberId: "", ...MEMBER, ...RANGE });
  const { memberId } = joined;
  const described = async () => (await client.ask("DescribeGroups", 5, { groups: ["g"] })).groups[0];
  expect(await described()).toMatchObject({ groupState: "CompletingRebalance", protocolData: "" });
  expect((await described())?.members[0]?.memberMetadata).toHaveLength(0);
  const assignments = [{ memberId, assignment: Buffer.from("mine") }];
  await client.ask("SyncGroup", 2, { groupId: "g", generationId: 1, memberId, assignments });
  expect(await described()).toMatchObject({ groupState: "Stable", protocolData: "range" });
  expect(String((await described())?.members[0]?.memberMetadata)).toBe("what I read");
});

test("since version 5 a member that brings an assignment says by which protocol it is in the group", async () => {
  const { client } = await open();
  const { memberId } = await client.ask("JoinGroup", 3, { groupId: "g", memberId: "", ...MEMBER, ...RANGE });
  const request = { groupId: "g", generationId: 1, memberId, assignments: [] };
  for (const protocol of [{}, { protocolType: "consumer" }, { protocolName: "range" }]) {
    expect(await client.ask("SyncGroup", 5, { ...request, ...protocol })).toMatchObject({ errorCode: 23 });
  }
  const whole = { ...request, protocolType: "consumer", protocolName: "range" };
  expect(await client.ask("SyncGroup", 5, whole)).toMatchObject({ errorCode: 0 });
});

test("a member's commit to a group that is not there is told so since version 9", async () => {
  const { broker, client } = await open();
  broker.cluster.createTopic({ topic: "orders", partitions: 1 });
  const partitions = [{ partitionIndex: 0, committedOffset: 1, committedMetadata: "" }];
  const topics = [{ name: "orders", partitions }];
  const request = { groupId: "g", generationIdOrMemberEpoch: 1, memberId: "m", topics };
  for (const [version, errorCode] of [
    [8, 22],
    [9, 69],
  ] as const) {
    const answer = await client.ask("OffsetCommit", version, request);
    expect(answer.topics[0]?.partitions[0]).toMatchObject({ errorCode });
  }
});

test("settings are asked for and changed by what can be the name of a topic", async () => {
  const { client } = await open();
  const configs = [{ name: "retention.ms", value: "5", configOperation: 0 }];
  const resource = (resourceName: string) => ({ resourceType: 2, resourceName });
  for (const [name, described, altered] of [
    ["a b", 17, 17],
    ["", 17, 42],
    ["nobody", 3, 3],
  ] as const) {
    const { results } = await client.ask("DescribeConfigs", 4, { resources: [resource(name)] });
    expect(results).toMatchObject([{ errorCode: described }]);
    const resources = [{ ...resource(name), configs }];
    const { responses } = await client.ask("IncrementalAlterConfigs", 1, { resources });
    expect(responses).toMatchObject([{ errorCode: altered }]);
  }
});

test("a partition is not assigned to one broker twice", async () => {
  const { client } = await open();
  const assignments = [{ partitionIndex: 0, brokerIds: [1, 1] }];
  const topic = { name: "orders", numPartitions: -1, replicationFactor: -1, assignments };
  const { topics } = await client.ask("CreateTopics", 7, { topics: [topic] });
  expect(topics).toMatchObject([{ errorCode: 39 }]);
});

test("who asks to go on with another producer id than that of its transactional id is fenced", async () => {
  const { client } = await open();
  const { nodeId } = await client.ask("FindCoordinator", 3, { key: "t", keyType: 1 });
  expect(nodeId).toBe(1);
  const request = { transactionalId: "t", transactionTimeoutMs: 60_000 };
  const { producerId } = await client.ask("InitProducerId", 4, request);
  const other = { ...request, producerId: producerId + 1_000, producerEpoch: 0 };
  for (const [version, errorCode] of [
    [3, 47],
    [4, 90],
  ] as const) {
    expect(await client.ask("InitProducerId", version, other)).toMatchObject({ errorCode });
  }
});
