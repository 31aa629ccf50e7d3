/** The cluster with its brokers, its clock and its dials, as the wire says it. */
import { ManualClock } from "@minikafka/core";
import type { ResponseFields } from "@minikafka/protocol";
import type { BrokerContext } from "../broker-context.ts";

export function clusterFields({
  cluster,
  clock,
  isLab,
  kafka,
  httpPort,
}: Pick<
  BrokerContext,
  "cluster" | "clock" | "isLab" | "kafka" | "httpPort"
>): ResponseFields<"describe_cluster"> {
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
      kafka: kafka.addressOf(broker.brokerId),
    })),
    http_port: httpPort,
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
}
