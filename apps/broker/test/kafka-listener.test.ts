import { MemoryDisk } from "@minikafka/core/testing";
import { ZERO_UUID } from "@minikafka/protocol/kafka";
import { pino } from "pino";
import { expect, onTestFinished, test } from "vitest";
import { AddressUnavailable } from "../src/connections/port.ts";
import { startBroker } from "../src/daemon.ts";
import { Session } from "./support/broker.ts";
import { freePorts } from "./support/free-ports.ts";
import { KafkaClient, openKafkaBroker } from "./support/kafka-client.ts";
import { kafkaBatch } from "./support/kafka-records.ts";
import { isReachable } from "./support/reachable.ts";

function sizeOf(bytes: number): Buffer {
  const size = Buffer.alloc(4);
  size.writeInt32BE(bytes);
  return size;
}

/** Until somebody else has done it; the test's own time limit ends it otherwise. */
async function until(isDone: () => boolean): Promise<void> {
  while (!isDone()) await new Promise((resolve) => setImmediate(resolve));
}

test("ApiVersions names what is served, in every version; a version that nobody knows is answered in the form of version 0", async () => {
  const broker = await openKafkaBroker();
  const client = await KafkaClient.open(broker);
  for (const version of [0, 1, 2, 3, 4]) {
    const request = { clientSoftwareName: "tests", clientSoftwareVersion: "1.0" };
    const { errorCode, apiKeys } = await client.ask("ApiVersions", version, request);
    expect(errorCode).toBe(0);
    expect(apiKeys).toContainEqual({ apiKey: 18, minVersion: 0, maxVersion: 4 });
    expect(apiKeys).toContainEqual({ apiKey: 3, minVersion: 0, maxVersion: 12 });
  }
  const unknown = client.frame("ApiVersions", 0, {});
  unknown.writeInt16BE(99, 6);
  const answer = await client.exchange(unknown);
  // Correlation id, error, one key: 18, from 0 to 4.
  expect(answer?.toString("hex")).toBe(
    `${unknown.subarray(8, 12).toString("hex")}0023${"00000001"}0012${"0000"}0004`,
  );
  const refused = await client.ask("ApiVersions", 3, {
    clientSoftwareName: "-no-",
    clientSoftwareVersion: "1",
  });
  expect(refused.errorCode).toBe(42);
});

test("Metadata tells every running broker with its own port, and the topics that were asked for, in every version", async () => {
  const broker = await openKafkaBroker({ brokers: 3 });
  const json = Session.open(broker);
  await json.call("create_topic", { topic: "orders", partitions: 3, replication_factor: 3 });
  const client = await KafkaClient.open(broker, 2);
  const ports = broker.kafkaAddresses.map(({ port }) => port);
  expect(new Set(ports).size).toBe(3);
  for (let version = 0; version <= 12; version += 1) {
    const answer = await client.ask("Metadata", version, { topics: [{ name: "orders" }] });
    expect(answer.brokers.map(({ nodeId, host, port }) => [nodeId, host, port])).toEqual(
      ports.map((port, place) => [place + 1, "127.0.0.1", port]),
    );
    const [topic] = answer.topics;
    expect(topic).toMatchObject({ errorCode: 0, name: "orders" });
    expect(topic?.partitions.map(({ leaderId }) => leaderId)).toEqual([1, 2, 3]);
    expect(topic?.partitions[0]).toMatchObject({ replicaNodes: [1, 2, 3], isrNodes: [1, 2, 3] });
    if (version >= 1) expect(answer.controllerId).toBe(1);
    if (version >= 2) expect(answer.clusterId).toBe(broker.cluster.clusterId);
    if (version >= 10) expect(topic?.topicId).toBe(broker.cluster.describeTopic("orders").topicId);
  }
});

test("of no list all topics are told, of an empty one none, and in version 0 of an empty one all", async () => {
  const broker = await openKafkaBroker();
  broker.cluster.createTopic({ topic: "a", partitions: 1 });
  broker.cluster.createTopic({ topic: "b", partitions: 1 });
  const client = await KafkaClient.open(broker);
  const names = async (version: number, topics: null | []) =>
    (await client.ask("Metadata", version, { topics })).topics.map(({ name }) => name);
  expect(await names(0, [])).toEqual(["a", "b"]);
  expect(await names(1, [])).toEqual([]);
  expect(await names(1, null)).toEqual(["a", "b"]);
  expect(await names(12, null)).toEqual(["a", "b"]);
});

