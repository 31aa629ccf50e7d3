/**
 * The background work on the logs of one partition. Each replica's log is its broker's own to keep: one that goes away meanwhile,
 * since its broker stops, has nothing left to do and nothing to tell.
 */
import type { ReplicaPlace } from "../env/trace.ts";
import { BrokerError } from "../errors.ts";
import type { CompactionOutcome, CompactionRequest } from "../log/compaction/compaction-request.ts";
import type { ClosedSegment, RemovedSegment } from "../log/cutting/log-retention.ts";
import type { PartitionLog } from "../log/partition-log.ts";
import { copiedEndOf, copiedEnds } from "./copied-end.ts";
import type { Replica } from "./replica.ts";
import type { PartitionReplicaSet } from "./replica-set.ts";

export interface CompactedLog {
  readonly place: ReplicaPlace;
  /** What was done, or what took precedence. */
  readonly result: CompactionOutcome;
  /** Brokers whose replica may lack tombstones or markers whose time is over, so that they stay; nobody when there are none. */
  readonly waitsFor: readonly number[];
}

/** What retention has done to one log: nothing when it is not told. */
export interface RetainedLog {
  readonly place: ReplicaPlace;
  /** The segment that was written until then; `null` when it goes on being. */
  readonly closed: ClosedSegment | null;
  /** Those that are gone, oldest first. */
  readonly deleted: readonly RemovedSegment[];
}

export interface RolledSegment {
  /** False when the segment was empty, so that a new one would have been the same. */
  readonly rolled: boolean;
  /** Where the segment that is now written begins. */
  readonly baseOffset: number;
}

/** One replica's log, and how far it may be worked on: what is open or unknown of transactions below that, it knows itself. */
export interface ReplicaLog {
  readonly copy: Replica;
  readonly place: ReplicaPlace;
  readonly log: PartitionLog;
  readonly highWatermark: number;
}

/** Begins a new segment in the leader's log. Throws LEADER_NOT_AVAILABLE, STORAGE_ERROR, BROKER_FAILED. */
export function rollSegment(set: PartitionReplicaSet): RolledSegment {
  const { log, broker } = set.leadership.requireLeader();
  broker.requireRunning();
  const rolled = log.roll();
  return { rolled, baseOffset: log.segments().at(-1)?.baseOffset ?? log.logEndOffset };
}

/** Deletes what retention lets go of each replica's log. Rejects with STORAGE_ERROR, BROKER_FAILED. */
export async function applyRetention(set: PartitionReplicaSet, nowMs: number): Promise<RetainedLog[]> {
  const retained: RetainedLog[] = [];
  for (const kept of logsOf(set)) {
    const { place, log, highWatermark } = kept;
    const result = await unlessGone(kept, () => log.applyRetention({ nowMs, highWatermark }));
    if (result === null) continue;
    const { closed, segments: deleted } = result;
    if (closed !== null || deleted.length > 0) retained.push({ place, closed, deleted });
  }
  return retained;
}

/** Takes a pass of compaction over each replica's log that is due. Rejects with STORAGE_ERROR, BROKER_FAILED. */
export async function compact(
  set: PartitionReplicaSet,
  request: Omit<CompactionRequest, "cleanEnd" | "copiedEnd">,
): Promise<CompactedLog[]> {
  const compacted: CompactedLog[] = [];
  for (const kept of logsOf(set)) {
    const { place, log, highWatermark: cleanEnd } = kept;
    const ends = copiedEnds(set);
    const copiedEnd = copiedEndOf(set);
    const result = await unlessGone(kept, () => log.compact({ ...request, cleanEnd, copiedEnd }));
    if (result === null) continue;
    const isHeld = "gaveWayTo" in result ? result.gaveWayTo === "replicas" : result.recordsHeld > 0;
    const lacking = ends.filter(({ endOffset }) => isHeld && endOffset < log.firstDirtyOffset);
    compacted.push({ place, result, waitsFor: lacking.map(({ brokerId }) => brokerId) });
  }
  return compacted;
}

/**
 * The logs that can be kept: one that is off line has said so, and one that is being cut is its replica's alone. Each is judged when
 * its turn comes, since a step works on those before it meanwhile.
 */
export function* logsOf(set: PartitionReplicaSet): Generator<ReplicaLog> {
  const { place } = set;
  for (const copy of set.copies) {
    if (!copy.isOnline || copy.isBeingCut) continue;
    const { brokerId, log } = copy;
    const highWatermark = copy === set.leadership.onlineLeader ? set.highWatermark : copy.highWatermark;
    yield { copy, place: { brokerId, ...place }, log, highWatermark };
  }
}

/** `null` when it failed because the log is its replica's no more. */
async function unlessGone<Result>(
  { copy, log }: ReplicaLog,
  act: () => Promise<Result>,
): Promise<Result | null> {
  try {
    return await act();
  } catch (problem) {
    const isGone = copy.broker.isStopped || copy.problem !== null || copy.log !== log;
    if (problem instanceof BrokerError && isGone) return null;
    throw problem;
  }
}
