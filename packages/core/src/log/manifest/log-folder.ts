/**
 * A partition's folder, before anything in it is believed: what lies there, and how a new one begins.
 *
 * Invariants: a folder that has a manifest has the segment that the manifest's recovery point names, from the first
 * instant on; a folder without one has no record.
 * Never: a foreign file touched; an empty log made where records are or were.
 */
import { posix } from "node:path";
import { storageError } from "../../errors.ts";
import type { LogContext } from "../context/log-context.ts";
import {
  CUT_FILE_NAME,
  DOUBT_FILE_NAME,
  isLogFileName,
  MANIFEST_FILE_NAME,
  MANIFEST_TEMPORARY_NAMES,
  type NumberedFile,
  parseFileName,
  parseSnapshotName,
  type SegmentName,
  segmentPath,
  temporaryPath,
} from "../files/file-names.ts";
import { Segment } from "../segment/segment.ts";
import { emptyExtent } from "../segment/segment-extent.ts";
import { emptyManifest, type Manifest, manifestPath, requireOwn } from "./manifest.ts";
import { manifestFile } from "./manifest-file.ts";

export interface FolderContents {
  /** Base offsets rising. */
  readonly segments: readonly SegmentName[];
  readonly indexes: readonly SegmentName[];
  readonly timeIndexes: readonly SegmentName[];
  readonly abortedIndexes: readonly SegmentName[];
  /** Segments that were being written anew. */
  readonly temporaries: readonly SegmentName[];
  /** Offsets of snapshots of producers, rising. */
  readonly snapshots: readonly number[];
  /** Paths of those that were being written. */
  readonly snapshotTemporaries: readonly string[];
  readonly hasManifest: boolean;
  readonly hasManifestTemporaries: boolean;
  /** See sync-doubt.ts. */
  readonly isInDoubt: boolean;
  /** See cut-mark.ts. */
  readonly isCutBegun: boolean;
}

const NOTHING: FolderContents = {
  segments: [],
  indexes: [],
  timeIndexes: [],
  abortedIndexes: [],
  temporaries: [],
  snapshots: [],
  snapshotTemporaries: [],
  hasManifest: false,
  hasManifestTemporaries: false,
  isInDoubt: false,
  isCutBegun: false,
};

/** What is in the folder, which may be missing. Foreign files are traced. Throws DiskError. */
export function readContents({ env, folder, place }: LogContext): FolderContents {
  if (env.disk.stat(folder) === null) return NOTHING;
  const numbered: { readonly [Kind in NumberedFile["kind"]]: SegmentName[] } = {
    segment: [],
    index: [],
    time_index: [],
    aborted_index: [],
    temporary: [],
  };
  const names: string[] = [];
  for (const { name, kind } of env.disk.readFolder(folder)) {
    const file = kind === "file" ? parseFileName(name) : null;
    if (file !== null) numbered[file.kind].push(file);
    else if (kind === "file" && isLogFileName(name)) names.push(name);
    else
      env.trace({
        kind: "foreign_file_ignored",
        brokerId: place.brokerId,
        path: posix.join(folder, name),
      });
  }
  return {
    segments: numbered.segment,
    indexes: numbered.index,
    timeIndexes: numbered.time_index,
    abortedIndexes: numbered.aborted_index,
    temporaries: numbered.temporary,
    snapshots: names.flatMap((name) => {
      const snapshot = parseSnapshotName(name);
      return snapshot === null || snapshot.isTemporary ? [] : [snapshot.offset];
    }),
    snapshotTemporaries: names
      .filter((name) => parseSnapshotName(name)?.isTemporary === true)
      .map((name) => posix.join(folder, name)),
    hasManifest: names.includes(MANIFEST_FILE_NAME),
    hasManifestTemporaries: names.some((name) => MANIFEST_TEMPORARY_NAMES.includes(name)),
    isInDoubt: names.includes(DOUBT_FILE_NAME),
    isCutBegun: names.includes(CUT_FILE_NAME),
  };
}

/**
 * The folder's manifest; with `create` a new, durable one where no record can have been. Throws STORAGE_ERROR, DiskError.
 */
export function readOrMakeManifest(
  context: LogContext,
  contents: FolderContents,
  { create }: { create: boolean },
): Manifest {
  const { folder } = context;
  const manifest = manifestFile(context).read();
  if (manifest !== null) {
    requireOwn(manifest, context);
    removeStrays(context, contents);
    return manifest;
  }
  requireNoRecords(context, contents);
  if (!create) {
    throw storageError("it is missing", {
      file: manifestPath(folder),
      expected: "the manifest of a partition that exists",
    });
  }
  return makeFolder(context, contents);
}

/** What was being written when a process died, and never counted. */
function removeStrays(context: LogContext, { temporaries, hasManifestTemporaries }: FolderContents): void {
  const { env, folder, place } = context;
  const paths = temporaries.map((name) => temporaryPath(folder, name));
  for (const path of paths) env.disk.remove(path);
  if (hasManifestTemporaries) paths.push(...manifestFile(context).removeStrays());
  for (const path of paths) env.trace({ kind: "stray_file_removed", brokerId: place.brokerId, path });
}

/** Without a manifest nobody knows what an earlier log held, so that the only harmless segment is the first, empty. */
function requireNoRecords({ env, folder }: LogContext, { segments }: FolderContents): void {
  const [first, ...others] = segments;
  if (first === undefined) return;
  const path = segmentPath(folder, first);
  const sizeBytes = env.disk.stat(path)?.sizeBytes ?? 0;
  if (first.baseOffset === 0 && first.generation === 0 && sizeBytes === 0 && others.length === 0) return;
  throw storageError(`it is missing beside ${segments.length} segments, of which the first is ${path}`, {
    file: manifestPath(folder),
    expected: "the manifest that says what of them counts",
  });
}

/** Makes the folder, and in it the empty segment with which every log begins. Nothing of it is durable. Throws DiskError. */
export function makeFirstSegment(context: LogContext): void {
  context.env.disk.makeFolder(context.folder);
  const segment = new Segment(context, emptyExtent(0));
  segment.create();
  segment.close();
}

function makeFolder(context: LogContext, { segments }: FolderContents): Manifest {
  const { env, folder } = context;
  // An empty segment of a creation that died, or that the disk refused, may have a name that no sync makes durable.
  if (segments.length > 0) env.disk.remove(segmentPath(folder, emptyExtent(0)));
  const manifest = emptyManifest(context);
  makeFirstSegment(context);
  // The manifest names the segment, so that the segment's name must not be lost alone.
  env.disk.syncFolder(folder);
  manifestFile(context).replace(manifest);
  return manifest;
}
