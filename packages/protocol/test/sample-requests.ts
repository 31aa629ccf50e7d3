/** One request of each API, in our words and in those of the npm clients, which say the same to the last field. */
import type { ApiName, RequestInputOf } from "../src/kafka/index.ts";

type Words = readonly unknown[];

export interface Sample {
  readonly name: ApiName;
  /** In our words: what a reader finds. */
  readonly request: unknown;
  /** The arguments of kafkajs's request; `null` where it has none. */
  readonly kafkaJs: Words | null;
  /** Those of @platformatic/kafka's. */
  readonly platformatic: Words | null;
}

function sample<Name extends ApiName>(
  name: Name,
  request: Partial<RequestInputOf<Name>>,
  kafkaJs: Words | null,
  platformatic: Words | null,
): Sample {
  return { name, request, kafkaJs, platformatic };
}

const ID = "0f0e0d0c-0b0a-0908-0706-050403020100";
const METADATA = Buffer.from("subscription");
const TRANSACTION = { transactionalId: "payments", producerId: 77, producerEpoch: 3 };
const TIMEOUT_MS = 4321;
/** kafkajs has words of its own for the same. */
const JS_GENERATION = { groupId: "g", groupGenerationId: 5, memberId: "m", groupInstanceId: "i" };
const GENERATION = { groupId: "g", generationId: 5, memberId: "m", groupInstanceId: "i" };
const COMMITTED = { committedOffset: 9, committedLeaderEpoch: 2, committedMetadata: "note" };

