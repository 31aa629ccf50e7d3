/** What a partition shows of itself. */
import type { AbortedTransaction } from "../log/indexes/aborted-index.ts";
import type { OpenTransaction } from "../log/producers/transaction-state.ts";
import type { TopicPartition } from "./topic-partition.ts";

/** Kafka: isolation.level. */
export type Isolation = "read_uncommitted" | "read_committed";

export interface FetchOptions {
  /** At most so many bytes of batches, but always one batch when there is any to see; 0 asks for the marks alone. */
  readonly bytesMax: number;
  /** Default "read_uncommitted". */
  readonly isolation?: Isolation;
}

export interface FetchResult {
  /** Whole frames, one after another. The first may begin below the offset that was asked for. */
  readonly batches: Buffer;
  /** The end of what every in-sync replica holds, exclusive. */
  readonly highWatermark: number;
  /** The end of what a read_committed reader may see, exclusive. */
  readonly lastStableOffset: number;
  readonly logStartOffset: number;
  /** Where to go on, past gaps. */
  readonly nextOffset: number;
  /** With "read_committed": those with a record among the batches, by first offset, which a reader leaves out. Else none. */
  readonly abortedTransactions: readonly AbortedTransaction[];
}

export interface FoundOffset {
  /** `null` when no visible record is that late. */
  readonly offset: number | null;
  /** The found record's time; `null` when none was asked for or found. */
  readonly timestampMs: number | null;
}

/** Where a partition ends: for its leader, and for its readers. */
export interface OffsetDescription {
  readonly logEndOffset: number;
  readonly visibleEnd: number;
}

export interface SegmentDescription {
  readonly baseOffset: number;
  readonly nextOffset: number;
  readonly sizeBytes: number;
  readonly latestTimeMs: number | null;
  readonly active: boolean;
}

export interface ReplicaDescription {
  readonly brokerId: number;
  /** `null` when its broker is stopped, or its log could not be opened. */
  readonly logEndOffset: number | null;
  /** As this replica has heard of it: a follower is a round behind its leader. `null` when its log end offset is. */
  readonly highWatermark: number | null;
  readonly isInSync: boolean;
  /** An operator took it out of those in sync: it stays out until it rejoins. */
  readonly isHeldOut: boolean;
  /** When it last held all that the leader had, in this leadership; `null` for the leader, and for who never did. */
  readonly lastCaughtUpMs: number | null;
  readonly isOnline: boolean;
  /** Why it cannot be read, in words; `null` while it is on line. */
  readonly problem: string | null;
}

export interface ProducerDescription {
  readonly producerId: number;
  readonly producerEpoch: number;
  /** Of its last record; `null` after a marker alone. */
  readonly lastSequence: number | null;
  readonly lastOffset: number | null;
  readonly lastSeenMs: number;
}

/** Who writes to a partition, as one replica's log knows it. Kafka: DescribeProducers (KIP-664). */
export interface PartitionProducers {
  /** Idempotent producers of which the log heard last, at most 100, the latest first. */
  readonly producers: readonly ProducerDescription[];
  /** At most 100, the oldest first: the first of them holds the last stable offset back. */
  readonly openTransactions: readonly OpenTransaction[];
}

/** What only a log can tell; `null` and empty when no replica in sync can be read. */
export interface PartitionLogDescription extends PartitionProducers {
  readonly logStartOffset: number | null;
  readonly logEndOffset: number | null;
  readonly highWatermark: number | null;
  readonly lastStableOffset: number | null;
  readonly segments: readonly SegmentDescription[];
  readonly producerCount: number;
  /** Each leader epoch with the offset at which it began. */
  readonly epochs: readonly { readonly epoch: number; readonly startOffset: number }[];
}

export interface PartitionDescription extends TopicPartition, PartitionLogDescription {
  /** `null` while nobody leads. */
  readonly leaderId: number | null;
  readonly leaderEpoch: number;
  readonly inSyncReplicas: readonly number[];
  readonly replicas: readonly ReplicaDescription[];
}
