/**
 * AlterPartitionReassignments: what is asked for is checked as Kafka checks it, and nothing is moved (KIP-455).
 *
 * Behaviour: the replicas that a partition has, in their order, are no change, and are taken. A broker that there is not, one that is named
 * twice, none at all, and any other replicas than those of the creation are INVALID_REPLICA_ASSIGNMENT, with what is the matter; to end a
 * reassignment is NO_REASSIGNMENT_IN_PROGRESS. What is amiss with one partition stands with it. Any broker may be asked.
 * Not modelled: replicas that move to other brokers, and the timeout.
 */
import type { BrokerCluster, TopicPartition } from "@minikafka/core";
import { KafkaRefusal, NONE } from "../error-numbers.ts";
import type { KafkaHandler } from "../handler.ts";
import { partProblem } from "../part-problem.ts";

export const alterPartitionReassignments: KafkaHandler<"AlterPartitionReassignments"> = {
  serve({ topics }, { cluster }, call) {
    const outcomeOf = (place: TopicPartition, replicas: readonly number[] | null) => {
      try {
        requireUnchanged(cluster, place, replicas);
        return { errorCode: NONE };
      } catch (problem) {
        return partProblem(problem, call);
      }
    };
    return {
      errorCode: NONE,
      responses: topics.map(({ name, partitions }) => ({
        name,
        partitions: partitions.map(({ partitionIndex, replicas }) => ({
          partitionIndex,
          ...outcomeOf({ topic: name, partition: partitionIndex }, replicas),
        })),
      })),
    };
  },
  refusal: (_request, errorCode) => ({ errorCode, responses: [] }),
};

function requireUnchanged(
  cluster: BrokerCluster,
  place: TopicPartition,
  replicas: readonly number[] | null,
): void {
  const had = cluster.replicaSet(place).replicas;
  if (replicas === null)
    throw new KafkaRefusal("NO_REASSIGNMENT_IN_PROGRESS", "no replica is on its way to another broker");
  const invalid = (what: string) => new KafkaRefusal("INVALID_REPLICA_ASSIGNMENT", what);
  if (replicas.length === 0) throw invalid("there is no replica; expected one or more");
  const known = cluster.brokerStates().map(({ brokerId }) => brokerId);
  const unknown = replicas.find((id) => !known.includes(id));
  if (unknown !== undefined)
    throw invalid(`there is no broker ${unknown}; the brokers are ${known.join(", ")}`);
  if (new Set(replicas).size < replicas.length)
    throw invalid(`a broker is named twice among ${replicas.join(", ")}; expected each once`);
  if (replicas.join() !== had.join())
    throw invalid(
      `the replicas stay on brokers ${had.join(", ")}, in this order: none moves to another broker here, as ${replicas.join(", ")} would have it`,
    );
}
