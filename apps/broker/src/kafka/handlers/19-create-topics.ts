/**
 * CreateTopics: topics with their partitions, replicas and settings.
 *
 * Behaviour: a topic that is answered without an error is durable, and led; what is amiss with one stands with it, and the others are
 * made. -1 stands for the settings auto_create_partitions and auto_create_replication_factor (Kafka: num.partitions,
 * default.replication.factor), whether topics are made on demand or not. Replicas may be assigned by hand. A name that stands there twice
 * is INVALID_REQUEST. With validateOnly nothing is made. Any broker may be asked.
 * Versions: 5 tells partitions, replicas and all settings of what was made, 7 its id.
 * Not modelled: the timeout, since nothing is waited for but the disk; policies, quotas.
 */
import { BrokerError, LIMITS, type TopicRequest } from "@minikafka/core";
import { KAFKA_ERRORS, type RequestOf, type ResponseOf } from "@minikafka/protocol/kafka";
import type { BrokerContext } from "../../broker-context.ts";
import { settingsOf, topicConfigs } from "../configs/topic-configs.ts";
import { KafkaRefusal, NONE } from "../error-numbers.ts";
import type { KafkaCall, KafkaHandler } from "../handler.ts";
import { partProblem } from "../part-problem.ts";
import { namedTwice } from "../repeats.ts";

type Asked = RequestOf<"CreateTopics">["topics"][number];
type TopicResult = ResponseOf<"CreateTopics">["topics"][number];

/** The broker's own number. */
const DEFAULT = -1;

export const createTopics: KafkaHandler<"CreateTopics"> = {
  takesEffectLate: true,
  async serve({ topics, validateOnly }, context, call) {
    const twice = namedTwice(topics.map(({ name }) => name));
    const once = topics.filter(({ name }) => !twice.has(name));
    const results = await Promise.all(once.map((topic) => resultOf(topic, validateOnly, context, call)));
    return { topics: [...results, ...Array.from(twice, refusedTwice)] };
  },
  refusal: ({ topics }, errorCode) => ({
    topics: topics.map(({ name }) => ({ name, errorCode, configs: [] })),
  }),
};

function refusedTwice(name: string): TopicResult {
  return {
    name,
    errorCode: KAFKA_ERRORS.INVALID_REQUEST,
    errorMessage: "the topic is named more than once",
    configs: [],
  };
}

async function resultOf(
  asked: Asked,
  validateOnly: boolean,
  context: BrokerContext,
  call: KafkaCall,
): Promise<TopicResult> {
  const { name } = asked;
  const { cluster } = context;
  try {
    const request = requestOf(asked, context);
    if (validateOnly) cluster.checkTopic(request);
    else await cluster.createTopicLater(request);
    const { partitions, replicationFactor = 1 } = request;
    const made = { name, errorCode: NONE, numPartitions: partitions, replicationFactor };
    if (validateOnly) return { ...made, configs: [] };
    return {
      ...made,
      topicId: cluster.describeTopic(name).topicId,
      configs: topicConfigs(cluster.describeConfig(name)),
    };
  } catch (problem) {
    return { name, ...partProblem(named(problem), call), configs: [] };
  }
}

/** Throws a KafkaRefusal where the numbers of partitions and replicas cannot be. */
function requestOf(
  { name, numPartitions, replicationFactor, assignments, configs }: Asked,
  context: BrokerContext,
): TopicRequest {
  const config = settingsOf(configs);
  if (assignments.length > 0) {
    if (numPartitions !== DEFAULT || replicationFactor !== DEFAULT)
      throw new KafkaRefusal("INVALID_REQUEST", "both numbers and an assignment of replicas are given");
    return { topic: name, config, ...assigned(assignments) };
  }
  const { topicDefaults } = context.kafka;
  const partitions = numPartitions === DEFAULT ? topicDefaults.partitions : numPartitions;
  const replicas = replicationFactor === DEFAULT ? topicDefaults.replicationFactor : replicationFactor;
  requirePartitions(partitions);
  const brokers = context.cluster.brokerStates().length;
  if (replicas < 1 || replicas > brokers)
    throw new KafkaRefusal(
      "INVALID_REPLICATION_FACTOR",
      `the replication factor is ${replicas}; expected 1 to ${brokers}, the number of brokers`,
    );
  return { topic: name, partitions, replicationFactor: replicas, config };
}

/** Kafka knows no most of its own. */
function requirePartitions(partitions: number): void {
  const { partitionsPerTopicMax } = LIMITS;
  if (partitions >= 1 && partitions <= partitionsPerTopicMax) return;
  const message = `there would be ${partitions} partitions; expected 1 to ${partitionsPerTopicMax}`;
  throw new KafkaRefusal("INVALID_PARTITIONS", message);
}

/** Throws unless partitions 0, 1, 2 … are assigned, each once. */
function assigned(
  assignments: Asked["assignments"],
): Pick<TopicRequest, "partitions" | "replicationFactor" | "assignment"> {
  const byPartition = new Map(
    assignments.map(({ partitionIndex, brokerIds }) => [partitionIndex, brokerIds]),
  );
  const assignment = assignments.map((_each, partition) => byPartition.get(partition));
  if (assignment.some((brokerIds) => brokerIds === undefined || brokerIds.length === 0))
    throw new KafkaRefusal(
      "INVALID_REPLICA_ASSIGNMENT",
      "expected each partition from 0 on once, with one broker or more",
    );
  requirePartitions(assignment.length);
  const known = assignment.map((brokerIds = []) => brokerIds);
  if (known.some((brokerIds) => new Set(brokerIds).size < brokerIds.length))
    throw new KafkaRefusal("INVALID_REPLICA_ASSIGNMENT", "expected each broker once in a partition");
  return { partitions: known.length, replicationFactor: known[0]?.length ?? 0, assignment: known };
}

/** The kernel has one code for what Kafka has several for. */
function named(problem: unknown): unknown {
  const isAssignment = problem instanceof BrokerError && problem.details.assignment === true;
  return isAssignment ? new KafkaRefusal("INVALID_REPLICA_ASSIGNMENT", problem.message) : problem;
}
