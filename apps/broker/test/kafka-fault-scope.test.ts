/** Which of Kafka's requests a fault is bound to: what a request is about is said in many ways, one of them by ids. */
import type { ApiName } from "@minikafka/protocol/kafka";
import { expect, test } from "vitest";
import { Session } from "./support/broker.ts";
import { KafkaClient, openKafkaBroker } from "./support/kafka-client.ts";

interface Topic {
  readonly name: string;
  readonly topicId: string;
}

function fetchBy(version: number) {
  return ({ name, topicId }: Topic) => ({
    ...{ maxWaitMs: 0, minBytes: 0 },
    topics: [
      {
        ...(version < 13 ? { topic: name } : { topicId }),
        partitions: [{ partition: 0, fetchOffset: 0, partitionMaxBytes: 1 }],
      },
    ],
  });
}

test.each<[name: ApiName, version: number, requestOf: (topic: Topic) => object]>([
  ["Fetch", 12, fetchBy(12)],
  ["Fetch", 13, fetchBy(13)],
  ["Metadata", 9, ({ name }) => ({ topics: [{ name }] })],
  ["Metadata", 12, ({ topicId }) => ({ topics: [{ name: null, topicId }] })],
  ["DeleteTopics", 5, ({ name }) => ({ topicNames: [name], timeoutMs: 0 })],
  ["DeleteTopics", 6, ({ topicId }) => ({ topics: [{ topicId }], timeoutMs: 0 })],
])(
  "a fault that is bound to a topic hits %s of version %i at that topic alone",
  async (api, version, requestOf) => {
    const broker = await openKafkaBroker({ lab: true });
    const json = Session.open(broker);
    const [orders, other] = ["orders", "other"].map((name) => {
      return { name, topicId: broker.cluster.createTopic({ topic: name, partitions: 1 }).topicId };
    });
    if (orders === undefined || other === undefined) throw new Error("no topics");
    await json.call("arm_fault", { point: `kafka.${api}`, action: "close", topic: "orders" });
    const client = await KafkaClient.open(broker);
    await client.ask(api, version, requestOf(other) as never);
    await expect(client.ask(api, version, requestOf(orders) as never)).rejects.toThrow(
      "the connection ended",
    );
  },
);

test("a fault that is bound to a transactional id hits who asks for several of them", async () => {
  const broker = await openKafkaBroker({ lab: true });
  const json = Session.open(broker);
  const point = "kafka.DescribeTransactions";
  await json.call("arm_fault", { point, action: "close", transactional_id: "t" });
  const client = await KafkaClient.open(broker);
  await client.ask("DescribeTransactions", 0, { transactionalIds: ["other"] });
  const asked = client.ask("DescribeTransactions", 0, { transactionalIds: ["other", "t"] });
  await expect(asked).rejects.toThrow("the connection ended");
});
