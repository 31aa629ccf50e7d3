/** describe_cluster: its brokers, its clock, how much it holds, its dials. */
import { ManualClock } from "@minikafka/core";
import type { Handler } from "../handler.ts";

export const describeCluster: Handler<"describe_cluster"> = (_request, { cluster, clock, isLab }) => {
  const { clusterId, brokers, topics, partitions } = cluster.describeCluster();
  const { config } = cluster;
  return {
    cluster_id: clusterId,
    mode: clock instanceof ManualClock ? "manual" : "auto",
    lab: isLab,
    now_ms: clock.nowMs(),
    brokers: brokers.map((broker) => ({
      broker_id: broker.brokerId,
      state: broker.state,
      partitions: broker.partitions,
      offline_partitions: broker.offlinePartitions,
      replicas: broker.replicas,
    })),
    topics,
    partitions,
    dials: {
      reconciliation: config.reconciliation,
      high_watermark_checkpoint: config.highWatermarkCheckpoint,
      ack_rule: config.ackRule,
      replica_lag_max_offsets: config.replicaLagMaxOffsets,
      duplicate_window: config.duplicateWindow,
      rebalance: config.rebalance,
    },
  };
};
