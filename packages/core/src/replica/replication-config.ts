/** How the replicas of all partitions are kept together. The dials say what the system that this one carries on did. */

/**
 * How a replica that follows a new leader finds out where its log parts from the leader's, and whether a new leader cuts
 * itself: "leader-epoch" (KIP-101, KIP-279) compares histories, and a new leader keeps all that it has; "high-watermark" cuts
 * both at the high watermark that they know, as Kafka's followers did before 0.11, which loses what every in-sync replica held.
 */
export const RECONCILIATIONS = ["leader-epoch", "high-watermark"] as const;
export type Reconciliation = (typeof RECONCILIATIONS)[number];

/**
 * When acks=all is kept: "high-watermark" (Kafka), once every replica that is in sync by then has the batch;
 * "captured-isr", once every replica has it that was in sync at the append, be it in sync any more or not.
 */
export const ACK_RULES = ["high-watermark", "captured-isr"] as const;
export type AckRule = (typeof ACK_RULES)[number];

export interface ReplicationConfig {
  readonly reconciliation: Reconciliation;
  readonly ackRule: AckRule;
  /** Whether each broker notes its replicas' high watermarks (Kafka: replication-offset-checkpoint, always). */
  readonly highWatermarkCheckpoint: boolean;
  /** Kafka: replica.lag.time.max.ms (default there 30000). So long ago an in-sync replica has held all that its leader had, by the monotonic clock. */
  readonly replicaLagTimeMs: number;
  /** Kafka before 0.9: replica.lag.max.messages. At most so far behind is an in-sync replica; `null`: time alone decides. */
  readonly replicaLagMaxOffsets: number | null;
  /** Kafka: replica.fetch.max.bytes. What a follower copies in one round, but always one batch. */
  readonly replicaFetchMaxBytes: number;
}
