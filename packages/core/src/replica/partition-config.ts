import type { Codec } from "@minikafka/record";

/** What a leader goes by that may change while a partition is open. A topic's settings become this. */
export interface PartitionConfig {
  /** Kafka: max.message.bytes. The largest batch that is taken, header included. */
  readonly batchBytesMax: number;
  /** Kafka: message.timestamp.type (KIP-32). "append": the leader gives each batch its own time. */
  readonly timestampType: "create" | "append";
  /** Kafka: compression.type. What every batch is packed with that is appended; `null`: as its producer packed it. */
  readonly codec: Codec | null;
  /** Kafka: min.insync.replicas. With fewer in sync, acks all is refused. At least 1. */
  readonly minInSyncReplicas: number;
  /** Kafka: cleanup.policy with compact. A record without a key is refused, as compaction could never replace it. */
  readonly requiresKeys: boolean;
}
