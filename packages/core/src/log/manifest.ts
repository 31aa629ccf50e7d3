/**
 * What counts in a partition's folder: the one file whose replacement is the commit point of everything that changes which
 * segments there are. Bytes: checkpoint-file.ts.
 *
 * Invariants: `sealed` are in order and join without a gap, the recovery point's segment follows the last; everything
 * below the recovery point was durable before the manifest that says so.
 * Never: a segment named here that is not on the disk with exactly that size; a folder's manifest taken for another's.
 */

import { posix } from "node:path";
import { storageError } from "../errors.ts";
import { CheckpointFile } from "./checkpoint-file.ts";
import { MANIFEST_FILE_NAME } from "./file-names.ts";
import type { LogContext } from "./log-context.ts";
import { fieldsOf, integerOf, listOf, textOf } from "./parsed-json.ts";
import type { SegmentExtent } from "./segment.ts";

const VERSION = 1;

/** Up to here the log is durable and was checked; recovery begins here. */
export interface RecoveryPoint {
  /** The first offset that is not covered. */
  readonly offset: number;
  /** The first segment that is not sealed. */
  readonly segmentBaseOffset: number;
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
    version: VERSION,
    parse: parseManifest,
    format: formatManifest,
  });
}

/** Of a log that begins at offset 0 and has no record. */
export function emptyManifest({ topicId, place }: LogContext): Manifest {
  const recoveryPoint = { offset: 0, segmentBaseOffset: 0, position: 0, maxTimestampMs: -1 };
  return { topicId, partition: place.partition, logStartOffset: 0, sealed: [], recoveryPoint };
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

function formatManifest({ topicId, partition, logStartOffset, sealed, recoveryPoint }: Manifest): unknown {
  return {
    topic_id: topicId,
    partition,
    log_start_offset: logStartOffset,
    recovery_point: {
      offset: recoveryPoint.offset,
      segment_base_offset: recoveryPoint.segmentBaseOffset,
      position: recoveryPoint.position,
      max_timestamp_ms: recoveryPoint.maxTimestampMs,
    },
    sealed: sealed.map(({ baseOffset, nextOffset, sizeBytes, maxTimestampMs }) => ({
      base_offset: baseOffset,
      next_offset: nextOffset,
      size_bytes: sizeBytes,
      max_timestamp_ms: maxTimestampMs,
    })),
  };
}

/** The manifest of a checkpoint's payload. Throws an Error that says what is wrong. */
export function parseManifest(payload: unknown): Manifest {
  const fields = fieldsOf(payload, "the manifest");
  const manifest: Manifest = {
    topicId: textOf(fields.get("topic_id"), "topic_id"),
    partition: numberOf(fields, "partition"),
    logStartOffset: numberOf(fields, "log_start_offset"),
    sealed: listOf(fields.get("sealed"), "sealed").map(parseExtent),
    recoveryPoint: parseRecoveryPoint(fields.get("recovery_point")),
  };
  const problem = manifestProblem(manifest);
  if (problem !== null) throw new RangeError(problem);
  return manifest;
}

/** Why the numbers don't agree with each other, or `null`. */
function manifestProblem({ logStartOffset, sealed, recoveryPoint }: Manifest): string | null {
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
  const firstOffset = sealed[0]?.baseOffset ?? segmentBaseOffset;
  if (logStartOffset < firstOffset || logStartOffset > offset)
    return `the log start offset ${logStartOffset} is not among ${firstOffset} to ${offset}`;
  return null;
}

function parseExtent(value: unknown): SegmentExtent {
  const fields = fieldsOf(value, "a sealed segment");
  return {
    baseOffset: numberOf(fields, "base_offset"),
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
    position: numberOf(fields, "position"),
    maxTimestampMs: numberOf(fields, "max_timestamp_ms", -1),
  };
}

type Fields = ReadonlyMap<string, unknown>;

function numberOf(fields: Fields, name: string, min = 0): number {
  return integerOf(fields.get(name), name, { min, max: Number.MAX_SAFE_INTEGER });
}
