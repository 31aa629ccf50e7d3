import { expect, test } from "vitest";
import { KafkaClient, openKafkaBroker } from "./support/kafka-client.ts";

async function openWithTopic() {
  const broker = await openKafkaBroker({ brokers: 3 });
  const assignment = [[1, 2]];
  broker.cluster.createTopic({ topic: "orders", partitions: 1, replicationFactor: 2, assignment });
  return { broker, client: await KafkaClient.open(broker, 3) };
}

function wanted(partitionIndex: number, replicas: readonly number[] | null, name = "orders") {
  return [{ name, partitions: [{ partitionIndex, replicas }] }];
}

test.each([
  ["the replicas that there are", wanted(0, [1, 2]), 0, null],
  ["the same in another order", wanted(0, [2, 1]), 39, "the replicas stay on brokers 1, 2, in this order"],
  ["a move to another broker", wanted(0, [1, 3]), 39, "none moves to another broker here, as 1, 3"],
  ["a broker that there is not", wanted(0, [1, 9]), 39, "there is no broker 9; the brokers are 1, 2, 3"],
  ["a broker twice", wanted(0, [1, 1]), 39, "a broker is named twice among 1, 1"],
  ["no broker", wanted(0, []), 39, "there is no replica"],
  ["the end of a move", wanted(0, null), 85, "no replica is on its way"],
  ["a partition that there is not", wanted(7, [1, 2]), 3, "no partition 7"],
  ["a topic that there is not", wanted(0, [1, 2], "nothing"), 3, "no topic"],
])(
  "AlterPartitionReassignments with %s has its answer in its own place, and nothing moves",
  async (_what, topics, errorCode, message) => {
    const { broker, client } = await openWithTopic();
    const beside = { partitionIndex: 0, replicas: [1, 2] };
    const asked = [...topics, { name: "orders", partitions: [beside] }];
    const answer = await client.ask("AlterPartitionReassignments", 0, { topics: asked });
    expect(answer).toMatchObject({ errorCode: 0, errorMessage: null });
    const [place, unharmed] = answer.responses.map(({ partitions }) => partitions[0]);
    expect(place).toEqual({
      partitionIndex: topics[0]?.partitions[0]?.partitionIndex,
      errorCode,
      errorMessage: message === null ? null : expect.stringContaining(message),
    });
    expect(unharmed).toEqual({ partitionIndex: 0, errorCode: 0, errorMessage: null });
    expect(broker.cluster.metadata("orders").partitions[0]).toMatchObject({ replicas: [1, 2], leaderId: 1 });
  },
);

test("ListPartitionReassignments names nothing, whatever is asked about", async () => {
  const { client } = await openWithTopic();
  const nothing = { throttleTimeMs: 0, errorCode: 0, errorMessage: null, topics: [] };
  for (const topics of [null, [], [{ name: "orders", partitionIndexes: [0, 5] }]])
    expect(await client.ask("ListPartitionReassignments", 0, { topics })).toEqual(nothing);
});
