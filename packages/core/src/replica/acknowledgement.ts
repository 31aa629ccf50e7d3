/**
 * What an acknowledgement means, for each `acks`:
 *
 *   0    nothing
 *   1    the leader has written it: it survives the death of the process, not a power cut
 *   all  every in-sync replica holds it and, with flush "ack", has it on its disk: it survives a power cut as well
 *
 * How long to wait is not decided here, since the kernel has no timer: whoever owns the request's deadline says by `giveUp`
 * that it is over. While replicas lack their copy the promise then rejects with REQUEST_TIMED_OUT, and the record's fate is open,
 * as in Kafka; where only disks are missing it is left alone, since it settles as soon as they have answered.
 */
import { assert } from "../assert.ts";
import type { PartitionLog } from "../log/partition-log.ts";

/** Kafka's `acks`; "all" is its -1. */
export type Acks = 0 | 1 | "all";

/**
 * What acks=all waits for, and who asks the disk otherwise. What a power cut can take of what was acknowledged:
 *
 *   ack       waits for the disk                            nothing
 *   interval  waits for the write; the flush step syncs     what was written since the last flush step began
 *   os        waits for the write; a closed segment and a   what the system has not written by itself of the last segments
 *             closed log are synced, nothing else
 *
 * None of them changes what the death of the process takes, which is nothing that was written.
 */
export const FLUSH_POLICIES = ["ack", "interval", "os"] as const;
export type FlushPolicy = (typeof FLUSH_POLICIES)[number];

/**
 * Resolves once `acks` is kept for everything below `nextOffset`. Rejects with BROKER_FAILED or STORAGE_ERROR when the disk
 * did not take it, the record is then of unknown fate; and with FENCED_LEADER_EPOCH when it was cut off.
 */
export async function acknowledged(
  log: PartitionLog,
  { acks, nextOffset, flush }: { acks: Acks; nextOffset: number; flush: FlushPolicy },
): Promise<void> {
  if (acks !== "all" || flush !== "ack") return;
  await log.flushUpTo(nextOffset);
  assert(
    log.flushedOffset >= nextOffset,
    `a flush ended at ${log.flushedOffset}, short of the ${nextOffset} that it was asked for`,
  );
}
