/** Whether the broker that was asked leads a partition: each answers for its own alone, though all live in one process. */
import {
  type BrokerCluster,
  BrokerError,
  type PartitionReplicaSet,
  type TopicPartition,
} from "@minikafka/core";
import { KafkaRefusal } from "./error-numbers.ts";

/** No epoch that a client knows. */
const NOT_TOLD = -1;

/**
 * The partition, which `brokerId` leads in the epoch that the client knows, where it knows one. Throws UNKNOWN_TOPIC and
 * UNKNOWN_PARTITION, NOT_LEADER_OR_FOLLOWER, FENCED_LEADER_EPOCH for an epoch that is over and UNKNOWN_LEADER_EPOCH for one that is to
 * come (KIP-320).
 */
export function requireLed(
  cluster: BrokerCluster,
  place: TopicPartition,
  { brokerId, leaderEpoch = NOT_TOLD }: { readonly brokerId: number; readonly leaderEpoch?: number },
): PartitionReplicaSet {
  const set = cluster.replicaSet(place);
  if (set.leaderId !== brokerId) {
    const leader = set.leaderId === null ? "nobody" : `broker ${set.leaderId}`;
    throw new KafkaRefusal("NOT_LEADER_OR_FOLLOWER", `broker ${brokerId} was asked, and ${leader} leads`);
  }
  if (leaderEpoch === NOT_TOLD || leaderEpoch === set.leaderEpoch) return set;
  const message = `the leader epoch is ${leaderEpoch}; expected ${set.leaderEpoch}`;
  if (leaderEpoch > set.leaderEpoch) throw new KafkaRefusal("UNKNOWN_LEADER_EPOCH", message);
  throw new BrokerError("FENCED_LEADER_EPOCH", message, { leader_epoch: set.leaderEpoch });
}

/** Who leads now, for a client that asked somebody else; -1 each where nobody knows. */
export function leaderOf(
  cluster: BrokerCluster,
  place: TopicPartition,
): { readonly leaderId: number; readonly leaderEpoch: number } {
  try {
    const { leaderId, leaderEpoch } = cluster.replicaSet(place);
    return { leaderId: leaderId ?? -1, leaderEpoch };
  } catch (problem) {
    if (!(problem instanceof BrokerError)) throw problem;
    return { leaderId: -1, leaderEpoch: -1 };
  }
}