export const SAMPLES: readonly Sample[] = [
  sample(
    "Fetch",
    {
      maxWaitMs: 100,
      minBytes: 1,
      maxBytes: 1000,
      isolationLevel: 1,
      sessionId: 0,
      sessionEpoch: -1,
      topics: [
        { topic: "t", topicId: ID, partitions: [{ partition: 1, fetchOffset: 42, partitionMaxBytes: 99 }] },
      ],
      rackId: "rack",
    },
    [
      {
        ...{
          replicaId: -1,
          maxWaitTime: 100,
          minBytes: 1,
          maxBytes: 1000,
          isolationLevel: 1,
          rackId: "rack",
        },
        topics: [{ topic: "t", partitions: [{ partition: 1, fetchOffset: "42", maxBytes: 99 }] }],
      },
    ],
    [
      ...[100, 1, 1000, 1, 0, -1],
      [
        {
          topicId: ID,
          partitions: [
            {
              partition: 1,
              currentLeaderEpoch: 7,
              fetchOffset: 42n,
              lastFetchedEpoch: -1,
              partitionMaxBytes: 99,
            },
          ],
        },
      ],
      ...[[], "rack"],
    ],
  ),
  sample(
    "ListOffsets",
    {
      replicaId: -1,
      isolationLevel: 1,
      topics: [{ name: "t", partitions: [{ partitionIndex: 3, timestamp: -2 }] }],
    },
    [
      {
        replicaId: -1,
        isolationLevel: 1,
        topics: [{ topic: "t", partitions: [{ partition: 3, timestamp: "-2" }] }],
      },
    ],
    [-1, 1, [{ name: "t", partitions: [{ partitionIndex: 3, currentLeaderEpoch: -1, timestamp: -2n }] }]],
  ),
  sample(
    "Metadata",
    { topics: [{ name: "a" }, { name: "b" }], allowAutoTopicCreation: false },
    [{ topics: ["a", "b"], allowAutoTopicCreation: false }],
    [["a", "b"], false, false],
  ),
  sample(
    "OffsetCommit",
    {
      groupId: "g",
      generationIdOrMemberEpoch: 5,
      memberId: "m",
      topics: [
        { name: "t", partitions: [{ partitionIndex: 3, committedOffset: 9, committedMetadata: "note" }] },
      ],
    },
    [
      {
        ...JS_GENERATION,
        retentionTime: -1,
        topics: [{ topic: "t", partitions: [{ partition: 3, offset: "9", metadata: "note" }] }],
      },
    ],
    [
      "g",
      5,
      "m",
      "i",
      [{ name: "t", partitions: [{ partitionIndex: 3, ...COMMITTED, committedOffset: 9n }] }],
    ],
  ),
  sample(
    "FindCoordinator",
    { key: "g", keyType: 0, coordinatorKeys: ["g"] },
    [{ coordinatorKey: "g", coordinatorType: 0, groupId: "g" }],
    [0, ["g"]],
  ),
  sample(
    "JoinGroup",
    {
      ...{ groupId: "g", sessionTimeoutMs: 30, rebalanceTimeoutMs: 60, memberId: "m", groupInstanceId: "i" },
      ...{ protocolType: "consumer", protocols: [{ name: "range", metadata: METADATA }] },
    },
    [
      {
        ...{ groupId: "g", sessionTimeout: 30, rebalanceTimeout: 60, memberId: "m", groupInstanceId: "i" },
        ...{ protocolType: "consumer", groupProtocols: [{ name: "range", metadata: METADATA }] },
      },
    ],
    ["g", 30, 60, "m", "i", "consumer", [{ name: "range", metadata: METADATA }], "a reason"],
  ),
  sample("Heartbeat", GENERATION, [JS_GENERATION], ["g", 5, "m", "i"]),
  sample(
    "SyncGroup",
    { ...GENERATION, assignments: [{ memberId: "m", assignment: METADATA }] },
    [
      {
        ...{ groupId: "g", generationId: 5, memberId: "m", groupInstanceId: "i" },
        groupAssignment: [{ memberId: "m", memberAssignment: METADATA }],
      },
    ],
    ["g", 5, "m", "i", "consumer", "range", [{ memberId: "m", assignment: METADATA }]],
  ),
  sample("DescribeGroups", { groups: ["a", "b"] }, [{ groupIds: ["a", "b"] }], [["a", "b"], false]),
  sample("ListGroups", { statesFilter: ["Stable"], typesFilter: ["classic"] }, [], [["Stable"], ["classic"]]),
  sample("SaslHandshake", { mechanism: "PLAIN" }, [{ mechanism: "PLAIN" }], ["PLAIN"]),
  sample("ApiVersions", { clientSoftwareName: "name", clientSoftwareVersion: "1.2" }, [], ["name", "1.2"]),
  sample(
    "CreateTopics",
    {
      topics: [
        {
          ...{ name: "t", numPartitions: -1, replicationFactor: -1 },
          assignments: [{ partitionIndex: 0, brokerIds: [1, 2] }],
          configs: [{ name: "retention.ms", value: "5" }],
        },
      ],
      timeoutMs: TIMEOUT_MS,
      validateOnly: true,
    },
    [
      {
        topics: [
          {
            ...{ topic: "t", replicaAssignment: [{ partition: 0, replicas: [1, 2] }] },
            configEntries: [{ name: "retention.ms", value: "5" }],
          },
        ],
        ...{ validateOnly: true, timeout: TIMEOUT_MS },
      },
    ],
    [
      [
        {
          ...{ name: "t", numPartitions: -1, replicationFactor: -1 },
          ...{
            assignments: [{ partitionIndex: 0, brokerIds: [1, 2] }],
            configs: [{ name: "retention.ms", value: "5" }],
          },
        },
      ],
      ...[TIMEOUT_MS, true],
    ],
  ),
  sample(
    "DeleteTopics",
    { topics: [{ name: "t" }], topicNames: ["t"], timeoutMs: TIMEOUT_MS },
    [{ topics: ["t"], timeout: TIMEOUT_MS }],
    [[{ name: "t" }], TIMEOUT_MS],
  ),
  sample(
    "DeleteRecords",
    { topics: [{ name: "t", partitions: [{ partitionIndex: 2, offset: 8 }] }], timeoutMs: TIMEOUT_MS },
    [{ topics: [{ topic: "t", partitions: [{ partition: 2, offset: "8" }] }], timeout: TIMEOUT_MS }],
    [[{ name: "t", partitions: [{ partitionIndex: 2, offset: 8n }] }], TIMEOUT_MS],
  ),
  sample(
    "InitProducerId",
    { transactionalId: "payments", transactionTimeoutMs: TIMEOUT_MS },
    [{ transactionalId: "payments", transactionTimeout: TIMEOUT_MS }],
    ["payments", TIMEOUT_MS, 77n, 3],
  ),
  sample(
    "OffsetForLeaderEpoch",
    {
      replicaId: -1,
      topics: [{ topic: "t", partitions: [{ partition: 2, currentLeaderEpoch: 5, leaderEpoch: 4 }] }],
    },
    null,
    [-1, [{ name: "t", partitions: [{ partitionIndex: 2, currentLeaderEpoch: 5, leaderEpoch: 4 }] }]],
  ),
  sample(
    "AddPartitionsToTxn",
    { ...TRANSACTION, topics: [{ name: "t", partitions: [0, 2] }] },
    [{ ...TRANSACTION, topics: [{ topic: "t", partitions: [0, 2] }] }],
    [[{ ...TRANSACTION, producerId: 77n, topics: [{ name: "t", partitions: [0, 2] }] }]],
  ),
  sample(
    "AddOffsetsToTxn",
    { ...TRANSACTION, groupId: "g" },
    [{ ...TRANSACTION, groupId: "g" }],
    ["payments", 77n, 3, "g"],
  ),
  sample(
    "EndTxn",
    { ...TRANSACTION, committed: true },
    [{ ...TRANSACTION, transactionResult: true }],
    ["payments", 77n, 3, true],
  ),
  sample(
    "TxnOffsetCommit",
    {
      ...TRANSACTION,
      groupId: "g",
      topics: [
        { name: "t", partitions: [{ partitionIndex: 3, committedOffset: 9, committedMetadata: "note" }] },
      ],
    },
    [
      {
        ...TRANSACTION,
        groupId: "g",
        topics: [{ topic: "t", partitions: [{ partition: 3, offset: "9", metadata: "note" }] }],
      },
    ],
    [
      ...["payments", "g", 77n, 3, 5, "m", "i"],
      [{ name: "t", partitions: [{ partitionIndex: 3, ...COMMITTED, committedOffset: 9n }] }],
    ],
  ),
  sample(
    "DescribeConfigs",
    {
      resources: [{ resourceType: 2, resourceName: "t", configurationKeys: ["retention.ms"] }],
      includeSynonyms: true,
    },
    [{ resources: [{ type: 2, name: "t", configNames: ["retention.ms"] }], includeSynonyms: true }],
    [[{ resourceType: 2, resourceName: "t", configurationKeys: ["retention.ms"] }], true, false],
  ),
  sample(
    "AlterConfigs",
    {
      resources: [{ resourceType: 2, resourceName: "t", configs: [{ name: "retention.ms", value: "5" }] }],
      validateOnly: true,
    },
    [
      {
        resources: [{ type: 2, name: "t", configEntries: [{ name: "retention.ms", value: "5" }] }],
        validateOnly: true,
      },
    ],
    [[{ resourceType: 2, resourceName: "t", configs: [{ name: "retention.ms", value: "5" }] }], true],
  ),
  sample("DescribeLogDirs", { topics: [{ topic: "t", partitions: [0, 2] }] }, null, [
    [{ name: "t", partitions: [0, 2] }],
  ]),
  sample("SaslAuthenticate", { authBytes: METADATA }, null, [METADATA]),
  sample(
    "CreatePartitions",
    {
      topics: [{ name: "t", count: 4, assignments: [{ brokerIds: [2, 1] }] }],
      timeoutMs: TIMEOUT_MS,
      validateOnly: true,
    },
    [
      {
        topicPartitions: [{ topic: "t", count: 4, assignments: [[2, 1]] }],
        timeout: TIMEOUT_MS,
        validateOnly: true,
      },
    ],
    [[{ name: "t", count: 4, assignments: [{ brokerIds: [2, 1] }] }], TIMEOUT_MS, true],
  ),
  sample("DeleteGroups", { groupsNames: ["a", "b"] }, [["a", "b"]], [["a", "b"]]),
  sample(
    "IncrementalAlterConfigs",
    {
      resources: [
        {
          resourceType: 2,
          resourceName: "t",
          configs: [{ name: "retention.ms", configOperation: 0, value: "5" }],
        },
      ],
      validateOnly: true,
    },
    null,
    [
      [
        {
          resourceType: 2,
          resourceName: "t",
          configs: [{ name: "retention.ms", configOperation: 0, value: "5" }],
        },
      ],
      true,
    ],
  ),
  sample(
    "AlterPartitionReassignments",
    {
      timeoutMs: TIMEOUT_MS,
      topics: [{ name: "t", partitions: [{ partitionIndex: 1, replicas: [3, 2] }] }],
    },
    [
      {
        topics: [{ topic: "t", partitionAssignment: [{ partition: 1, replicas: [3, 2] }] }],
        timeout: TIMEOUT_MS,
      },
    ],
    [TIMEOUT_MS, true, [{ name: "t", partitions: [{ partitionIndex: 1, replicas: [3, 2] }] }]],
  ),
  sample(
    "ListPartitionReassignments",
    { timeoutMs: TIMEOUT_MS, topics: [{ name: "t", partitionIndexes: [0, 2] }] },
    [{ topics: [{ topic: "t", partitions: [0, 2] }], timeout: TIMEOUT_MS }],
    [TIMEOUT_MS, [{ name: "t", partitionIndexes: [0, 2] }]],
  ),
  sample(
    "OffsetDelete",
    { groupId: "g", topics: [{ name: "t", partitions: [{ partitionIndex: 1 }] }] },
    null,
    ["g", [{ name: "t", partitions: [{ partitionIndex: 1 }] }]],
  ),
  sample("DescribeCluster", { includeClusterAuthorizedOperations: true, endpointType: 1 }, null, [true, 1]),
  sample("DescribeProducers", { topics: [{ name: "t", partitionIndexes: [0, 2] }] }, null, [
    [{ name: "t", partitionIndexes: [0, 2] }],
  ]),
  sample("DescribeTransactions", { transactionalIds: ["a", "b"] }, null, [["a", "b"]]),
  sample(
    "ListTransactions",
    { stateFilters: ["Ongoing"], producerIdFilters: [7], durationFilter: 60 },
    null,
    [["Ongoing"], [7n], 60n],
  ),
];
