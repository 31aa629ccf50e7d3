/**
 * What the kernel did, as typed events, each with the numbers that caused it. Logs, golden transcripts and live watching
 * are readers of this one stream; a reader never changes what the kernel does. A new kind of event is a new member of
 * TraceEvent, and a line of the protocol's table of events, without which the broker's tests do not compile.
 */

import type { GroupTraceEvent } from "./trace-groups.ts";
import type { TransactionTraceEvent } from "./trace-transactions.ts";

/** One replica of one partition. */
export interface ReplicaPlace {
  readonly brokerId: number;
  readonly topic: string;
  readonly partition: number;
}

/** A replica that joined or left those in sync, with the numbers that made it so, as far as the leader knows them. */
export interface InSyncMove {
  readonly brokerId: number;
  readonly reason: string;
  readonly logEndOffset: number | null;
  readonly lastCaughtUpMs?: number | null;
}

type OnPartition<Kind extends string, Facts> = {
  readonly kind: Kind;
  readonly topic: string;
  readonly partition: number;
} & Readonly<Facts>;
type OnReplica<Kind extends string, Facts> = { readonly kind: Kind } & ReplicaPlace & Readonly<Facts>;
type OnBroker<Kind extends string, Facts> = {
  readonly kind: Kind;
  readonly brokerId: number;
} & Readonly<Facts>;
type OnCluster<Kind extends string, Facts> = { readonly kind: Kind } & Readonly<Facts>;

