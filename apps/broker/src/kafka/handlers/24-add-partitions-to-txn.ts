/**
 * AddPartitionsToTxn: partitions that the transaction is about to write to; the first of them open it.
 *
 * Behaviour: they are a part of it, durably, when it answers. Where one of them is not there, or is the broker's own
 * (TOPIC_AUTHORIZATION_FAILED, whoever asks), none is added: it is told why, and the others OPERATION_NOT_ATTEMPTED. What is amiss with
 * the producer stands with each: a wrong id or a transactional id that nobody has is INVALID_PRODUCER_ID_MAPPING, a wrong epoch
 * INVALID_PRODUCER_EPOCH, from version 2 on PRODUCER_FENCED (KIP-588).
 * Not modelled: versions 4 and 5, which brokers speak among themselves (KIP-890).
 */
import type { TopicPartition } from "@minikafka/core";
import {
  KAFKA_ERRORS,
  type KafkaErrorNumber,
  type RequestOf,
  type ResponseOf,
} from "@minikafka/protocol/kafka";
import type { BrokerContext } from "../../broker-context.ts";
import { changeTransaction } from "../../transaction-requests.ts";
import { requireTransactionCoordinator } from "../coordinators.ts";
import { NONE, numberOf } from "../error-numbers.ts";
import type { KafkaCall, KafkaHandler } from "../handler.ts";

type Request = RequestOf<"AddPartitionsToTxn">;

export const addPartitionsToTxn: KafkaHandler<"AddPartitionsToTxn"> = {
  async serve(request, context, call) {
    const { transactionalId, producerId, producerEpoch, topics } = request;
    requireTransactionCoordinator(context.cluster, transactionalId, call.brokerId);
    const places = topics.flatMap(({ name, partitions }) =>
      partitions.map((partition): TopicPartition => ({ topic: name, partition })),
    );
    const problems = new Map(places.map((place) => [keyOf(place), problemOf(place, context, call)]));
    const isAmiss = [...problems.values()].some((problem) => problem !== NONE);
    if (isAmiss) {
      return answer(request, (place) => {
        const problem = problems.get(keyOf(place)) ?? NONE;
        return problem === NONE ? KAFKA_ERRORS.OPERATION_NOT_ATTEMPTED : problem;
      });
    }
    const caller = { transactionalId, producerId, producerEpoch };
    await changeTransaction(transactionalId, context, call.client, (transactions, wait) =>
      transactions.addPartitions(caller, places, wait),
    );
    return answer(request, () => NONE);
  },
  refusal: (request, errorCode) => answer(request, () => errorCode),
};

function problemOf(place: TopicPartition, { cluster }: BrokerContext, call: KafkaCall): KafkaErrorNumber {
  try {
    cluster.replicaSet(place);
    if (!cluster.describeTopic(place.topic).isInternal) return NONE;
    // Kafka gives nobody the right to write there.
    return KAFKA_ERRORS.TOPIC_AUTHORIZATION_FAILED;
  } catch (problem) {
    return numberOf(problem, call);
  }
}

function answer(
  { topics }: Request,
  codeOf: (place: TopicPartition) => KafkaErrorNumber,
): ResponseOf<"AddPartitionsToTxn"> {
  return {
    results: topics.map(({ name, partitions }) => ({
      name,
      resultsByPartition: partitions.map((partition) => ({
        partitionIndex: partition,
        partitionErrorCode: codeOf({ topic: name, partition }),
      })),
    })),
  };
}

function keyOf({ topic, partition }: TopicPartition): string {
  return `${topic} ${partition}`;
}
