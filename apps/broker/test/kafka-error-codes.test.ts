/** What is refused for a whole request, in the numbers that Kafka has for it. */
import { expect, test } from "vitest";
import { KafkaClient, openKafkaBroker } from "./support/kafka-client.ts";
import { kafkaBatch } from "./support/kafka-records.ts";

async function openWithTopic() {
  const broker = await openKafkaBroker();
  broker.cluster.createTopic({ topic: "orders", partitions: 2 });
  return { broker, client: await KafkaClient.open(broker) };
}

const NO_NAME = "";
const INVALID_GROUP_ID = 24;

test("a group without a name is INVALID_GROUP_ID to who would be in it or commit, and there is none to who looks", async () => {
  const { client } = await openWithTopic();
  const asked = { groupId: NO_NAME, generationId: 1, memberId: "m" };
  const joining = { groupId: NO_NAME, sessionTimeoutMs: 30_000, rebalanceTimeoutMs: 30_000, memberId: "" };
  const protocols = [{ name: "range", metadata: Buffer.alloc(0) }];
  const joined = await client.ask("JoinGroup", 5, { ...joining, protocolType: "consumer", protocols });
  const synced = await client.ask("SyncGroup", 3, { ...asked, assignments: [] });
  const beaten = await client.ask("Heartbeat", 3, asked);
  const left = await client.ask("LeaveGroup", 1, asked);
  const codes = [joined, synced, beaten, left].map(({ errorCode }) => errorCode);
  expect(codes).toEqual([INVALID_GROUP_ID, INVALID_GROUP_ID, INVALID_GROUP_ID, INVALID_GROUP_ID]);
  const partitions = [{ partitionIndex: 0, committedOffset: 1, committedMetadata: null }];
  for (let version = 2; version <= 9; version += 1) {
    const topics = [{ name: "orders", partitions }];
    const [topic] = (await client.ask("OffsetCommit", version, { groupId: NO_NAME, topics })).topics;
    expect(topic?.partitions).toEqual([{ partitionIndex: 0, errorCode: INVALID_GROUP_ID }]);
  }
  const topics = [{ name: "orders", partitions: [{ partitionIndex: 0 }] }];
  const forgotten = await client.ask("OffsetDelete", 0, { groupId: NO_NAME, topics });
  expect(forgotten.errorCode).toBe(INVALID_GROUP_ID);
  const { groups } = await client.ask("DescribeGroups", 5, { groups: [NO_NAME] });
  expect(groups).toMatchObject([{ errorCode: 0, groupState: "Dead", members: [] }]);
  const { results } = await client.ask("DeleteGroups", 2, { groupsNames: [NO_NAME] });
  expect(results).toEqual([{ groupId: NO_NAME, errorCode: 69 }]);
});

test("a name that is too long for a group is INVALID_GROUP_ID", async () => {
  const { client } = await openWithTopic();
  const partitions = [{ partitionIndex: 0, committedOffset: 1, committedMetadata: null }];
  const topics = [{ name: "orders", partitions }];
  const [topic] = (await client.ask("OffsetCommit", 5, { groupId: "x".repeat(256), topics })).topics;
  expect(topic?.partitions).toEqual([{ partitionIndex: 0, errorCode: INVALID_GROUP_ID }]);
});

function sending(acks: number, transactionalId: string | null = null) {
  const begun = { producerId: 5, producerEpoch: 0, baseSequence: 0, transactional: true };
  const partitionData = [
    { index: 0, records: kafkaBatch(["plain"]) },
    { index: 1, records: kafkaBatch(["of a transaction"], begun) },
  ];
  return { transactionalId, acks, timeoutMs: 5_000, topicData: [{ name: "orders", partitionData }] };
}

test("a batch of a transaction where no transactional id is named refuses the request whole, and nothing is appended", async () => {
  const { broker, client } = await openWithTopic();
  const ends = () =>
    [0, 1].map((partition) => broker.cluster.listOffsets({ topic: "orders", partition }, -1).offset);
  for (let version = 3; version <= 11; version += 1) {
    const { responses } = await client.ask("Produce", version, sending(-1));
    const codes = responses[0]?.partitionResponses.map(({ errorCode }) => errorCode);
    expect(codes, `version ${version}`).toEqual([53, 53]);
  }
  expect(ends()).toEqual([0, 0]);
  expect(await client.exchange(client.frame("Produce", 7, sending(0)))).toBeNull();
  expect(ends()).toEqual([0, 0]);
});
