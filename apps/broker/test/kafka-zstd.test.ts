/** Who is given what is packed with zstd, which clients of old cannot unpack (KIP-110). */
import { expect, test } from "vitest";
import { Session } from "./support/broker.ts";
import { read, send } from "./support/kafka-asks.ts";
import { KafkaClient, openKafkaBroker } from "./support/kafka-client.ts";
import { kafkaBatch } from "./support/kafka-records.ts";

const UNSUPPORTED_COMPRESSION_TYPE = 76;
const ATTRIBUTES_AT = 21;
const ZSTD = 4;

test("a topic that the leader packs with zstd is told UNSUPPORTED_COMPRESSION_TYPE before version 10 of Fetch, at once, and is read from then on", async () => {
  const broker = await openKafkaBroker();
  broker.cluster.createTopic({ topic: "orders", partitions: 1, config: { compression_type: "zstd" } });
  const client = await KafkaClient.open(broker);
  await send(client, kafkaBatch(["a"]));
  const patience = { minBytes: 1 << 20, maxWaitMs: 60_000 };
  for (let version = 4; version < 10; version += 1) {
    const refused = await read(client, { version, ...patience });
    expect(refused).toMatchObject({ errorCode: UNSUPPORTED_COMPRESSION_TYPE, highWatermark: -1 });
    expect(refused?.records).toHaveLength(0);
  }
  for (const version of [10, 11, 12]) {
    const found = await read(client, { version });
    expect(found?.errorCode).toBe(0);
    expect((found?.records?.readInt16BE(ATTRIBUTES_AT) ?? 0) & 7).toBe(ZSTD);
  }
});

test("what a producer packed with zstd in a topic of another setting is given to everybody, as it lies in the log", async () => {
  const broker = await openKafkaBroker();
  broker.cluster.createTopic({ topic: "orders", partitions: 1, config: { compression_type: "zstd" } });
  const client = await KafkaClient.open(broker);
  await send(client, kafkaBatch(["a"]));
  const json = Session.open(broker);
  await json.call("alter_config", { topic: "orders", config: { compression_type: "producer" } });
  const found = await read(client, { version: 4 });
  expect(found?.errorCode).toBe(0);
  expect((found?.records?.readInt16BE(ATTRIBUTES_AT) ?? 0) & 7).toBe(ZSTD);
});
