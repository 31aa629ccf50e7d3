/**
 * What lies in a partition's folder, told from the files alone: the log is not opened, nothing is locked, nothing changed.
 *
 * Works on the folder of a stopped broker, of one that crashed, and of one that runs: then it shows an instant of a log
 * that goes on. Damage is told with file and position, and the walk goes on with what follows.
 * Never: what a crash or an append under way leaves at the end called damage; a byte written.
 */

import { posix } from "node:path";
import type { Compression } from "@minikafka/record";
import { type Disk, DiskError } from "../../env/disk.ts";
import {
  MANIFEST_FILE_NAME,
  parseFileName,
  type SegmentName,
  segmentFileName,
  segmentPath,
} from "../files/file-names.ts";
import { type Manifest, recoverySegment } from "../manifest/manifest.ts";
import type { Finding } from "./finding.ts";
import { type ReadManifest, readManifest } from "./manifest-look.ts";
import { inspectSegment, type SegmentToInspect } from "./segment-inspection.ts";
import { inspectSnapshots } from "./snapshot-inspection.ts";

export interface InspectionOptions {
  /** Segments that end below are not read, batches that end below are not told of. Default 0. */
  readonly offset?: number;
  /** Whether batches come with their records. Default false. */
  readonly withRecords?: boolean;
  /** What unpacks compressed batches; without it they are not looked into. */
  readonly compression?: Compression | undefined;
}

/** Tells of everything in a partition's folder, in the order of the offsets. What the disk refuses is told as damage. */
export function* inspectPartition(
  disk: Disk,
  folder: string,
  { offset = 0, withRecords = false, compression }: InspectionOptions = {},
): Generator<Finding> {
  const read = readManifest(disk, folder);
  yield read.finding;
  const manifest = read.manifest;
  const names = segmentsIn(disk, folder, manifest);
  yield* missingSegments(disk, folder, read, names);
  let endsAt: number | null = null;
  for (const [place, name] of names.entries()) {
    const following = names[place + 1];
    if (following !== undefined && following.baseOffset <= offset) continue;
    const { baseOffset, generation } = name;
    const file = segmentPath(folder, name);
    if (endsAt !== null && endsAt !== baseOffset) yield gap(file, { endsAt, baseOffset, manifest });
    try {
      const isLast = following === undefined;
      const segment: SegmentToInspect = {
        disk,
        folder,
        baseOffset,
        generation,
        isLast,
        manifest,
        offset,
        withRecords,
        compression,
      };
      endsAt = yield* inspectSegment(segment);
    } catch (problem) {
      if (!(problem instanceof DiskError)) throw problem;
      endsAt = null;
      if (isGivenUp(disk, folder, name)) continue;
      yield { kind: "damage", file, position: null, problem: problem.message };
    }
  }
  if (manifest !== null) yield* inspectSnapshots(disk, folder, manifest);
}

/** The partitions at or below `folder`: itself, or those of a broker's folder, or of a whole data folder. By path. */
export function partitionFolders(disk: Disk, folder: string): string[] {
  return foldersIn(disk, folder, 2);
}

function foldersIn(disk: Disk, folder: string, depth: number): string[] {
  const entries = disk.readFolder(folder);
  const isPartition = entries.some(
    ({ name, kind }) => kind === "file" && (name === MANIFEST_FILE_NAME || parseFileName(name) !== null),
  );
  if (isPartition) return [folder];
  if (depth === 0) return [];
  return entries
    .filter(({ kind }) => kind === "folder")
    .flatMap(({ name }) => foldersIn(disk, posix.join(folder, name), depth - 1));
}

/** Those that count, as far as the manifest tells, and those behind it. */
export function segmentsIn(disk: Disk, folder: string, manifest: Manifest | null): SegmentName[] {
  const files = disk.readFolder(folder).filter(({ kind }) => kind === "file");
  const numbered = files.flatMap(({ name }) => parseFileName(name) ?? []);
  const segments = numbered.filter(({ kind }) => kind === "segment");
  if (manifest === null) return segments;
  const counted = new Set(namedBy(manifest).map(segmentFileName));
  return segments.filter((name) => {
    const fileName = segmentFileName(name);
    return counted.has(fileName) || (isBehind(name, manifest) && !manifest.obsolete.includes(fileName));
  });
}

/** Whether recovery would look at it. What no manifest names below the recovery point is foreign. */
function isBehind({ baseOffset, generation }: SegmentName, { recoveryPoint }: Manifest): boolean {
  return generation === 0 && baseOffset > recoveryPoint.segmentBaseOffset;
}

function namedBy({ sealed, recoveryPoint }: Manifest): SegmentName[] {
  return [...sealed, recoverySegment(recoveryPoint)];
}

/** Files that the manifest names and the folder has not. */
function* missingSegments(
  disk: Disk,
  folder: string,
  { manifest }: ReadManifest,
  present: readonly SegmentName[],
): Generator<Finding> {
  if (manifest === null) return;
  const known = new Set(present.map(segmentFileName));
  for (const name of namedBy(manifest)) {
    if (known.has(segmentFileName(name)) || isGivenUp(disk, folder, name)) continue;
    const problem = "it is missing; the manifest names it";
    yield { kind: "damage", file: segmentPath(folder, name), position: null, problem };
  }
}

/** Whether the log has given a file up since we read that it counts: a log that runs goes on while it is looked at. */
function isGivenUp(disk: Disk, folder: string, name: SegmentName): boolean {
  const fileName = segmentFileName(name);
  if (disk.stat(posix.join(folder, fileName)) !== null) return false;
  const { manifest } = readManifest(disk, folder);
  return manifest !== null && !namedBy(manifest).map(segmentFileName).includes(fileName);
}

/** A segment that does not begin where the one before it ended. */
function gap(
  file: string,
  { endsAt, baseOffset, manifest }: { endsAt: number; baseOffset: number; manifest: Manifest | null },
): Finding {
  const problem = `it begins at offset ${baseOffset}; the segment before it ends at ${endsAt}`;
  // Behind the recovery point recovery removes what does not continue.
  const isTail = manifest !== null && baseOffset > manifest.recoveryPoint.segmentBaseOffset;
  return isTail
    ? { kind: "tail", file, position: 0, problem }
    : { kind: "damage", file, position: 0, problem };
}
