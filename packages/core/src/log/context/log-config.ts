/**
 * What may change while a log is open. A topic's settings (../../cluster/topic-config.ts) and the cluster's defaults become
 * this; Kafka's own defaults stand beside what holds here where nothing is said.
 */
export interface LogConfig {
  /** Kafka: segment.bytes. A batch that does not fit begins a new segment; one that fits none gets its own. */
  readonly segmentBytes: number;
  /** Kafka: segment.ms. A batch so much later than its segment's first begins a new one. */
  readonly segmentMs: number;
  /** Kafka: cleanup.policy, of which one or both hold. */
  readonly deletes: boolean;
  readonly compacts: boolean;
  /** Kafka: retention.ms. `null` keeps segments however old they are (Kafka: -1). */
  readonly retentionMs: number | null;
  /** Kafka: retention.bytes. `null` keeps segments however many they are (Kafka: -1). */
  readonly retentionBytes: number | null;
  /** Kafka: delete.retention.ms. So long a tombstone stays after it was first cleaned (KIP-534). */
  readonly deleteRetentionMs: number;
  /** Kafka: min.cleanable.dirty.ratio, 0 to 1. A log with a lesser share of bytes not yet compacted is left alone. */
  readonly minCleanableDirtyRatio: number;
  /** Kafka: min.compaction.lag.ms (KIP-58). A segment with a record that is younger is not compacted yet. */
  readonly minCompactionLagMs: number;
  /** Kafka: max.compaction.lag.ms (KIP-354). A log with an older record that was never compacted is due, whatever its ratio. */
  readonly maxCompactionLagMs: number;
}

const DAY_MS = 24 * 60 * 60 * 1000;

/** What holds where nobody said anything. Sizes are for the caller to say. Kafka's defaults. */
export const LOG_CONFIG_DEFAULTS: Omit<LogConfig, "segmentBytes"> = {
  segmentMs: 7 * DAY_MS,
  deletes: true,
  compacts: false,
  retentionMs: 7 * DAY_MS,
  retentionBytes: null,
  deleteRetentionMs: DAY_MS,
  minCleanableDirtyRatio: 0.5,
  minCompactionLagMs: 0,
  maxCompactionLagMs: Number.MAX_SAFE_INTEGER,
};