test("a topic is made only where the client and the setting want it; one that cannot be is refused in its own place", async () => {
  const broker = await openKafkaBroker({ auto_create_partitions: 2 });
  const client = await KafkaClient.open(broker);
  const ask = async (version: number, name: string, allowAutoTopicCreation?: boolean) => {
    const wish = allowAutoTopicCreation === undefined ? {} : { allowAutoTopicCreation };
    return (await client.ask("Metadata", version, { topics: [{ name }], ...wish })).topics[0];
  };
  expect(await ask(4, "wished", false)).toMatchObject({ errorCode: 3, partitions: [] });
  expect((await ask(4, "wished", true))?.partitions).toHaveLength(2);
  expect((await ask(0, "old"))?.partitions).toHaveLength(2);
  expect(await ask(4, "no/name", true)).toMatchObject({ errorCode: 17, name: "no/name", partitions: [] });
  expect(await ask(4, "no/name", false)).toMatchObject({ errorCode: 17 });
  expect(await ask(4, "WISHED", true)).toMatchObject({ errorCode: 17 });
  const closed = await openKafkaBroker({ auto_create_topics: false, data: "/other" });
  const other = await KafkaClient.open(closed);
  const { topics } = await other.ask("Metadata", 4, { topics: [{ name: "wished" }] });
  expect(topics[0]).toMatchObject({ errorCode: 3 });
  expect(closed.cluster.hasTopic("wished")).toBe(false);
});

test("by its id a topic is found in version 12, and an id that no topic has is UNKNOWN_TOPIC_ID", async () => {
  const broker = await openKafkaBroker();
  const { topicId } = broker.cluster.createTopic({ topic: "orders", partitions: 1 });
  const client = await KafkaClient.open(broker);
  const known = await client.ask("Metadata", 12, { topics: [{ name: null, topicId }] });
  expect(known.topics[0]).toMatchObject({ errorCode: 0, name: "orders", topicId });
  const unknownId = "12345678-1234-1234-1234-123456789abc";
  const unknown = await client.ask("Metadata", 12, { topics: [{ name: null, topicId: unknownId }] });
  expect(unknown.topics[0]).toMatchObject({ errorCode: 100, name: null, topicId: unknownId, partitions: [] });
  const neither = await client.ask("Metadata", 12, { topics: [{ name: null, topicId: ZERO_UUID }] });
  expect(neither.topics[0]).toMatchObject({ errorCode: 42 });
});

test("a stopped broker's port is closed and its clients are cut off; started again it listens on the same one", async () => {
  const broker = await openKafkaBroker({ brokers: 2 });
  const json = Session.open(broker);
  const [first, second] = broker.kafkaAddresses;
  const kept = await KafkaClient.open(broker, 1);
  const cut = await KafkaClient.open(broker, 2);
  await json.call("stop_broker", { broker_id: 2 });
  await cut.closed();
  expect(await isReachable(second?.port ?? 0)).toBe(false);
  const without = await kept.ask("Metadata", 1, { topics: [] });
  expect(without.brokers.map(({ nodeId }) => nodeId)).toEqual([1]);
  await json.call("start_broker", { broker_id: 2 });
  expect(broker.kafkaAddresses).toEqual([first, second]);
  const again = await KafkaClient.open(broker, 2);
  const { brokers } = await again.ask("Metadata", 1, { topics: [] });
  expect(brokers.map(({ nodeId }) => nodeId)).toEqual([1, 2]);
});

test.each(["auto", "manual"])(
  "clock %s: what has no size that can be, cannot be read, or is of no API and version that is spoken, ends its own connection alone",
  async (clock) => {
    const broker = await openKafkaBroker({ clock, kafka_max_frame_bytes: 1024 });
    const kept = await KafkaClient.open(broker);
    const valid = kept.frame("Metadata", 12, { topics: [{ name: "orders" }], allowAutoTopicCreation: false });
    const withField = (at: number, value: number): Buffer => {
      const frame = Buffer.from(valid);
      frame.writeInt16BE(value, at);
      return frame;
    };
    const bad: [string, Buffer][] = [
      ["a size of 0", sizeOf(0)],
      ["a size below 0", sizeOf(-1)],
      ["a size beyond the bound", sizeOf(1025)],
      ["the largest size", sizeOf(0x7fff_ffff)],
      ["HTTP", Buffer.from("GET / HTTP/1.1\r\n\r\n")],
      ["no header", Buffer.concat([sizeOf(3), Buffer.from("abc")])],
      ["an API that there is not", withField(4, 999)],
      ["an API below 0", withField(4, -1)],
      ["a version beyond", withField(6, 13)],
      ["a version below 0", withField(6, -1)],
    ];
    for (let length = 12; length < valid.length - 4; length += 1)
      bad.push([`${length} bytes of it`, Buffer.concat([sizeOf(length), valid.subarray(4, 4 + length)])]);
    for (const [name, bytes] of bad) {
      const client = await KafkaClient.open(broker);
      client.send(bytes);
      await client.closed();
      expect(client.correlationIds, name).toEqual([]);
    }
    expect((await kept.ask("Metadata", 1, { topics: [] })).topics).toEqual([]);
  },
);

