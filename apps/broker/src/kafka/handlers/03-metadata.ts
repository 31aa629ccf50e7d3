/**
 * Metadata: the running brokers, and the topics that were asked for, with who leads and holds their partitions.
 *
 * Behaviour: a topic that is not there is made where both the client and the setting auto_create_topics want it (Kafka:
 * allow.auto.create.topics of the consumer, auto.create.topics.enable), and is there in this very answer. What is amiss with one topic
 * stands with that topic. A replica is off line while its broker is stopped, or its log alone cannot be read (KIP-112). The controller
 * is the first of the running brokers.
 * Versions: null (in version 0 an empty list) asks for all topics, from 1 on an empty list for none; before 4 a client cannot say that it
 * wants nothing made; 10 tells the ids of topics, and by 12 one asks by id: UNKNOWN_TOPIC_ID where no topic has it.
 * Not modelled: racks (null). There are no ACLs: who asks for what is allowed is told everything.
 */
import { BrokerError, type TopicPartition, topicNameProblem } from "@minikafka/core";
import {
  KAFKA_ERRORS,
  type KafkaErrorNumber,
  type RequestOf,
  type ResponseOf,
  ZERO_UUID,
} from "@minikafka/protocol/kafka";
import type { BrokerContext } from "../../broker-context.ts";
import { CLUSTER_OPERATIONS, TOPIC_OPERATIONS } from "../authorized-operations.ts";
import { KafkaRefusal, NONE, numberOf } from "../error-numbers.ts";
import type { KafkaCall, KafkaHandler } from "../handler.ts";
import { runningBrokers } from "../running-brokers.ts";

type Request = RequestOf<"Metadata">;
type TopicEntry = ResponseOf<"Metadata">["topics"][number];
type Asked = NonNullable<Request["topics"]>[number];

export const metadata: KafkaHandler<"Metadata"> = {
  takesEffectLate: true,
  serve(request, context, call) {
    const asked = askedOf(request, call);
    const missing = asked?.filter(({ name }) => name !== null && !context.cluster.hasTopic(name)) ?? [];
    const mayCreate = request.allowAutoTopicCreation && context.kafka.createsTopics;
    if (missing.length === 0 || !mayCreate) return respond(request, asked, context, call);
    return createAll(missing, context).then((problems) => respond(request, asked, context, call, problems));
  },
  refusal: (request, errorCode) => ({
    brokers: [],
    topics: (request.topics ?? []).map(({ name, topicId }) => ({
      errorCode,
      // A request may leave the name out in versions whose answers cannot.
      name: name ?? "",
      topicId,
      partitions: [],
    })),
  }),
};

/** `null` for all. Throws INVALID_REQUEST. */
function askedOf({ topics }: Request, { version }: KafkaCall): readonly Asked[] | null {
  if (topics === null || (version === 0 && topics.length === 0)) return null;
  for (const { name, topicId } of topics) {
    if (name === null && (version < 12 || topicId === ZERO_UUID))
      throw new KafkaRefusal("INVALID_REQUEST", "a topic without a name, and without an id");
  }
  const byName = new Map(topics.map((topic) => [topic.name ?? topic.topicId, topic]));
  return [...byName.values()];
}

type Problems = ReadonlyMap<string, unknown>;

/** What kept a topic from being made, by name. */
async function createAll(missing: readonly Asked[], { cluster, kafka }: BrokerContext): Promise<Problems> {
  const problems = new Map<string, unknown>();
  await Promise.all(
    missing.map(async ({ name }) => {
      if (name === null) return;
      try {
        await cluster.createTopicLater({ topic: name, ...kafka.topicDefaults });
      } catch (problem) {
        // Somebody else may have made it just now.
        if (!(problem instanceof BrokerError && problem.code === "TOPIC_ALREADY_EXISTS"))
          problems.set(name, problem);
      }
    }),
  );
  return problems;
}

function respond(
  request: Request,
  asked: readonly Asked[] | null,
  context: BrokerContext,
  call: KafkaCall,
  problems: Problems = new Map(),
): ResponseOf<"Metadata"> {
  const { cluster } = context;
  const { brokers, controllerId } = runningBrokers(context);
  const operations = request.includeTopicAuthorizedOperations
    ? { topicAuthorizedOperations: TOPIC_OPERATIONS }
    : {};
  const all = () => cluster.listTopics().map(({ topic }) => ({ name: topic, topicId: ZERO_UUID }));
  return {
    brokers: brokers.map(({ brokerId: nodeId, host, port }) => ({ nodeId, host, port })),
    clusterId: cluster.clusterId,
    controllerId,
    topics: (asked ?? all()).map((each) => ({
      ...topicEntry(each, { cluster, problem: problems.get(each.name ?? "") }, call),
      ...operations,
    })),
    ...(request.includeClusterAuthorizedOperations && { clusterAuthorizedOperations: CLUSTER_OPERATIONS }),
  };
}

interface Seen {
  readonly cluster: BrokerContext["cluster"];
  /** Why it could not be made. */
  readonly problem: unknown;
}

function topicEntry(asked: Asked, { cluster, problem }: Seen, call: KafkaCall): TopicEntry {
  const name = asked.name ?? cluster.topicOfId(asked.topicId);
  const refused = (errorCode: KafkaErrorNumber) => ({ errorCode, ...asked, partitions: [] });
  if (name === null) return refused(KAFKA_ERRORS.UNKNOWN_TOPIC_ID);
  if (problem !== undefined) return refused(numberOf(problem, call));
  if (!cluster.hasTopic(name)) {
    const isPossible = topicNameProblem(name) === null;
    return refused(
      isPossible ? KAFKA_ERRORS.UNKNOWN_TOPIC_OR_PARTITION : KAFKA_ERRORS.INVALID_TOPIC_EXCEPTION,
    );
  }
  const { topicId, isInternal } = cluster.describeTopic(name);
  const partitions = cluster.metadata(name).partitions.map((each) => ({
    errorCode: each.leaderId === null ? KAFKA_ERRORS.LEADER_NOT_AVAILABLE : NONE,
    partitionIndex: each.partition,
    leaderId: each.leaderId ?? -1,
    leaderEpoch: each.leaderEpoch,
    replicaNodes: each.replicas,
    isrNodes: each.inSyncReplicas,
    offlineReplicas: offlineReplicas(cluster, { topic: name, partition: each.partition }),
  }));
  return { errorCode: NONE, name, topicId, isInternal, partitions };
}

function offlineReplicas(cluster: BrokerContext["cluster"], place: TopicPartition): number[] {
  return cluster.replicaSet(place).copies.flatMap(({ isOnline, brokerId }) => (isOnline ? [] : [brokerId]));
}
