/**
 * Offsets as Kafka's clients commit them, in a transaction or not: what is amiss with one partition stands with it, and the others are
 * kept. The kernel takes or refuses all that it is given; what it would refuse for one partition alone is found here.
 */
import { type BrokerCluster, BrokerError, LIMITS } from "@minikafka/core";
import { KAFKA_ERRORS, type KafkaErrorNumber } from "@minikafka/protocol/kafka";
import { NONE, numberOf } from "./error-numbers.ts";
import type { KafkaCall } from "./handler.ts";

export interface CommittedPartition {
  readonly partitionIndex: number;
  readonly committedOffset: number;
  readonly committedMetadata: string | null;
}

export interface CommittedTopic {
  readonly name: string;
  readonly partitions: readonly CommittedPartition[];
}

export interface KeptOffset {
  readonly topic: string;
  readonly partition: number;
  readonly offset: number;
  readonly metadata: string;
}

interface AnsweredTopic {
  readonly name: string;
  readonly partitions: readonly { readonly partitionIndex: number; readonly errorCode: KafkaErrorNumber }[];
}

/** Has `commit` keep all that can be kept, at once; what it rejects with stands with each of those. */
export async function commitEach(
  topics: readonly CommittedTopic[],
  cluster: BrokerCluster,
  call: KafkaCall,
  commit: (offsets: readonly KeptOffset[]) => Promise<void>,
): Promise<AnsweredTopic[]> {
  // Of a partition that is named twice the last counts, as in Kafka.
  const kept = new Map<string, KeptOffset>();
  for (const { name: topic, partitions } of topics) {
    for (const committed of partitions) {
      if (problemOf(cluster, topic, committed) !== null) continue;
      const { partitionIndex: partition, committedOffset, committedMetadata } = committed;
      const metadata = committedMetadata ?? "";
      kept.set(`${topic}-${partition}`, { topic, partition, offset: committedOffset, metadata });
    }
  }
  const errorCode = kept.size === 0 ? NONE : await outcomeOf(commit([...kept.values()]), call);
  return topics.map(({ name, partitions }) => ({
    name,
    partitions: partitions.map((committed) => ({
      partitionIndex: committed.partitionIndex,
      errorCode: problemOf(cluster, name, committed) ?? errorCode,
    })),
  }));
}

/** The same error with each. */
export function refuseEach(topics: readonly CommittedTopic[], errorCode: KafkaErrorNumber): AnsweredTopic[] {
  return topics.map(({ name, partitions }) => ({
    name,
    partitions: partitions.map(({ partitionIndex }) => ({ partitionIndex, errorCode })),
  }));
}

async function outcomeOf(work: Promise<void>, call: KafkaCall): Promise<KafkaErrorNumber> {
  try {
    await work;
    return NONE;
  } catch (problem) {
    return numberOf(problem, call);
  }
}

/** What would be refused for this partition alone. */
function problemOf(
  cluster: BrokerCluster,
  topic: string,
  { partitionIndex: partition, committedOffset, committedMetadata }: CommittedPartition,
): KafkaErrorNumber | null {
  if ((committedMetadata?.length ?? 0) > LIMITS.offsetMetadataLengthMax)
    return KAFKA_ERRORS.OFFSET_METADATA_TOO_LARGE;
  // What is beyond is read as this; kept, another one than was committed would be told.
  if (Math.abs(committedOffset) >= Number.MAX_SAFE_INTEGER) return KAFKA_ERRORS.INVALID_COMMIT_OFFSET_SIZE;
  try {
    cluster.replicaSet({ topic, partition });
    return null;
  } catch (problem) {
    if (!(problem instanceof BrokerError)) throw problem;
    return KAFKA_ERRORS.UNKNOWN_TOPIC_OR_PARTITION;
  }
}
