/**
 * One round of one follower: cut what was never its leader's, copy what it lacks, hear of the high watermark.
 *
 * Invariants: batches are copied whole and byte by byte, from the follower's own log end offset on; a round that begins behind
 * its leader gets at least one batch further, however large; a follower below the leader's log start begins anew there.
 * Never: more than the budget, but for that one batch; a follower that knows a later high watermark than its leader told it.
 */
import { readBatchHeader } from "@minikafka/record";
import { BrokerError } from "../errors.ts";
import type { PartitionLog } from "../log/partition-log.ts";
import { cutOffset } from "./reconciliation.ts";
import type { Replica } from "./replica.ts";
import type { Reconciliation } from "./replication-config.ts";

/** What a follower has to do to its log before it can copy. */
export type Cut =
  /** To give up everything from `offset` on. */
  | { readonly kind: "truncate"; readonly offset: number }
  /** To give up everything, and to begin at `offset`. */
  | { readonly kind: "restart"; readonly offset: number };

/**
 * The cut that has to come first, or `null`. `isNewLeader`: the follower has not fetched from this leader yet. Throws STORAGE_ERROR
 * when the leader's log lacks what it had: nobody cuts for such a one.
 */
export function dueCut(
  follower: Replica,
  leader: Replica,
  {
    isNewLeader,
    highWatermark,
    reconciliation,
  }: { isNewLeader: boolean; highWatermark: number; reconciliation: Reconciliation },
): Cut | null {
  const { logStartOffset, logEndOffset } = leader.log;
  const end = follower.log.logEndOffset;
  if (logEndOffset < highWatermark) throw lostRecords(leader, highWatermark, "the high watermark");
  if (isNewLeader) {
    follower.log.endEpoch();
    const offset = cutOffset(follower.log, follower.highWatermark, leader.log, reconciliation);
    if (offset < follower.log.logStartOffset)
      return { kind: "restart", offset: Math.max(offset, logStartOffset) };
    if (offset < end) return { kind: "truncate", offset };
  }
  if (end > logEndOffset) throw lostRecords(leader, end, "up to where a follower has fetched from it");
  if (end < logStartOffset) return { kind: "restart", offset: logStartOffset };
  return null;
}

function lostRecords({ brokerId, log }: Replica, offset: number, what: string): BrokerError {
  const message = `the leader's log on broker ${brokerId} ends at ${log.logEndOffset}; expected at least ${offset}, ${what}`;
  return new BrokerError("STORAGE_ERROR", message, { broker_id: brokerId });
}

export interface Copied {
  readonly batches: number;
  readonly bytes: number;
}

/** Copies up to `bytesMax`. Throws STORAGE_ERROR, BROKER_FAILED; what was copied before stays. */
export function copyBatches(follower: PartitionLog, leader: PartitionLog, bytesMax: number): Copied {
  let [batches, bytes] = [0, 0];
  while (follower.logEndOffset < leader.logEndOffset) {
    const endOffset = leader.logEndOffset;
    const read = leader.read(follower.logEndOffset, { bytesMax: Math.max(bytesMax - bytes, 0), endOffset });
    if (bytes > 0 && bytes + read.batches.length > bytesMax) break;
    batches += countFrames(read.batches);
    follower.appendAsFollower(read.batches);
    bytes += read.batches.length;
  }
  return { batches, bytes };
}

function countFrames(frames: Buffer): number {
  let count = 0;
  for (let position = 0; position < frames.length; count++)
    position += readBatchHeader(frames, position).frameBytes;
  return count;
}
