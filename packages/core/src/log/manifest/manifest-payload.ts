/** The manifest as a checkpoint's payload (FORMAT.md), and back from one that is not believed yet. */
import { parseFileName } from "../files/file-names.ts";
import { fieldsOf, integerOf, listOf, textOf } from "../files/parsed-json.ts";
import type { AbortedExtent } from "../indexes/aborted-index.ts";
import { snapshotOffsetsOf } from "../producers/producer-snapshot.ts";
import type { SegmentExtent } from "../segment/segment-extent.ts";
import type { EpochEntry } from "./leader-epochs.ts";
import type { Manifest, RecoveryPoint } from "./manifest.ts";
import { manifestProblem } from "./manifest-problem.ts";

export function formatManifest(manifest: Manifest): unknown {
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
      ...formatAborted(recoveryPoint),
    },
    sealed: sealed.map(({ baseOffset, generation, nextOffset, sizeBytes, maxTimestampMs, aborted }) => ({
      base_offset: baseOffset,
      ...(generation > 0 && { generation }),
      next_offset: nextOffset,
      size_bytes: sizeBytes,
      max_timestamp_ms: maxTimestampMs,
      ...formatAborted({ aborted }),
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

function formatAborted({ aborted }: Pick<SegmentExtent, "aborted">): object {
  if (aborted === null) return {};
  return { aborted: { count: aborted.count, first_offset: aborted.firstOffset } };
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
  const problem = manifestProblem(manifest);
  if (problem !== null) throw new RangeError(problem);
  return manifest;
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
    aborted: parseAborted(fields.get("aborted")),
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
    aborted: parseAborted(fields.get("aborted")),
  };
}

function parseAborted(value: unknown): AbortedExtent | null {
  if (value === undefined) return null;
  const fields = fieldsOf(value, "aborted");
  return { count: numberOf(fields, "count", 1), firstOffset: numberOf(fields, "first_offset") };
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
