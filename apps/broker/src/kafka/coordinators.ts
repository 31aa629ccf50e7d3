/**
 * Which broker keeps a group or a transactional id: the leader of its partition of the internal topic, as in Kafka. Each broker answers for
 * its own alone, though all live in one process.
 */
import type { BrokerCluster } from "@minikafka/core";
import { KafkaRefusal } from "./error-numbers.ts";

/**
 * Throws NOT_COORDINATOR where another broker keeps the group. While nobody does, the kernel says so, or makes the topic for who writes
 * there.
 */
export function requireGroupCoordinator(cluster: BrokerCluster, groupId: string, brokerId: number): void {
  require(cluster.groups.coordinatorNow(groupId), brokerId);
}

/** The same for a transactional id. */
export function requireTransactionCoordinator(
  cluster: BrokerCluster,
  transactionalId: string,
  brokerId: number,
): void {
  require(cluster.transactions.coordinatorNow(transactionalId), brokerId);
}

function require(coordinatorId: number | null, brokerId: number): void {
  if (coordinatorId === null || coordinatorId === brokerId) return;
  throw new KafkaRefusal("NOT_COORDINATOR", `broker ${brokerId} was asked; expected ${coordinatorId}`);
}
