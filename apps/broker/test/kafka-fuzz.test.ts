/** Kafka's requests with damage: whatever comes, the broker has no fault of its own, and others are served. */
import { SeededRandom } from "@minikafka/core";
import { MemoryDisk } from "@minikafka/core/testing";
import { API_TABLE, type ApiName, type RequestInputOf, servedVersions } from "@minikafka/protocol/kafka";
import { pino } from "pino";
import { expect, onTestFinished, test } from "vitest";
import { startBroker } from "../src/daemon.ts";
import { KafkaClient } from "./support/kafka-client.ts";
import { kafkaBatch } from "./support/kafka-records.ts";

const SEEDS = Number(process.env.MINIKAFKA_HISTORIES ?? 3);
/** Of each request in each of its versions. */
const DAMAGED_EACH = 4;

const GROUP = { groupId: "g", generationId: 1, memberId: "m" };
const PRODUCER = { transactionalId: "t", producerId: 1, producerEpoch: 0 };
const COMMITTED = [
  { name: "orders", partitions: [{ partitionIndex: 0, committedOffset: 1, committedMetadata: "x" }] },
];

const TOPIC_CONFIGS = { resourceType: 2, resourceName: "orders" };
const TIMEOUT_MS = 10;

const REQUESTS: { readonly [Name in ApiName]: RequestInputOf<Name> } = {
  Produce: {
    acks: 1,
    timeoutMs: 10,
    topicData: [{ name: "orders", partitionData: [{ index: 0, records: kafkaBatch(["a", "b"]) }] }],
  },
  Fetch: {
    ...{ maxWaitMs: 0, minBytes: 1 },
    topics: [{ topic: "orders", partitions: [{ partition: 0, fetchOffset: 0, partitionMaxBytes: 1_000 }] }],
  },
  ListOffsets: { topics: [{ name: "orders", partitions: [{ partitionIndex: 0, timestamp: -1 }] }] },
  Metadata: { topics: [{ name: "orders" }], allowAutoTopicCreation: false },
  OffsetCommit: { groupId: "g", topics: COMMITTED },
  OffsetFetch: { groupId: "g", topics: [{ name: "orders", partitionIndexes: [0] }] },
  FindCoordinator: { key: "g", coordinatorKeys: ["g"] },
  JoinGroup: {
    ...{ groupId: "g", sessionTimeoutMs: 10_000, memberId: "", protocolType: "consumer" },
    protocols: [{ name: "range", metadata: Buffer.from("x") }],
  },
  Heartbeat: GROUP,
  LeaveGroup: { groupId: "g", memberId: "m", members: [{ memberId: "m" }] },
  SyncGroup: { ...GROUP, assignments: [{ memberId: "m", assignment: Buffer.from("x") }] },
  DescribeGroups: { groups: ["g"], includeAuthorizedOperations: true },
  ListGroups: { statesFilter: ["Stable"], typesFilter: ["classic"] },
  SaslHandshake: { mechanism: "PLAIN" },
  ApiVersions: { clientSoftwareName: "tests", clientSoftwareVersion: "1" },
  CreateTopics: {
    topics: [
      {
        ...{ name: "made", numPartitions: 2, replicationFactor: 1 },
        configs: [{ name: "retention.ms", value: "1000" }],
      },
      {
        ...{ name: "placed", numPartitions: -1, replicationFactor: -1 },
        assignments: [{ partitionIndex: 0, brokerIds: [1] }],
      },
    ],
    timeoutMs: TIMEOUT_MS,
  },
  DeleteTopics: { topics: [{ name: "made" }], topicNames: ["made"], timeoutMs: TIMEOUT_MS },
  DeleteRecords: {
    topics: [{ name: "orders", partitions: [{ partitionIndex: 0, offset: 0 }] }],
    timeoutMs: TIMEOUT_MS,
  },
  InitProducerId: { transactionalId: "t", transactionTimeoutMs: 1_000 },
  OffsetForLeaderEpoch: { topics: [{ topic: "orders", partitions: [{ partition: 0, leaderEpoch: 0 }] }] },
  AddPartitionsToTxn: { ...PRODUCER, topics: [{ name: "orders", partitions: [0] }] },
  AddOffsetsToTxn: { ...PRODUCER, groupId: "g" },
  EndTxn: { ...PRODUCER, committed: true },
  TxnOffsetCommit: { ...PRODUCER, groupId: "g", topics: COMMITTED },
  DescribeConfigs: {
    resources: [{ ...TOPIC_CONFIGS, configurationKeys: ["retention.ms"] }],
    includeSynonyms: true,
  },
  AlterConfigs: {
    resources: [{ ...TOPIC_CONFIGS, configs: [{ name: "retention.ms", value: "60000" }] }],
  },
  DescribeLogDirs: { topics: [{ topic: "orders", partitions: [0] }] },
  SaslAuthenticate: { authBytes: Buffer.from("\0a\0b") },
  CreatePartitions: { topics: [{ name: "orders", count: 2 }], timeoutMs: TIMEOUT_MS },
  DeleteGroups: { groupsNames: ["g"] },
  IncrementalAlterConfigs: {
    resources: [
      { ...TOPIC_CONFIGS, configs: [{ name: "cleanup.policy", configOperation: 2, value: "compact" }] },
    ],
  },
  AlterPartitionReassignments: {
    topics: [{ name: "orders", partitions: [{ partitionIndex: 0, replicas: [1] }] }],
    timeoutMs: TIMEOUT_MS,
  },
  ListPartitionReassignments: {
    topics: [{ name: "orders", partitionIndexes: [0] }],
    timeoutMs: TIMEOUT_MS,
  },
  OffsetDelete: { groupId: "g", topics: [{ name: "orders", partitions: [{ partitionIndex: 0 }] }] },
  DescribeCluster: { includeClusterAuthorizedOperations: true },
  DescribeProducers: { topics: [{ name: "orders", partitionIndexes: [0] }] },
  DescribeTransactions: { transactionalIds: ["t"] },
  ListTransactions: { stateFilters: ["Ongoing"], producerIdFilters: [1] },
};

