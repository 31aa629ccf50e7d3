/** From a topic's settings, and the cluster's where the topic says nothing, to what its partitions and logs go by. */
import type { Codec } from "@minikafka/record";
import type { LogConfig } from "../log/context/log-config.ts";
import type { PartitionConfig } from "../replica/partition-config.ts";
import type { ResolvedConfig } from "./config.ts";
import { type CompressionType, settingsOf, type TopicConfig } from "./topic-config.ts";

export function logConfigOf(topic: TopicConfig, cluster: ResolvedConfig): LogConfig {
  const settings = settingsOf(topic, cluster);
  const compacts = settings.cleanup_policy !== "delete";
  return {
    segmentBytes: settings.segment_bytes,
    // What must be compacted in time must be closed in time. Kafka: the same.
    segmentMs: Math.min(
      settings.segment_ms,
      compacts ? settings.max_compaction_lag_ms : Number.POSITIVE_INFINITY,
    ),
    deletes: settings.cleanup_policy !== "compact",
    compacts,
    retentionMs: limit(settings.retention_ms),
    retentionBytes: limit(settings.retention_bytes),
    deleteRetentionMs: settings.delete_retention_ms,
    minCleanableDirtyRatio: settings.min_cleanable_dirty_ratio,
    minCompactionLagMs: settings.min_compaction_lag_ms,
    maxCompactionLagMs: settings.max_compaction_lag_ms,
  };
}

export function partitionConfigOf(topic: TopicConfig, cluster: ResolvedConfig): PartitionConfig {
  const settings = settingsOf(topic, cluster);
  return {
    batchBytesMax: settings.max_message_bytes,
    timestampType: settings.message_timestamp_type === "LogAppendTime" ? "append" : "create",
    codec: codecOf(settings.compression_type),
    minInSyncReplicas: settings.min_insync_replicas,
    requiresKeys: settings.cleanup_policy !== "delete",
  };
}

function codecOf(type: CompressionType): Codec | null {
  if (type === "producer") return null;
  return type === "uncompressed" ? "none" : type;
}

/** Kafka's -1 is no limit. */
function limit(value: number): number | null {
  return value === -1 ? null : value;
}
