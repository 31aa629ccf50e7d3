/** From the settings to the kernel's dials: what is said holds, and the profile where nothing is. */
import { type ClusterConfig, ORIGINAL_DIALS } from "@minikafka/core";
import type { Settings } from "./config.ts";

type Dials = Pick<
  ClusterConfig,
  | "reconciliation"
  | "ackRule"
  | "highWatermarkCheckpoint"
  | "replicaLagMaxOffsets"
  | "duplicateWindow"
  | "replicaLagTimeMs"
  | "replicaFetchMaxBytes"
  | "rebalance"
  | "groupSessionTimeoutMs"
  | "groupRebalanceTimeoutMs"
  | "groupMinSessionTimeoutMs"
  | "groupMaxSessionTimeoutMs"
  | "groupMaxSize"
  | "groupInitialRebalanceDelayMs"
  | "offsetsTopicPartitions"
  | "offsetsRetentionMs"
  | "transactionMaxTimeoutMs"
  | "transactionalIdExpirationMs"
  | "transactionsTopicPartitions"
>;

export function dialsOf(settings: Settings): Dials {
  const { replica_lag_max_offsets: lagMaxOffsets } = settings;
  const said = {
    reconciliation: settings.reconciliation,
    ackRule: settings.ack_rule,
    highWatermarkCheckpoint: settings.high_watermark_checkpoint,
    replicaLagMaxOffsets: lagMaxOffsets === 0 ? null : lagMaxOffsets,
    duplicateWindow: settings.duplicate_window,
    replicaLagTimeMs: settings.replica_lag_time_ms,
    replicaFetchMaxBytes: settings.replica_fetch_max_bytes,
    rebalance: settings.rebalance,
    groupSessionTimeoutMs: settings.group_session_timeout_ms,
    groupRebalanceTimeoutMs: settings.group_rebalance_timeout_ms,
    groupMinSessionTimeoutMs: settings.group_min_session_timeout_ms,
    groupMaxSessionTimeoutMs: settings.group_max_session_timeout_ms,
    groupMaxSize: settings.group_max_size,
    groupInitialRebalanceDelayMs: settings.group_initial_rebalance_delay_ms,
    offsetsTopicPartitions: settings.offsets_topic_partitions,
    offsetsRetentionMs: settings.offsets_retention_ms,
    transactionMaxTimeoutMs: settings.transaction_max_timeout_ms,
    transactionalIdExpirationMs: settings.transactional_id_expiration_ms,
    transactionsTopicPartitions: settings.transactions_topic_partitions,
  };
  const given = Object.entries(said).filter(([, value]) => value !== undefined);
  return { ...(settings.profile === "original" ? ORIGINAL_DIALS : {}), ...Object.fromEntries(given) };
}
