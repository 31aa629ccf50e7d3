/** What Kafka's clients see of replicas that cannot be read. */
import { MemoryDisk } from "@minikafka/core/testing";
import { expect, test } from "vitest";
import { KafkaClient, openKafkaBroker } from "./support/kafka-client.ts";

test("Metadata tells a replica as off line whose broker is stopped, and one whose log alone is gone", async () => {
  const disk = new MemoryDisk();
  const broker = await openKafkaBroker({ brokers: 3 }, disk);
  broker.cluster.createTopic({ topic: "orders", partitions: 1, replicationFactor: 3 });
  await broker.close();
  const folder = "/data/broker-2/orders-0";
  for (const { name } of disk.readFolder(folder)) disk.remove(`${folder}/${name}`);
  disk.removeFolder(folder);
  const again = await openKafkaBroker({ brokers: 3 }, disk);
  const client = await KafkaClient.open(again);
  const seen = async (version: number) => {
    const { brokers, topics } = await client.ask("Metadata", version, { topics: [{ name: "orders" }] });
    const { leaderId, replicaNodes, offlineReplicas } = topics[0]?.partitions[0] ?? {};
    return { running: brokers.map(({ nodeId }) => nodeId), leaderId, replicaNodes, offlineReplicas };
  };
  const expected = { running: [1, 2, 3], leaderId: 1, replicaNodes: [1, 2, 3], offlineReplicas: [2] };
  for (const version of [5, 8, 12]) expect(await seen(version), `version ${version}`).toEqual(expected);
  await again.cluster.stopBroker(3);
  expect(await seen(12)).toEqual({ ...expected, running: [1, 2], offlineReplicas: [2, 3] });
  await again.cluster.rejoin({ topic: "orders", partition: 0 }, 2);
  expect(await seen(12)).toMatchObject({ offlineReplicas: [3] });
});
