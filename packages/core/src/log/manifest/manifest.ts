/**
 * What counts in a partition's folder: the one file whose replacement is the commit point of everything that changes which
 * segments there are. Bytes: manifest-payload.ts, in a checkpoint-file.ts.
 *
 * Invariants: `sealed` are in order and join without a gap, the recovery point's segment follows the last; everything
 * below the recovery point was durable before the manifest that says so.
 * Never: a segment named here that is not on the disk with exactly that size; a folder's manifest taken for another's; a name
 * among the obsolete that the log may still give to a file; an epoch's beginning behind the recovery point.
 */

import { posix } from "node:path";
import { storageError } from "../../errors.ts";
import type { LogContext } from "../context/log-context.ts";
import { MANIFEST_FILE_NAME, type SegmentName } from "../files/file-names.ts";
import type { AbortedExtent } from "../indexes/aborted-index.ts";
import { emptyExtent, type SegmentExtent } from "../segment/segment-extent.ts";
import type { EpochEntry } from "./leader-epochs.ts";

/** Up to here the log is durable and was checked; recovery begins here. */
export interface RecoveryPoint {
  /** The first offset that is not covered. */
  readonly offset: number;
  /** The first segment that is not sealed. */
  readonly segmentBaseOffset: number;
  readonly segmentGeneration: number;
  /** Where `offset` begins in it. */
  readonly position: number;
  /** The latest timestamp of that segment's records below `position`; -1 when there are none. */
  readonly maxTimestampMs: number;
  /** The abort markers of that segment below `position`; `null` for none. */
  readonly aborted: AbortedExtent | null;
}

export interface Manifest {
  /** Whose folder this is. */
  readonly topicId: string;
  readonly partition: number;
  readonly logStartOffset: number;
  /** Segments that will never change again, oldest first. */
  readonly sealed: readonly SegmentExtent[];
  readonly recoveryPoint: RecoveryPoint;
  /**
   * Offsets of the snapshots from which the producers come back, rising; `null` when none was known at the recovery point.
   * See log-producers.ts.
   */
  readonly producerSnapshots: readonly number[] | null;
  /** Below it every key is there once, but for what compaction keeps (Kafka: the cleaner's checkpoint). */
  readonly firstDirtyOffset: number;
  /** When compaction may drop a tombstone or a marker that it has kept; `null` when none waits. */
  readonly nextHorizonMs: number | null;
  /** File names of segments that count no more and may still be there. See obsolete-files.ts. */
  readonly obsolete: readonly string[];
  /** Up to the recovery point, see leader-epochs.ts. */
  readonly leaderEpochs: readonly EpochEntry[];
}

/** Everything of a segment, and of those before it, is durable. */
export function recoveryPointAt(extent: SegmentExtent): RecoveryPoint {
  const { nextOffset: offset, baseOffset: segmentBaseOffset, generation: segmentGeneration } = extent;
  const { sizeBytes: position, maxTimestampMs, aborted } = extent;
  return { offset, segmentBaseOffset, segmentGeneration, position, maxTimestampMs, aborted };
}

/** The first segment that is not sealed. */
export function recoverySegment({ segmentBaseOffset, segmentGeneration }: RecoveryPoint): SegmentName {
  return { baseOffset: segmentBaseOffset, generation: segmentGeneration };
}

export function manifestPath(folder: string): string {
  return posix.join(folder, MANIFEST_FILE_NAME);
}

/** Of a log that begins at offset 0 and has no record. */
export function emptyManifest({ topicId, place }: LogContext): Manifest {
  return {
    topicId,
    partition: place.partition,
    logStartOffset: 0,
    sealed: [],
    recoveryPoint: recoveryPointAt(emptyExtent(0)),
    firstDirtyOffset: 0,
    nextHorizonMs: null,
    producerSnapshots: null,
    obsolete: [],
    leaderEpochs: [],
  };
}

/** Where a truncation has made room, other records will come: only what is sealed can be clean. */
export function firstDirtyOffsetOf({ firstDirtyOffset, recoveryPoint }: Manifest): number {
  return Math.min(firstDirtyOffset, recoveryPoint.segmentBaseOffset);
}

/** Throws STORAGE_ERROR for the manifest of another partition. */
export function requireOwn(manifest: Manifest, { folder, topicId, place }: LogContext): void {
  if (manifest.topicId === topicId && manifest.partition === place.partition) return;
  throw storageError(`it belongs to partition ${manifest.partition} of topic id ${manifest.topicId}`, {
    file: manifestPath(folder),
    expected: `partition ${place.partition} of topic id ${topicId}`,
  });
}

export function sameManifest(one: Manifest, other: Manifest): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
