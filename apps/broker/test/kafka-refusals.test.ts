/** Requests whose answers would be hard to write, or long in coming. */
import { MemoryDisk } from "@minikafka/core/testing";
import { pino } from "pino";
import { expect, onTestFinished, test } from "vitest";
import { startBroker } from "../src/daemon.ts";
import { KafkaClient } from "./support/kafka-client.ts";

const TIMEOUT_MS = 5_000;
/** About as much as a message can say (the protocol's ELEMENTS_MAX); taken two by two it would take minutes. */
const MANY = 19_900;

/** `faults` are the broker's own, as its log has them. */
async function open() {
  const faults: string[] = [];
  const log = pino({ level: "error" }, { write: (line: string) => void faults.push(line) });
  const settings = { data: "/data", port: 0, kafka_port: 0 };
  const broker = await startBroker({ settings, disk: new MemoryDisk(), log });
  onTestFinished(() => broker.close());
  broker.cluster.createTopic({ topic: "orders", partitions: 1 });
  return { broker, client: await KafkaClient.open(broker), faults };
}

test("a topic without a name is refused also in versions whose answer cannot leave it out", async () => {
  const { client, faults } = await open();
  for (const version of [10, 11, 12]) {
    const { topics } = await client.ask("Metadata", version, { topics: [{ name: null }] });
    expect(topics).toMatchObject([{ errorCode: 42, name: "" }]);
  }
  expect(faults).toEqual([]);
});

test("a name that is no text, and that an answer could not hold, ends its own connection", async () => {
  const { broker, client, faults } = await open();
  const name = "x".repeat(20_000);
  const whole = client.frame("Metadata", 1, { topics: [{ name }] });
  const unreadable = await KafkaClient.open(broker);
  unreadable.send(Buffer.concat([whole.subarray(0, -name.length), Buffer.alloc(name.length, 0xff)]));
  await unreadable.closed();
  expect((await client.ask("Metadata", 1, { topics: [{ name }] })).topics).toMatchObject([{ errorCode: 17 }]);
  expect(faults).toEqual([]);
});

test("an error that tells what is very long tells the beginning of it", async () => {
  const { client, faults } = await open();
  const configs = [{ name: "preallocate", value: "x".repeat(32_767) }];
  const resources = [{ resourceType: 2, resourceName: "orders", configs }];
  const { responses } = await client.ask("AlterConfigs", 1, { resources });
  expect(responses).toMatchObject([{ errorCode: 40, resourceName: "orders" }]);
  expect(responses[0]?.errorMessage).toMatch(/^preallocate is x{900,}$/);
  expect(faults).toEqual([]);
});

test("what is looked at as often as a message can say is told once", { timeout: 20_000 }, async () => {
  const { client, faults } = await open();
  const many = <Item>(item: Item): Item[] => Array.from({ length: MANY }, () => item);
  const topic = { resourceType: 2, resourceName: "orders" };
  const described = await client.ask("DescribeConfigs", 1, { resources: many(topic) });
  expect(described.results).toHaveLength(1);
  const { groups } = await client.ask("DescribeGroups", 0, { groups: many("g") });
  expect(groups).toMatchObject([{ groupId: "g", groupState: "Dead" }]);
  const asked = [
    { name: "orders", partitionIndexes: many(0) },
    { name: "orders", partitionIndexes: [1] },
  ];
  const { topics } = await client.ask("DescribeProducers", 0, { topics: asked });
  expect(topics).toMatchObject([{ partitions: [{ errorCode: 0 }, { errorCode: 3 }] }]);
  const { transactionStates } = await client.ask("DescribeTransactions", 0, { transactionalIds: many("t") });
  expect(transactionStates).toHaveLength(1);
  expect(faults).toEqual([]);
});

test("what is named as often as a message can say is refused as soon as what is named twice", {
  timeout: 20_000,
}, async () => {
  const { client, faults } = await open();
  const partitions = Array.from({ length: MANY }, () => ({ partitionIndex: 0, timestamp: -1 }));
  const offsets = await client.ask("ListOffsets", 1, { topics: [{ name: "orders", partitions }] });
  expect(new Set(offsets.topics[0]?.partitions.map(({ errorCode }) => errorCode))).toEqual(new Set([42]));

  const resources = Array.from({ length: MANY }, () => ({
    resourceType: 2,
    resourceName: "orders",
    configs: [],
  }));
  const { responses } = await client.ask("AlterConfigs", 1, { resources });
  expect(new Set(responses.map(({ errorCode }) => errorCode))).toEqual(new Set([42]));

  const topics = Array.from({ length: MANY }, () => ({ name: "orders", count: 2 }));
  const { results } = await client.ask("CreatePartitions", 1, { topics, timeoutMs: TIMEOUT_MS });
  expect(results).toMatchObject([{ name: "orders", errorCode: 42 }]);
  expect(faults).toEqual([]);
});

test("a message that names more than it may ends its connection before any of it is done, and others go on", async () => {
  const { broker, client, faults } = await open();
  const groupsNames = Array.from({ length: 900_000 }, (_, number) => number.toString(36));
  const large = await KafkaClient.open(broker);
  const frame = large.frame("DeleteGroups", 0, { groupsNames });
  const began = performance.now();
  large.send(frame);
  await large.closed();
  // Looking for each of them took a minute, in which nobody was answered.
  expect(performance.now() - began).toBeLessThan(5_000);
  expect((await client.ask("Metadata", 1, { topics: [{ name: "none" }] })).topics).toHaveLength(1);
  expect(faults).toEqual([]);
});
