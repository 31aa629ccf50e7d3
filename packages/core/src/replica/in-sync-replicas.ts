/** Whether enough replicas are in sync for what a producer asks. */
import { BrokerError } from "../errors.ts";
import { partitionName, type TopicPartition } from "./topic-partition.ts";

/** Throws NOT_ENOUGH_REPLICAS when fewer than `minInSyncReplicas` are in sync (Kafka: min.insync.replicas). */
export function requireEnoughReplicas(
  inSyncReplicas: readonly number[],
  minInSyncReplicas: number,
  place: TopicPartition,
): void {
  if (inSyncReplicas.length >= minInSyncReplicas) return;
  throw new BrokerError(
    "NOT_ENOUGH_REPLICAS",
    `in sync at ${partitionName(place)} are ${inSyncReplicas.length} (${inSyncReplicas.join(", ")}); expected at least ${minInSyncReplicas} (min_insync_replicas)`,
    { in_sync_replicas: inSyncReplicas.length, min_insync_replicas: minInSyncReplicas },
  );
}
