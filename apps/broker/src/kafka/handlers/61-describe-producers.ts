/**
 * DescribeProducers: who has written to a partition with a producer id, and whose transaction is open there (KIP-664).
 *
 * Behaviour: each replica tells, as Kafka's, the hundred that its own log heard of last (Kafka: Partition.activeProducerState). What is
 * amiss with one partition stands with it.
 * Not modelled: the coordinator's epoch of the last marker (-1).
 */
import { describeProducers as producersOf, type TopicPartition } from "@minikafka/core";
import type { ResponseOf } from "@minikafka/protocol/kafka";
import type { BrokerContext } from "../../broker-context.ts";
import { NONE } from "../error-numbers.ts";
import type { KafkaCall, KafkaHandler } from "../handler.ts";
import { requireHeld } from "../leadership.ts";
import { partProblem } from "../part-problem.ts";
import { partitionsByTopic } from "../repeats.ts";

type PartitionResult = ResponseOf<"DescribeProducers">["topics"][number]["partitions"][number];

const NOTHING = -1;

export const describeProducers: KafkaHandler<"DescribeProducers"> = {
  serve({ topics }, context, call) {
    const asked = partitionsByTopic(
      topics.map(({ name, partitionIndexes }) => ({ name, partitions: partitionIndexes })),
    );
    return {
      topics: Array.from(asked, ([name, partitions]) => ({
        name,
        partitions: Array.from(partitions, (partition) =>
          resultOf({ topic: name, partition }, context, call),
        ),
      })),
    };
  },
  refusal: ({ topics }, errorCode) => ({
    topics: topics.map(({ name, partitionIndexes }) => ({
      name,
      partitions: partitionIndexes.map((partitionIndex) => ({
        partitionIndex,
        errorCode,
        activeProducers: [],
      })),
    })),
  }),
};

function resultOf(place: TopicPartition, { cluster }: BrokerContext, call: KafkaCall): PartitionResult {
  const partitionIndex = place.partition;
  try {
    const { producers, openTransactions } = producersOf(requireHeld(cluster, place, call.brokerId));
    const opened = new Map(openTransactions.map(({ producerId, firstOffset }) => [producerId, firstOffset]));
    const activeProducers = producers.map(({ producerId, producerEpoch, lastSequence, lastSeenMs }) => ({
      producerId,
      producerEpoch,
      lastSequence: lastSequence ?? NOTHING,
      lastTimestamp: lastSeenMs,
      coordinatorEpoch: NOTHING,
      currentTxnStartOffset: opened.get(producerId) ?? NOTHING,
    }));
    return { partitionIndex, errorCode: NONE, activeProducers };
  } catch (problem) {
    return { partitionIndex, ...partProblem(problem, call), activeProducers: [] };
  }
}
