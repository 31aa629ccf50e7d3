import { startBroker } from "@minikafka/broker";
import { type Client, connect } from "@minikafka/client";
import { expect, onTestFinished, test } from "vitest";
import { startDaemon, temporaryFolder } from "./support/daemon.ts";

async function overTcp(): Promise<Client> {
  const daemon = await startDaemon(temporaryFolder());
  const client = await connect({ broker: `127.0.0.1:${daemon.port}` });
  onTestFinished(() => client.close());
  return client;
}

/** The same messages without a port: broker and client in one process. */
async function inProcess(): Promise<Client> {
  const broker = await startBroker({
    settings: { data: temporaryFolder(), log_level: "silent" },
    listen: false,
  });
  const client = await connect({ link: () => broker.connectInProcess() });
  onTestFinished(async () => {
    await client.close();
    await broker.close();
  });
  return client;
}

test.each([
  ["over TCP", overTcp],
  ["in one process", inProcess],
])("the first record, %s: partition=1 offset=0, and it is there", async (_name, open) => {
  const client = await open();
  await client.admin().createTopic({ topic: "orders", partitions: 2 });
  const producer = client.producer({ batchBytes: 1 });
  const metadata = await producer.send({ topic: "orders", key: "alice", value: "created" });
  expect(`partition=${metadata.partition} offset=${metadata.offset}`).toBe("partition=1 offset=0");
  const consumer = client.consumer({ autoOffsetReset: "earliest" });
  await consumer.assign([{ topic: "orders", partition: metadata.partition }]);
  const records = await consumer.poll({ timeoutMs: 5_000 });
  expect(records.map(({ offset, key, value }) => [offset, String(key), String(value)])).toEqual([
    [0, "alice", "created"],
  ]);
});

test.each([
  ["over TCP", overTcp],
  ["in one process", inProcess],
])("exercise 2, %s: one key, one partition, and the order of the sends", async (_name, open) => {
  const client = await open();
  await client.admin().createTopic({ topic: "orders", partitions: 2 });
  const producer = client.producer({ batchBytes: 4096, lingerMs: 1_000 });
  const pending = ["0", "1", "2"].map((value) => producer.send({ topic: "orders", key: "alice", value }));
  await producer.flush();
  const partitions = new Set((await Promise.all(pending)).map(({ partition }) => partition));
  expect(partitions).toEqual(new Set([1]));
  const consumer = client.consumer({ autoOffsetReset: "earliest" });
  await consumer.assign([{ topic: "orders", partition: 1 }]);
  const values: string[] = [];
  for await (const record of consumer) {
    values.push(String(record.value));
    if (values.length === 3) break;
  }
  expect(values).toEqual(["0", "1", "2"]);
});
