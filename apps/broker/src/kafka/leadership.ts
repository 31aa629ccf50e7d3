/** Whether the broker that was asked leads a partition, or holds it: each answers for its own alone, though all live in one process. */
import {
  type BrokerCluster,
  BrokerError,
  type PartitionLog,
  type PartitionReplicaSet,
  type TopicPartition,
} from "@minikafka/core";
import { KafkaRefusal } from "./error-numbers.ts";
import type { KafkaSite } from "./kafka-site.ts";

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
  // A follower knows the epoch as well, and judges it first (Kafka: Partition.getLocalLog).
  if (set.copies.some((copy) => copy.brokerId === brokerId)) requireEpoch(leaderEpoch, set.leaderEpoch);
  if (set.leaderId === brokerId) return set;
  const leader = set.leaderId === null ? "nobody" : `broker ${set.leaderId}`;
  throw new KafkaRefusal("NOT_LEADER_OR_FOLLOWER", `broker ${brokerId} was asked, and ${leader} leads`);
}

/**
 * The log of the replica on `brokerId`, which need not lead. Throws UNKNOWN_TOPIC and UNKNOWN_PARTITION, NOT_LEADER_OR_FOLLOWER where it
 * has no replica, and why the log cannot be read.
 */
export function requireHeld(cluster: BrokerCluster, place: TopicPartition, brokerId: number): PartitionLog {
  if (cluster.replicaSet(place).copies.some((copy) => copy.brokerId === brokerId))
    return cluster.replicaLog(place, brokerId);
  throw new KafkaRefusal("NOT_LEADER_OR_FOLLOWER", `broker ${brokerId} was asked, and has no replica`);
}

function requireEpoch(told: number, leaderEpoch: number): void {
  if (told === NOT_TOLD || told === leaderEpoch) return;
  const message = `the leader epoch is ${told}; expected ${leaderEpoch}`;
  if (told > leaderEpoch) throw new KafkaRefusal("UNKNOWN_LEADER_EPOCH", message);
  throw new BrokerError("FENCED_LEADER_EPOCH", message, { leader_epoch: leaderEpoch });
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

interface Led {
  readonly currentLeader?: { readonly leaderId?: number };
}

/** Where those are reached that are named as leaders, each once: without it clients do not turn to them (KIP-951). */
export function endpointsOfLeaders(answers: Iterable<Led>, site: KafkaSite) {
  const leaderIds = new Set(Array.from(answers, ({ currentLeader }) => currentLeader?.leaderId ?? -1));
  return [...leaderIds].flatMap((nodeId) => {
    const address = site.addressOf(nodeId);
    return address === null ? [] : [{ nodeId, ...address }];
  });
}
