import { expect, test } from "vitest";
import { LIMITS } from "../limits.ts";
import { newPartitionState } from "../replica/partition-state.ts";
import { placeReplicas } from "./placement.ts";
import { planTopic, type TopicRequest } from "./topic-request.ts";
import { type Topic, TopicCatalogue } from "./topics.ts";

function topic(name: string, partitions = 1): Topic {
  const assignment = { replicas: [1], ...newPartitionState([1]) };
  return {
    topic: name,
    topicId: "id",
    config: {},
    partitions: Array.from({ length: partitions }, () => assignment),
  };
}

const THREE = [3, 1, 2];

function plan(
  request: TopicRequest,
  topics: readonly Topic[] = [],
  brokerIds: readonly number[] = THREE,
): Topic {
  return planTopic(request, { catalogue: new TopicCatalogue(topics), brokerIds, topicId: "id" });
}

test("partition p is held by brokers p, p + 1, … in the order of the configuration, and led by the first of them", () => {
  expect(placeReplicas(5, 1, THREE)).toEqual([[3], [1], [2], [3], [1]]);
  expect(placeReplicas(4, 2, THREE)).toEqual([
    [3, 1],
    [1, 2],
    [2, 3],
    [3, 1],
  ]);
  expect(plan({ topic: "orders", partitions: 2, replicationFactor: 3 })).toEqual({
    topic: "orders",
    topicId: "id",
    config: {},
    partitions: [
      [3, 1, 2],
      [1, 2, 3],
    ].map((replicas) => ({
      replicas,
      leaderId: replicas[0],
      leaderEpoch: 0,
      leaderEpochStartOffset: 0,
      inSyncReplicas: replicas,
    })),
  });
});

test("a topic's replicas are where somebody put them, led by the first of each", () => {
  const assignment = [
    [2, 3],
    [1, 2],
  ];
  const { partitions } = plan({ topic: "orders", partitions: 2, replicationFactor: 2, assignment });
  expect(partitions.map(({ replicas, leaderId }) => ({ replicas, leaderId }))).toEqual([
    { replicas: [2, 3], leaderId: 2 },
    { replicas: [1, 2], leaderId: 1 },
  ]);
});

test.each([
  ["fewer partitions", [[1, 2]], "1 partitions; expected 2"],
  ["fewer replicas", [[1, 2], [1]], "for partition 1 the brokers 1; expected 2 of them"],
  [
    "a broker twice",
    [
      [2, 2],
      [1, 2],
    ],
    "for partition 0 the brokers 2, 2; expected each once",
  ],
  [
    "a broker that there is not",
    [
      [1, 4],
      [1, 2],
    ],
    "for partition 0 the brokers 1, 4; there are 3, 1, 2",
  ],
])("an assignment of %s is refused", (_what, assignment, message) => {
  const request = { topic: "orders", partitions: 2, replicationFactor: 2, assignment };
  expect(() => plan(request)).toThrow(`the assignment has ${message}`);
});

test("a topic has one replica of each partition unless it asks for more", () => {
  const { partitions } = plan({ topic: "orders", partitions: 4 });
  expect(partitions.map(({ replicas }) => replicas)).toEqual([[3], [1], [2], [3]]);
});

test.each([
  [0, "partitions is 0; expected a whole number, 1 to 1000"],
  [1.5, "partitions is 1.5; expected a whole number, 1 to 1000"],
  [1e9, "partitions is 1000000000; expected a whole number, 1 to 1000"],
  [Number.NaN, "partitions is NaN; expected a whole number, 1 to 1000"],
])("%d partitions are refused before anything is made", (partitions, message) => {
  expect(() => plan({ topic: "orders", partitions })).toThrow(
    expect.objectContaining({ code: "INVALID_CONFIG", message }),
  );
});

test.each([
  [0, "replication_factor is 0; expected a whole number from 1"],
  [4, "replication_factor is 4; expected at most 3, the number of brokers"],
  [1e9, "replication_factor is 1000000000; expected at most 3, the number of brokers"],
])("a replication factor of %d is refused with a sentence", (replicationFactor, message) => {
  expect(() => plan({ topic: "orders", partitions: 1, replicationFactor })).toThrow(
    expect.objectContaining({ code: "INVALID_CONFIG", message }),
  );
});

test("the cluster's partitions and topics are bounded", () => {
  const many = Array.from({ length: 10 }, (_, index) =>
    topic(`t${index}`, LIMITS.partitionsPerClusterMax / 10),
  );
  expect(() => plan({ topic: "one-more", partitions: 1 }, many)).toThrow(
    "there would be 10001 partitions in the cluster; expected at most 10000",
  );
  const FOUR = [...THREE, 4];
  const held = Array.from({ length: 8 }, (_, index) => {
    const each = topic(`t${index}`, 900);
    const assignment = { replicas: FOUR, ...newPartitionState(FOUR) };
    return { ...each, partitions: each.partitions.map(() => assignment) };
  });
  const more = (partitions: number) => () =>
    plan({ topic: "more", partitions, replicationFactor: 4 }, held, FOUR);
  expect(more(300)).not.toThrow();
  expect(more(301)).toThrow("there would be 30004 replicas in the cluster; expected at most 30000");
  const topics = Array.from({ length: LIMITS.topicsMax }, (_, index) => topic(`t${index}`, 0));
  expect(() => plan({ topic: "one-more", partitions: 1 }, topics)).toThrow(
    "there are 10000 topics; expected at most 10000",
  );
});

test("a name that exists is TOPIC_ALREADY_EXISTS, one that collides with it is INVALID_TOPIC", () => {
  const there = [topic("a.b"), topic("Orders")];
  expect(() => plan({ topic: "a.b", partitions: 1 }, there)).toThrow(
    expect.objectContaining({ code: "TOPIC_ALREADY_EXISTS" }),
  );
  expect(() => plan({ topic: "a_b", partitions: 1 }, there)).toThrow(
    expect.objectContaining({ code: "INVALID_TOPIC", details: { collides_with: "a.b" } }),
  );
  expect(() => plan({ topic: "orders", partitions: 1 }, there)).toThrow(
    '"orders" collides with the topic "Orders": ".", "_" and upper and lower case do not tell names apart',
  );
});

test("names that begin with two underscores are the broker's own", () => {
  expect(() => plan({ topic: "__consumer_offsets", partitions: 1 })).toThrow(
    expect.objectContaining({ code: "INVALID_TOPIC" }),
  );
  expect(plan({ topic: "_mine", partitions: 1 }).topic).toBe("_mine");
});