test("what stands behind the last field of a request is passed over, as by Kafka", async () => {
  const broker = await openKafkaBroker();
  const client = await KafkaClient.open(broker);
  for (const version of [1, 12]) {
    const valid = client.frame("Metadata", version, { topics: [] });
    const surplus = Buffer.from([1, 2, 3]);
    const size = sizeOf(valid.length - 4 + surplus.length);
    const answer = await client.exchange(Buffer.concat([size, valid.subarray(4), surplus]));
    expect(answer?.subarray(0, 4)).toEqual(valid.subarray(8, 12));
  }
  expect((await client.ask("Metadata", 1, { topics: [] })).topics).toEqual([]);
});

test("a request of many megabytes is taken, longer than a line of JSON may be", async () => {
  const broker = await openKafkaBroker();
  broker.cluster.createTopic({ topic: "orders", partitions: 8 });
  const client = await KafkaClient.open(broker);
  const partitionData = Array.from({ length: 8 }, (_none, index) => ({
    index,
    records: kafkaBatch(["x".repeat(1_000_000)]),
  }));
  const request = { acks: -1, timeoutMs: 5_000, topicData: [{ name: "orders", partitionData }] };
  const { responses } = await client.ask("Produce", 9, request);
  expect(responses[0]?.partitionResponses.map(({ errorCode }) => errorCode)).toEqual(Array(8).fill(0));
});

test("requests that come at once are answered in their order, cut into pieces of any size", async () => {
  const broker = await openKafkaBroker();
  for (const pieceBytes of [1, 3, 7, 1_000]) {
    const client = await KafkaClient.open(broker);
    const frames = Array.from({ length: 50 }, (_none, index) =>
      index % 2 === 0
        ? client.frame("ApiVersions", 0, {})
        : client.frame("Metadata", 4, { topics: [{ name: `topic-${index}` }] }),
    );
    const bytes = Buffer.concat(frames);
    for (let at = 0; at < bytes.length; at += pieceBytes) client.send(bytes.subarray(at, at + pieceBytes));
    await until(() => client.correlationIds.length === frames.length);
    expect(client.correlationIds).toEqual(frames.map((_frame, index) => index + 1));
  }
});

test("Kafka's clients count among the connections that the broker takes; one too many is closed", async () => {
  const broker = await openKafkaBroker({ max_connections: 2 });
  const json = Session.open(broker);
  const client = await KafkaClient.open(broker);
  const surplus = await KafkaClient.open(broker);
  await surplus.closed();
  expect((await client.ask("ApiVersions", 0, {})).errorCode).toBe(0);
  expect(await json.ask({ operation: "ping" })).toMatchObject({ ok: true });
});

test("a port that is taken ends the start, and leaves nothing behind", async () => {
  const broker = await openKafkaBroker();
  const [taken] = broker.kafkaAddresses;
  const second = openKafkaBroker({ data: "/other", kafka_port: taken?.port });
  await expect(second).rejects.toThrow(AddressUnavailable);
  await expect(second).rejects.toThrow(
    expect.objectContaining({
      setting: "kafka_port",
      message: `cannot listen on 127.0.0.1:${taken?.port}, for Kafka's clients: EADDRINUSE`,
    }),
  );
  expect(await isReachable(taken?.port ?? 0)).toBe(true);
});

test("a broker without a port of its own listens for Kafka's clients where the settings say so", async () => {
  const broker = await startBroker({
    settings: { data: "/data", kafka_port: 0 },
    disk: new MemoryDisk(),
    log: pino({ level: "silent" }),
    listen: false,
  });
  onTestFinished(() => broker.close());
  expect(broker.address).toBeNull();
  const client = await KafkaClient.open(broker);
  const { brokers } = await client.ask("Metadata", 1, { topics: [] });
  expect(brokers.map(({ port }) => port)).toEqual(broker.kafkaAddresses.map(({ port }) => port));
});

test("each broker listens on the port that is named for it", async () => {
  const ports = await freePorts(3);
  const broker = await openKafkaBroker({ brokers: 3, kafka_port: ports });
  expect(broker.kafkaAddresses.map(({ port }) => port)).toEqual(ports);
  const client = await KafkaClient.open(broker, 3);
  const { brokers } = await client.ask("Metadata", 1, { topics: [] });
  expect(brokers.map(({ nodeId, port }) => [nodeId, port])).toEqual(
    ports.map((port, place) => [place + 1, port]),
  );
});

test("clients are told to connect to the host that is advertised, or to localhost where all addresses are listened on", async () => {
  const advertised = await openKafkaBroker({ advertise: "kafka.example" });
  const client = await KafkaClient.open(advertised);
  const { brokers } = await client.ask("Metadata", 1, { topics: [] });
  expect(brokers[0]).toMatchObject({ host: "kafka.example", port: advertised.kafkaAddresses[0]?.port });
  const everywhere = await openKafkaBroker({ host: "0.0.0.0", data: "/other" });
  expect(everywhere.kafkaAddresses[0]?.host).toBe("localhost");
});
