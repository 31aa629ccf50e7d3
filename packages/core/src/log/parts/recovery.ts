/**
 * From what a folder holds to a log that may be used.
 *
 * Below the manifest's recovery point everything is durable and must be there: what is missing or has another size is
 * refused by name, and nothing is read. Behind it lies what was written since, of which a crash may have left any part: it
 * is read once, the longest prefix of valid batches that continue each other stays, and the rest is cut off.
 *
 * Invariants: the outcome is a prefix of what was written, and at least what was flushed; the same files give the same
 * outcome, also when recovery itself was interrupted at any instant; what was cut off can't come back later.
 * Never: a byte below the recovery point changed; a file removed that isn't a segment or an index of ours behind it.
 */
import { posix } from "node:path";
import type { BatchHeader } from "@minikafka/record";
import type { DiskError } from "../../env/disk.ts";
import { storageError } from "../../errors.ts";
import type { LogContext } from "../context/log-context.ts";
import {
  abortedIndexPath,
  indexPath,
  type SegmentName,
  segmentFileName,
  segmentPath,
  timeIndexPath,
} from "../files/file-names.ts";
import { LeaderEpochs } from "../manifest/leader-epochs.ts";
import type { FolderContents } from "../manifest/log-folder.ts";
import { type Manifest, manifestPath, type RecoveryPoint, recoverySegment } from "../manifest/manifest.ts";
import { removeLeftovers } from "../manifest/obsolete-files.ts";
import { Segment } from "../segment/segment.ts";
import { emptyExtent, type SegmentExtent } from "../segment/segment-extent.ts";
import { settleCut } from "./cut-mark.ts";
import { LogProducers } from "./log-producers.ts";
import { removeUnnamedSnapshots } from "./snapshot-files.ts";
import { isFailedSync, noteDoubt, type OnUnmarked, settleDoubt } from "./sync-doubt.ts";
import { cutTail, needsCut, type Tail } from "./tail-cut.ts";

export interface RecoveredSegments {
  readonly sealed: readonly Segment[];
  /** Not empty: the last is the active one. */
  readonly unsealed: readonly Segment[];
  readonly epochs: LeaderEpochs;
  readonly producers: LogProducers;
}

/** Throws STORAGE_ERROR, DiskError. */
export function recoverSegments(
  context: LogContext,
  manifest: Manifest,
  contents: FolderContents,
  { onUnmarked }: { readonly onUnmarked: OnUnmarked },
): RecoveredSegments {
  const sealed = manifest.sealed.map((extent) => sealedSegment(context, extent));
  const { recoveryPoint } = manifest;
  requireRecoveryPoint(context, recoveryPoint);
  const unsealed: Segment[] = [];
  const epochs = new LeaderEpochs(manifest.leaderEpochs);
  const producers = new LogProducers(context);
  try {
    const tail = readTail(context, recoveryPoint, contents, {
      kept: unsealed,
      begin: (last) => {
        const segments = [...sealed, last];
        producers.restore(manifest, { segments, endOffset: recoveryPoint.offset });
      },
      note: (header) => {
        epochs.begin(header.leaderEpoch, header.baseOffset);
        producers.note(header);
      },
    });
    cutTail(context, tail);
    if (contents.isCutBegun || needsCut(tail)) settleCut(context, unsealed);
    if (contents.isInDoubt) settleDoubt(context, manifest, unsealed);
    removeLeftovers(context, manifest, contents);
    removeUnnamedSnapshots(context, manifest, contents);
  } catch (problem) {
    for (const segment of unsealed) segment.close();
    throw isFailedSync(problem) ? notedFailure(context, problem, onUnmarked) : problem;
  }
  noteUnexplained(context, manifest, contents);
  return { sealed, unsealed, epochs, producers };
}

/** What to throw for a sync that failed, after which the next recovery may find what was never written. */
function notedFailure(context: LogContext, problem: DiskError, onUnmarked: OnUnmarked): unknown {
  const noted = noteDoubt(context, problem.message, onUnmarked);
  if (noted === problem.message) return problem;
  return storageError(new Error(noted, { cause: problem }), { file: context.folder });
}

function sealedSegment(context: LogContext, extent: SegmentExtent): Segment {
  const path = segmentPath(context.folder, extent);
  requireSize(context, path, extent.sizeBytes, "exactly");
  return new Segment(context, extent);
}

function requireRecoveryPoint(context: LogContext, point: RecoveryPoint): void {
  requireSize(context, segmentPath(context.folder, recoverySegment(point)), point.position, "at least");
}