/** Whose damage may ask for any patience. */
const WAITING: readonly string[] = ["Fetch", "JoinGroup", "SyncGroup"];

/** Bytes changed, taken out or put in, behind the size, which then says how many there are. */
function damaged(frame: Buffer, random: SeededRandom): Buffer {
  let body = Buffer.from(frame.subarray(4));
  // The version stays, most of the time: another one is refused before anything is read.
  const from = random.below(8) === 0 ? 0 : 8;
  for (let times = 1 + random.below(3); times > 0; times -= 1) {
    const at = from + random.below(Math.max(1, body.length - from));
    const byte = [0, 0xff, 0x7f, 0x80, random.below(256)][random.below(5)] ?? 0;
    const kind = random.below(4);
    if (kind === 0) body = body.subarray(0, at);
    else if (kind === 1)
      body = Buffer.concat([body.subarray(0, at), Buffer.alloc(3, byte), body.subarray(at)]);
    else body.fill(byte, at, Math.min(body.length, at + (kind === 2 ? 1 : 4)));
  }
  const size = Buffer.alloc(4);
  size.writeInt32BE(Math.max(1, body.length));
  return Buffer.concat([size, body.length === 0 ? Buffer.alloc(1) : body]);
}

test.each(Array.from({ length: SEEDS }, (_none, index) => index + 1))(
  "damaged requests of every API and version end their own connection at most (seed %i)",
  { timeout: 60_000 },
  async (seed) => {
    const random = new SeededRandom(seed);
    const faults: string[] = [];
    const log = pino({ level: "error" }, { write: (line: string) => void faults.push(line) });
    const settings = { data: "/data", port: 0, kafka_port: 0, kafka_max_frame_bytes: 64 * 1024 };
    const broker = await startBroker({ settings, disk: new MemoryDisk(), log });
    onTestFinished(() => broker.close());
    broker.cluster.createTopic({ topic: "orders", partitions: 1 });
    let client = await KafkaClient.open(broker);
    for (const api of Object.values(API_TABLE)) {
      const request = REQUESTS[api.name];
      const { from, to } = servedVersions(api);
      for (let version = from; version <= to; version += 1) {
        for (let each = 0; each < DAMAGED_EACH; each += 1) {
          const frame = client.frame(api.name, version, request as RequestInputOf<typeof api.name>);
          client.send(damaged(frame, random));
          // Behind it one that is whole: answered, or the connection is gone. What may wait for ever is let go.
          const next = client.exchange(client.frame("ApiVersions", 0, {}));
          const { socket } = client;
          if (WAITING.includes(api.name)) socket.end(() => socket.destroy());
          if ((await next) === null) client = await KafkaClient.open(broker);
        }
      }
    }
    expect(faults).toEqual([]);
    const whole = await KafkaClient.open(broker);
    expect((await whole.ask("Metadata", 12, { topics: null })).topics.length).toBeGreaterThan(0);
  },
);
