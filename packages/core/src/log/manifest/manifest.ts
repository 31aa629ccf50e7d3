/**
 * What counts in a partition's folder: the one file whose replacement is the commit point of everything that changes which
 * segments there are. Bytes: checkpoint-file.ts.
 *
 * Invariants: `sealed` are in order and join without a gap, the recovery point's segment follows the last; everything
 * below the recovery point was durable before the manifest that says so.
 * Never: a segment named here that is not on the disk with exactly that size; a folder's manifest taken for another's; a name
 * among the obsolete that the log may still give to a file; an epoch's beginning behind the recovery point.
 */

import { posix } from "node:path";
import { storageError } from "../../errors.ts";
import type { LogContext } from "../context/log-context.ts";
import { CheckpointFile } from "../files/checkpoint-file.ts";
import { MANIFEST_FILE_NAME, parseFileName, type SegmentName, segmentFileName } from "../files/file-names.ts";
import { fieldsOf, integerOf, listOf, textOf } from "../files/parsed-json.ts";
import { snapshotOffsetsOf, snapshotsProblem } from "../producers/producer-snapshot.ts";
import { emptyExtent, type SegmentExtent } from "../segment/segment-extent.ts";
import type { EpochEntry } from "./leader-epochs.ts";

/** 1: without generations, obsolete segments and leader epochs. */
export const MANIFEST_VERSION = 2;

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
  const { nextOffset: offset, baseOffset, generation, sizeBytes: position, maxTimestampMs } = extent;
  return { offset, segmentBaseOffset: baseOffset, segmentGeneration: generation, position, maxTimestampMs };
}

/** The first segment that is not sealed. */
export function recoverySegment({ segmentBaseOffset, segmentGeneration }: RecoveryPoint): SegmentName {
  return { baseOffset: segmentBaseOffset, generation: segmentGeneration };
}

export function manifestPath(folder: string): string {
  return posix.join(folder, MANIFEST_FILE_NAME);
}

