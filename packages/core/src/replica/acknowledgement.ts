/**
 * What an acknowledgement means, for each `acks`:
 *
 *   0    nothing
 *   1    the leader has written it: it survives the death of the process, not a power cut
 *   all  every in-sync replica holds it and has it on its disk: it survives a power cut as well
 *
 * How long to wait is not decided here, since the kernel has no timer: whoever owns the request's deadline races it against
 * the promise, answers REQUEST_TIMED_OUT if the deadline wins, and leaves the promise alone. It settles by itself as soon
 * as the disk has answered, and the record's fate is open until then, as in Kafka.
 */
import { assert } from "../assert.ts";
import type { PartitionLog } from "../log/partition-log.ts";

/** Kafka's `acks`; "all" is its -1. */
export type Acks = 0 | 1 | "all";

/** "before-ack": acks=all waits for the disk. "os": it does not, and the system writes when it likes. */
export type FlushPolicy = "before-ack" | "os";

/**
 * Resolves once `acks` is kept for everything below `nextOffset`. Rejects with BROKER_FAILED or STORAGE_ERROR when the disk
 * did not take it; the record is then of unknown fate.
 */
export async function acknowledged(
  log: PartitionLog,
  { acks, nextOffset, flush }: { acks: Acks; nextOffset: number; flush: FlushPolicy },
): Promise<void> {
  if (acks !== "all" || flush === "os") return;
  await log.flush();
  assert(
    log.flushedOffset >= nextOffset,
    `a flush ended at ${log.flushedOffset}, short of the ${nextOffset} that it was asked for`,
  );
}
