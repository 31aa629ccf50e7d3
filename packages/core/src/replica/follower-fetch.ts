/**
 * One round of one follower: cut what was never its leader's, copy what it lacks, hear of the high watermark.
 *
 * Invariants: batches are copied whole and byte by byte, from the follower's own log end offset on; a round that begins behind
 * its leader gets at least one batch further, however large; a follower below the leader's log start begins anew with the batch
 * that holds it: the log start may lie inside of a batch, and whoever has none of that batch, or another leader's in its place,
 * can take it only whole. So does one that would have to be cut where its compaction has been, since that has dropped older records
 * for the sake of what would go; and, in a compacted topic, one whose folder was put back, or whose copy is being made anew, since
 * what it holds may have been ended by tombstones that have gone since or at its new leader, and one that an unclean promotion has
 * left behind, since it may have copied what a compaction has left of a log, and not that for whose sake the rest had gone.
 * Never: more than the budget, but for that one batch; a follower that knows a later high watermark than its leader told it.
 */
import { readBatchHeader } from "@minikafka/record";
import { BrokerError } from "../errors.ts";
import type { PartitionLog } from "../log/partition-log.ts";
import type { LogLook } from "../log/parts/log-look.ts";
import { cutOffset } from "./reconciliation.ts";
import type { Replica } from "./replica.ts";
import type { PartitionReplicaSet } from "./replica-set.ts";

/** What a follower has to do to its log before it can copy. */
export type Cut =
  /** To give up everything from `offset` on. */
  | { readonly kind: "truncate"; readonly offset: number }
  /** To give up everything, and to begin at `offset`. */
  | { readonly kind: "restart"; readonly offset: number };

/**
 * The cut that has to come first, or `null`. Throws STORAGE_ERROR when the leader's log lacks what it had: nobody cuts for such a one;
 * and when it has to be looked at, and cannot be read.
 */
export function dueCut(set: PartitionReplicaSet, follower: Replica, leader: Replica): Cut | null {
  const { highWatermark, inSyncReplicas } = set;
  const { copyAnew = [] } = set.state;
  const { reconciliation } = set.replication;
  const { logStartOffset, logEndOffset } = leader.log;
  const end = follower.log.logEndOffset;
  const isEmpty = end === follower.log.logStartOffset;
  if (logEndOffset < highWatermark) throw lostRecords(leader, highWatermark, "the high watermark");
  // It has not fetched from this leader yet.
  if (follower.progress.logEndOffset === null) {
    const offset = cutOffset(follower.log.asFollower, follower.highWatermark, leader.log, reconciliation);
    const isCutClean = offset < end && offset < follower.log.firstDirtyOffset;
    // An empty log may be what a crash has left of one that was to begin anew further below.
    const isLeft = isEmpty && end > logStartOffset && !inSyncReplicas.includes(follower.brokerId);
    const isDoubtful = !isEmpty && copyAnew.includes(follower.brokerId);
    if (isCutClean || isLeft || (isDoubtful && leader.log.isCompacted))
      return { kind: "restart", offset: wholeBatchAt(leader.log, logStartOffset) };
    if (offset < follower.log.logStartOffset)
      return { kind: "restart", offset: wholeBatchAt(leader.log, offset) };
    if (offset < end) return { kind: "truncate", offset };
  }
  if (end > logEndOffset) throw lostRecords(leader, end, "up to where a follower has fetched from it");
  // Inside of a batch of its leader's may end a log that was emptied, and one whose last batches were another leader's: of what lies
  // below the log start no epoch tells. One that goes on above it has that batch.
  if (!isEmpty && end > logStartOffset) return null;
  const offset = wholeBatchAt(leader.log, end);
  return offset === end ? null : { kind: "restart", offset };
}

/**
 * The first offset of the leader's batch that holds `offset`, or the log start offset if that lies behind it; the end when
 * nothing does. Kafka: ReplicaFetcherThread begins anew there after UnexpectedAppendOffsetException. Throws STORAGE_ERROR.
 */
function wholeBatchAt(leader: PartitionLog, offset: number): number {
  const { batches } = leader.looked.read(Math.max(offset, leader.logStartOffset), FIRST_BATCH);
  return batches.length === 0 ? leader.logEndOffset : readBatchHeader(batches).baseOffset;
}

const FIRST_BATCH = { bytesMax: 0, endOffset: Number.POSITIVE_INFINITY };

function lostRecords({ brokerId, log }: Replica, offset: number, what: string): BrokerError {
  const message = `the leader's log on broker ${brokerId} ends at ${log.logEndOffset}; expected at least ${offset}, ${what}`;
  return new BrokerError("STORAGE_ERROR", message, { broker_id: brokerId });
}

/**
 * Where the follower's log ends after `cut`. A cut takes whole batches: one that reaches over the offset goes too. Throws
 * STORAGE_ERROR when that has to be looked at, and cannot be read.
 */
export function endAfterCut({ log }: Replica, { kind, offset }: Cut): number {
  if (kind === "restart" || offset >= log.logEndOffset) return offset;
  const { batches } = log.looked.read(offset, FIRST_BATCH);
  return batches.length === 0 ? offset : readBatchHeader(batches).baseOffset;
}

export interface Copied {
  readonly batches: number;
  readonly bytes: number;
}

/** Copies up to `bytesMax`. Throws STORAGE_ERROR, BROKER_FAILED; what was copied before stays. */
export function copyBatches(follower: PartitionLog, leader: PartitionLog, bytesMax: number): Copied {
  const { batches, bytes } = walkBatches(leader, follower.logEndOffset, bytesMax, (frames) =>
    follower.appendAsFollower(frames),
  );
  return { batches, bytes };
}

export interface Walked extends Copied {
  readonly endOffset: number;
}

/**
 * What one fetch brings to a follower that ends at `end`, and where that ends then; `take` is given the batches of each part.
 * Throws STORAGE_ERROR, and what `take` throws.
 */
export function walkBatches(
  leader: Pick<LogLook, "logStartOffset" | "logEndOffset" | "read">,
  end: number,
  bytesMax: number,
  take: (frames: Buffer) => void,
): Walked {
  let [batches, bytes, followerEnd] = [0, 0, end];
  for (;;) {
    const { logStartOffset, logEndOffset: endOffset } = leader;
    // A follower that ends below the log start needs the batch that holds it. Where there is none, it has to be cut first.
    const fromOffset = Math.max(followerEnd, logStartOffset);
    if (fromOffset >= endOffset) break;
    const read = leader.read(fromOffset, { bytesMax: Math.max(bytesMax - bytes, 0), endOffset });
    if (bytes > 0 && bytes + read.batches.length > bytesMax) break;
    batches += countFrames(read.batches);
    take(read.batches);
    bytes += read.batches.length;
    followerEnd = read.nextOffset;
  }
  return { batches, bytes, endOffset: followerEnd };
}

function countFrames(frames: Buffer): number {
  let count = 0;
  for (let position = 0; position < frames.length; count++)
    position += readBatchHeader(frames, position).frameBytes;
  return count;
}