export function manifestFile({ env, folder, place }: LogContext): CheckpointFile<Manifest> {
  return new CheckpointFile({
    disk: env.disk,
    faults: env.faults,
    path: manifestPath(folder),
    name: "manifest",
    site: place,
    version: MANIFEST_VERSION,
    parse: parseManifest,
    format: formatManifest,
  });
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

function formatManifest(manifest: Manifest): unknown {
  const { topicId, partition, logStartOffset, sealed, recoveryPoint } = manifest;
  const { producerSnapshots, obsolete, leaderEpochs } = manifest;
  const { firstDirtyOffset, nextHorizonMs } = manifest;
  return {
    topic_id: topicId,
    partition,
    log_start_offset: logStartOffset,
    recovery_point: {
      offset: recoveryPoint.offset,
      segment_base_offset: recoveryPoint.segmentBaseOffset,
      ...(recoveryPoint.segmentGeneration > 0 && { segment_generation: recoveryPoint.segmentGeneration }),
      position: recoveryPoint.position,
      max_timestamp_ms: recoveryPoint.maxTimestampMs,
    },
    sealed: sealed.map(({ baseOffset, generation, nextOffset, sizeBytes, maxTimestampMs }) => ({
      base_offset: baseOffset,
      ...(generation > 0 && { generation }),
      next_offset: nextOffset,
      size_bytes: sizeBytes,
      max_timestamp_ms: maxTimestampMs,
    })),
    ...(producerSnapshots !== null && { producer_snapshots: producerSnapshots }),
    ...(firstDirtyOffset > 0 && { first_dirty_offset: firstDirtyOffset }),
    ...(nextHorizonMs !== null && { next_horizon_ms: nextHorizonMs }),
    obsolete,
    leader_epochs: leaderEpochs.map(({ leaderEpoch, startOffset }) => ({
      leader_epoch: leaderEpoch,
      start_offset: startOffset,
    })),
  };
}

/** The manifest of a checkpoint's payload. Throws an Error that says what is wrong. */
export function parseManifest(payload: unknown, version: number): Manifest {
  const fields = fieldsOf(payload, "the manifest");
  const manifest: Manifest = {
    topicId: textOf(fields.get("topic_id"), "topic_id"),
    partition: numberOf(fields, "partition"),
    logStartOffset: numberOf(fields, "log_start_offset"),
    sealed: listOf(fields.get("sealed"), "sealed").map(parseExtent),
    recoveryPoint: parseRecoveryPoint(fields.get("recovery_point")),
    producerSnapshots: snapshotOffsetsOf(fields.get("producer_snapshots")),
    leaderEpochs: parseEpochs(fields, version),
    firstDirtyOffset: fields.has("first_dirty_offset") ? numberOf(fields, "first_dirty_offset", 1) : 0,
    nextHorizonMs: fields.has("next_horizon_ms") ? numberOf(fields, "next_horizon_ms") : null,
    obsolete: version === 1 ? [] : listOf(fields.get("obsolete"), "obsolete").map(parseObsolete),
  };
  const problem =
    manifestProblem(manifest) ??
    snapshotsProblem(manifest.producerSnapshots, manifest.recoveryPoint.offset) ??
    obsoleteProblem(manifest) ??
    epochsProblem(manifest);
  if (problem !== null) throw new RangeError(problem);
  return manifest;
}

/** Why the numbers don't agree with each other, or `null`. */
function manifestProblem(manifest: Manifest): string | null {
  const { logStartOffset, sealed, recoveryPoint } = manifest;
  let nextOffset: number | null = null;
  for (const segment of sealed) {
    if (nextOffset !== null && segment.baseOffset !== nextOffset)
      return `segment ${segment.baseOffset} follows offset ${nextOffset}`;
    if (segment.nextOffset <= segment.baseOffset || segment.sizeBytes === 0)
      return `segment ${segment.baseOffset} is sealed empty`;
    nextOffset = segment.nextOffset;
  }
  const { offset, segmentBaseOffset, position } = recoveryPoint;
  if (nextOffset !== null && segmentBaseOffset !== nextOffset)
    return `the recovery point's segment ${segmentBaseOffset} follows offset ${nextOffset}`;
  if (offset < segmentBaseOffset || (position === 0) !== (offset === segmentBaseOffset))
    return `the recovery point ${offset} cannot be at ${position} of segment ${segmentBaseOffset}`;
  if (manifest.firstDirtyOffset > segmentBaseOffset)
    return `the first dirty offset ${manifest.firstDirtyOffset} lies behind the sealed segments, ${segmentBaseOffset}`;
  const firstOffset = sealed[0]?.baseOffset ?? segmentBaseOffset;
  if (logStartOffset < firstOffset || logStartOffset > offset)
    return `the log start offset ${logStartOffset} is not among ${firstOffset} to ${offset}`;
  return null;
}

/** A segment that is begun later must never get a name that would be removed at the next open. */
function obsoleteProblem({ sealed, recoveryPoint, obsolete }: Manifest): string | null {
  const counted = new Set([...sealed, recoverySegment(recoveryPoint)].map(segmentFileName));
  for (const fileName of obsolete) {
    const { baseOffset = 0, generation = 0 } = parseFileName(fileName) ?? {};
    if (counted.has(fileName)) return `${fileName} is obsolete, and counts`;
    if (generation === 0 && baseOffset > recoveryPoint.segmentBaseOffset)
      return `${fileName} is obsolete, and lies behind the recovery point`;
  }
  return null;
}

function epochsProblem({ logStartOffset, recoveryPoint, leaderEpochs }: Manifest): string | null {
  let last: EpochEntry = { leaderEpoch: -1, startOffset: -1 };
  for (const entry of leaderEpochs) {
    if (entry.leaderEpoch <= last.leaderEpoch || entry.startOffset <= last.startOffset)
      return `leader epoch ${entry.leaderEpoch} at ${entry.startOffset} follows ${last.leaderEpoch} at ${last.startOffset}`;
    last = entry;
  }
  const { offset } = recoveryPoint;
  if (last.startOffset > offset) return `leader epoch ${last.leaderEpoch} begins behind the recovery point`;
  const first = leaderEpochs[0]?.startOffset ?? offset;
  if (first > logStartOffset) return `no leader epoch is known from ${logStartOffset} to ${first}`;
  return null;
}

function parseObsolete(value: unknown): string {
  const fileName = textOf(value, "an obsolete file");
  if (parseFileName(fileName)?.kind === "segment") return fileName;
  throw new RangeError("an obsolete file is not called as a segment is");
}

function parseExtent(value: unknown): SegmentExtent {
  const fields = fieldsOf(value, "a sealed segment");
  return {
    baseOffset: numberOf(fields, "base_offset"),
    generation: generationOf(fields, "generation"),
    nextOffset: numberOf(fields, "next_offset"),
    sizeBytes: numberOf(fields, "size_bytes"),
    maxTimestampMs: numberOf(fields, "max_timestamp_ms", -1),
  };
}

function parseRecoveryPoint(value: unknown): RecoveryPoint {
  const fields = fieldsOf(value, "recovery_point");
  return {
    offset: numberOf(fields, "offset"),
    segmentBaseOffset: numberOf(fields, "segment_base_offset"),
    segmentGeneration: generationOf(fields, "segment_generation"),
    position: numberOf(fields, "position"),
    maxTimestampMs: numberOf(fields, "max_timestamp_ms", -1),
  };
}

/** Version 1 said nothing, as every leader had epoch 0 then. */
function parseEpochs(fields: Fields, version: number): EpochEntry[] {
  if (version > 1) return listOf(fields.get("leader_epochs"), "leader_epochs").map(parseEpoch);
  return [{ leaderEpoch: 0, startOffset: numberOf(fields, "log_start_offset") }];
}

function parseEpoch(value: unknown): EpochEntry {
  const fields = fieldsOf(value, "a leader epoch");
  return { leaderEpoch: numberOf(fields, "leader_epoch"), startOffset: numberOf(fields, "start_offset") };
}

type Fields = ReadonlyMap<string, unknown>;

function generationOf(fields: Fields, name: string): number {
  return fields.has(name) ? numberOf(fields, name, 1) : 0;
}

function numberOf(fields: Fields, name: string, min = 0): number {
  return integerOf(fields.get(name), name, { min, max: Number.MAX_SAFE_INTEGER });
}