export type TraceEvent =
  // the log
  | OnReplica<
      "appended",
      { baseOffset: number; nextOffset: number; bytes: number; segmentBaseOffset: number; position: number }
    >
  | OnReplica<"fetched", { offset: number; nextOffset: number; bytes: number; highWatermark: number }>
  | OnReplica<"rolled", { segmentBaseOffset: number; sealedBaseOffset: number; sealedBytes: number }>
  | OnReplica<"flushed", { logEndOffset: number; bytes: number; waiters: number }>
  | OnReplica<"sealed", { segmentBaseOffset: number; nextOffset: number; bytes: number }>
  | OnReplica<
      "recovered",
      {
        logEndOffset: number;
        recoveryPoint: number;
        scannedBytes: number;
        cutBytes: number;
        problem: string | null;
      }
    >
  | OnReplica<"truncated", { fromOffset: number; logEndOffset: number; cutBytes: number }>
  | OnReplica<
      "segment_deleted",
      {
        segmentBaseOffset: number;
        nextOffset: number;
        bytes: number;
        reason: "log_start" | "size" | "time";
      }
    >
  | OnReplica<"log_start_moved", { from: number; to: number }>
  | OnReplica<"restarted", { fromOffset: number; logStartOffset: number }>
  | OnReplica<"renewed", { segmentBaseOffset: number; bytes: number }>
  | OnReplica<
      "manifest_committed",
      { logStartOffset: number; recoveryPoint: number; sealedSegments: number; obsoleteSegments: number }
    >
  | OnReplica<
      "compaction_started",
      { firstDirtyOffset: number; cleanEnd: number; dirtyRatio: number; segments: number; bytes: number }
    >
  | OnReplica<
      "compacted",
      {
        firstDirtyOffset: number;
        segmentsBefore: number;
        segmentsAfter: number;
        bytesBefore: number;
        bytesAfter: number;
        recordsKept: number;
        recordsDropped: number;
        tombstonesDropped: number;
        recordsHeld: number;
        keys: number;
      }
    >
  | OnReplica<"compaction_abandoned", { reason: string }>
  | OnReplica<"tombstones_held", { firstDirtyOffset: number; copiedEnd: number }>
  | OnReplica<"obsolete_file_kept", { path: string; problem: string }>
  | OnReplica<"append_undone", { logEndOffset: number; position: number; problem: string }>
  | OnReplica<"seal_delayed", { segmentBaseOffset: number; problem: string }>
  | OnReplica<
      "index_rebuilt",
      { segmentBaseOffset: number; path: string; entries: number; timeEntries: number; problem: string }
    >
  | OnReplica<"index_unwritten", { segmentBaseOffset: number; problem: string }>
  | OnReplica<"log_offline", { problem: string }>
  // a log's producers
  | OnReplica<"producer_snapshot_written", { offset: number; producers: number }>
  | OnReplica<"producer_snapshot_unusable", { offset: number; problem: string }>
  | OnReplica<
      "producers_restored",
      { snapshotOffset: number | null; endOffset: number; batches: number; producers: number }
    >
  | OnReplica<"producer_forgotten", { producerId: number; lastSeenMs: number; reason: "idle" | "table_full" }>
  | OnReplica<
      "duplicate_answered",
      {
        producerId: number;
        producerEpoch: number;
        baseSequence: number;
        baseOffset: number;
        nextOffset: number;
      }
    >
  // replication; the broker is the follower's, where there is one, or else the leader's
  | OnReplica<
      "high_watermark_moved",
      { from: number; to: number; logEndOffset: number; inSyncReplicas: readonly number[] }
    >
  | OnReplica<
      "replicated",
      {
        leaderId: number;
        fromOffset: number;
        logEndOffset: number;
        batches: number;
        bytes: number;
        highWatermark: number;
      }
    >
  | OnReplica<
      "reconciled",
      {
        leaderId: number;
        leaderEpoch: number;
        fromOffset: number;
        logEndOffset: number;
        reconciliation: string;
      }
    >
  | OnReplica<"replica_set_aside", { path: string }>
  | OnReplica<"replication_failed", { leaderId: number; failures: number; problem: string }>
  | OnReplica<"replication_resumed", { leaderId: number; failures: number }>
  | OnPartition<
      "leader_changed",
      {
        from: number | null;
        leaderId: number | null;
        leaderEpoch: number;
        leaderEpochStartOffset: number;
        highWatermark: number;
      }
    >
  | OnPartition<
      "isr_changed",
      {
        from: readonly number[];
        to: readonly number[];
        leaderEpoch: number;
        highWatermark: number;
        logEndOffset: number | null;
        moves: readonly InSyncMove[];
      }
    >
  // transactions; the broker is the leader's
  | OnReplica<"last_stable_offset_moved", { from: number; to: number; highWatermark: number }>
  | OnReplica<
      "marker_written",
      {
        producerId: number;
        producerEpoch: number;
        coordinatorEpoch: number;
        control: "commit" | "abort";
        firstOffset: number;
        offset: number;
      }
    >
  // coordinators
  | OnReplica<
      "coordinator_loaded",
      { leaderEpoch: number; startOffset: number; endOffset: number; records: number }
    >
  | GroupTraceEvent
  | TransactionTraceEvent
  | OnPartition<"metadata_outdated", { leaderEpoch: number; logEpoch: number }>
  // a broker's folder
  | OnBroker<"foreign_file_ignored", { path: string }>
  | OnBroker<"stray_file_removed", { path: string }>
  | OnBroker<"obsolete_file_removed", { path: string }>
  | OnBroker<"checkpoint_ignored", { path: string; problem: string }>
  | OnBroker<"broker_failed", { problem: string }>
  | OnBroker<"broker_stopped", { clean: boolean }>
  | OnBroker<"broker_started", { clean: boolean }>
  // the cluster
  | OnCluster<"topic_grown", { topic: string; from: number; partitions: number }>
  | OnCluster<"topic_created", { topic: string; partitions: number; replicationFactor: number }>
  | OnCluster<"topic_deleted", { topic: string; partitions: number }>
  | OnCluster<
      "config_altered",
      { topic: string; changes: { readonly [key: string]: string | number | null } }
    >
  | OnCluster<
      "cluster_opened",
      { clusterId: string; brokers: number; topics: number; partitions: number; clean: boolean }
    >
  | OnCluster<"cluster_closed", { clusterId: string; clean: boolean }>
  | OnCluster<"producer_ids_raised", { path: string; from: number; to: number }>
  | OnCluster<"producer_initialized", { producerId: number; producerEpoch: number; name: string | null }>
  | OnCluster<"clock_advanced", { fromMs: number; toMs: number }>
  | OnCluster<"fault_fired", { point: string; action: string; hit: number; ruleId: number | null }>;

export type TraceKind = TraceEvent["kind"];

/** Takes each event as it happens. It must not throw, and must not call back into the kernel. */
export type Tracer = (event: TraceEvent) => void;

/** Nobody listens. */
export const noTrace: Tracer = () => {};

/** A tracer for tests: keeps every event in order. */
export class TraceCollector {
  readonly events: TraceEvent[] = [];

  readonly trace: Tracer = (event) => {
    this.events.push(event);
  };

  /** The events of one kind, with that kind's fields. */
  of<Kind extends TraceKind>(kind: Kind): Extract<TraceEvent, { kind: Kind }>[] {
    return this.events.filter((event): event is Extract<TraceEvent, { kind: Kind }> => event.kind === kind);
  }

  clear(): void {
    this.events.length = 0;
  }
}
