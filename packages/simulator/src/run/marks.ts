/**
 * What a run has reached: a search that never goes somewhere proves nothing of it (FoundationDB and Antithesis: `sometimes`). Each
 * mark is to be reached by some run among many.
 */
import type { TraceEvent } from "@minikafka/core";
import { MEANWHILE } from "../world/meanwhile.ts";
import type { RunWorld } from "./world.ts";

const KINDS = [
  ...["appended", "rolled", "flushed", "sealed", "recovered", "truncated", "segment_deleted", "restarted"],
  ...["log_start_moved", "compaction_started", "compacted", "append_undone", "seal_delayed", "index_rebuilt"],
  ...["producers_restored", "producer_snapshot_written", "duplicate_answered", "high_watermark_moved"],
  ...[
    "replicated",
    "reconciled",
    "replication_failed",
    "replication_resumed",
    "leader_changed",
    "isr_changed",
  ],
  ...["last_stable_offset_moved", "marker_written", "coordinator_loaded", "member_joined", "member_left"],
  ...["member_expired", "generation_started", "partitions_released", "offsets_committed", "offsets_staged"],
  ...["transaction_initialized", "transaction_begun", "transaction_partition_added", "transaction_prepared"],
  ...[
    "transaction_completed",
    "hanging_transaction_ended",
    "broker_failed",
    "broker_stopped",
    "broker_started",
    "cluster_closed",
  ],
  ...["fault_fired", "stray_file_removed", "obsolete_file_removed", "topic_created"],
] as const satisfies readonly TraceEvent["kind"][];

/** Refusals that clients have to cope with. */
const CODES = [
  ...[
    "NOT_ENOUGH_REPLICAS",
    "NOT_ENOUGH_REPLICAS_AFTER_APPEND",
    "FENCED_LEADER_EPOCH",
    "LEADER_NOT_AVAILABLE",
  ],
  ...["REQUEST_TIMED_OUT", "PRODUCER_FENCED", "OUT_OF_ORDER_SEQUENCE", "INVALID_TRANSACTION_STATE"],
  ...["TRANSACTION_ABORTED", "ILLEGAL_GENERATION", "UNKNOWN_MEMBER", "OFFSET_OUT_OF_RANGE", "STORAGE_ERROR"],
  ...["BROKER_FAILED", "SHUTTING_DOWN", "UNSTABLE_OFFSET_COMMIT", "CONNECTION_LOST", "NOT_CONNECTED"],
] as const;

const DEATHS = ["kept", "lost", "torn", "scattered"] as const;

export const MARKS: readonly string[] = [
  ...KINDS,
  ...CODES,
  ...DEATHS.map((disk) => `the process died, the disk kept: ${disk}`),
  ...MEANWHILE,
];

/** How often a run has reached each. */
export function marksOf({ witness, recorder, meanwhile }: RunWorld): Map<string, number> {
  const marks = new Map<string, number>();
  const mark = (name: string, times = 1) => marks.set(name, (marks.get(name) ?? 0) + times);
  for (const kind of KINDS) mark(kind, witness.counts.get(kind) ?? 0);
  for (const [name, times] of meanwhile.reached) mark(name, times);
  for (const happening of recorder.happenings)
    if (happening.kind === "process_crashed") mark(`the process died, the disk kept: ${happening.disk}`);
  const codes = new Set<string>(CODES);
  for (const { kind, ended, asked } of recorder.operations) {
    if (ended === null) continue;
    if (ended.code !== null && codes.has(ended.code)) mark(ended.code);
    if (ended.outcome !== "ok") continue;
    if (kind === "send" && ended.attempts > 1) mark("a batch was acknowledged only by a retry");
    if (kind === "end_transaction" && asked.commit && ended.attempts > 1)
      mark("a transaction was committed only by a retry");
    if (kind === "send" && asked.records.some(({ copyOf }) => copyOf !== null)) mark("a copier copied");
  }
  return marks;
}