/** What was durable must be there. The position that is named is where the file and the manifest part. */
function requireSize(
  { env, folder }: LogContext,
  path: string,
  sizeBytes: number,
  bound: "exactly" | "at least",
): void {
  const entry = env.disk.stat(path);
  if (entry?.kind === "file" && entry.sizeBytes === sizeBytes) return;
  const expected = `${bound} ${sizeBytes} bytes, as ${manifestPath(folder)} says`;
  if (entry === null || entry.kind !== "file") {
    const problem = entry === null ? "it is missing" : "it is no file";
    throw storageError(problem, { file: path, position: 0, expected });
  }
  if (bound === "at least" && entry.sizeBytes > sizeBytes) return;
  const position = Math.min(entry.sizeBytes, sizeBytes);
  throw storageError(`it has ${entry.sizeBytes} bytes`, { file: path, position, expected });
}

interface TailVisit {
  /** Gets the segments that stay. */
  readonly kept: Segment[];
  /** Called with the recovery point's segment before anything behind the point is read. */
  readonly begin: (segment: Segment) => void;
  /** Called with each batch behind the point. */
  readonly note: (header: BatchHeader) => void;
}

/** Reads what lies behind `point`. */
function readTail(
  context: LogContext,
  point: RecoveryPoint,
  { segments }: FolderContents,
  { kept, begin, note }: TailVisit,
): Tail {
  const torn: Segment[] = [];
  const dropped: SegmentName[] = [];
  let [nextOffset, scannedBytes, cutBytes] = [point.segmentBaseOffset, 0, 0];
  let problem: string | null = null;
  for (const name of segments) {
    if (!isOfTail(name, point)) continue;
    const { baseOffset } = name;
    const sizeBytes = sizeOf(context, name);
    if (baseOffset !== nextOffset) {
      problem ??= `segment ${baseOffset} begins where offset ${nextOffset} is expected`;
      dropped.push(name);
      cutBytes += sizeBytes;
      continue;
    }
    const segment = new Segment(context, knownOf(point, baseOffset));
    kept.push(segment);
    if (kept.length === 1) begin(segment);
    scannedBytes += sizeBytes - segment.sizeBytes;
    const end = segment.recover(sizeBytes, note);
    if (end.position < sizeBytes) {
      problem ??= `${segment.path} at position ${end.position}: ${end.problem ?? "the file ends"}`;
      torn.push(segment);
      cutBytes += sizeBytes - end.position;
    }
    nextOffset = end.nextOffset;
  }
  const recoveryPoint = point.offset;
  return {
    torn,
    dropped,
    recovered: { logEndOffset: nextOffset, recoveryPoint, scannedBytes, cutBytes, problem },
  };
}

/** The recovery point's own segment, or one that was appended behind it: nothing else is ever begun there. */
function isOfTail({ baseOffset, generation }: SegmentName, point: RecoveryPoint): boolean {
  if (baseOffset === point.segmentBaseOffset) return generation === point.segmentGeneration;
  return baseOffset > point.segmentBaseOffset && generation === 0;
}

/** What is known of a segment of the tail before it is read. */
function knownOf(point: RecoveryPoint, baseOffset: number): SegmentExtent {
  if (baseOffset !== point.segmentBaseOffset) return emptyExtent(baseOffset);
  const { offset, position, maxTimestampMs, aborted } = point;
  return { ...recoverySegment(point), nextOffset: offset, sizeBytes: position, maxTimestampMs, aborted };
}

/** Numbered files below the recovery point that no manifest of ours explains: whatever they are, they stay. */
function noteUnexplained(
  { env, folder, place }: LogContext,
  { sealed, recoveryPoint, obsolete }: Manifest,
  { segments, indexes, timeIndexes, abortedIndexes }: FolderContents,
): void {
  const known = new Set(
    sealed.flatMap(({ baseOffset, generation }) => (generation === 0 ? [baseOffset] : [])),
  );
  const isUnexplained = (name: SegmentName) =>
    name.baseOffset < recoveryPoint.segmentBaseOffset &&
    name.generation === 0 &&
    !known.has(name.baseOffset) &&
    !obsolete.includes(segmentFileName(name));
  const paths = [
    ...segments.filter(isUnexplained).map((name) => segmentPath(folder, name)),
    ...indexes.filter(isUnexplained).map((name) => indexPath(folder, name)),
    ...timeIndexes.filter(isUnexplained).map((name) => timeIndexPath(folder, name)),
    ...abortedIndexes.filter(isUnexplained).map((name) => abortedIndexPath(folder, name)),
  ];
  for (const path of paths)
    env.trace({ kind: "foreign_file_ignored", brokerId: place.brokerId, path: posix.normalize(path) });
}

function sizeOf({ env, folder }: LogContext, name: SegmentName): number {
  return env.disk.stat(segmentPath(folder, name))?.sizeBytes ?? 0;
}
