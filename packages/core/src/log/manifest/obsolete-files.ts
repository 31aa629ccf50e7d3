/**
 * Files that a commit has made unneeded: segments that retention, a restart or a compaction took out of the log, with their
 * indexes. The manifest names them until they are gone, so that a crash between the commit and their removal leaves
 * nothing behind.
 *
 * Never: a file removed before the manifest that no longer counts it is durable; a refusal of the disk taken for a failure
 * of anything else, since what is left only takes room.
 */
import { posix } from "node:path";
import { DiskError } from "../../env/disk.ts";
import type { LogContext } from "../context/log-context.ts";
import {
  indexPaths,
  parseFileName,
  type SegmentName,
  segmentFileName,
  segmentPath,
} from "../files/file-names.ts";
import type { FolderContents } from "./log-folder.ts";
import { type Manifest, recoverySegment } from "./manifest.ts";

/** Removes the segment that is called `fileName`, and what belongs to it. Returns whether nothing of it is left. */
export function removeObsolete(context: LogContext, fileName: string): boolean {
  const { env, folder, place } = context;
  const name = parseFileName(fileName);
  const indexes = name === null ? [] : indexPaths(folder, name);
  const paths = [...indexes, posix.join(folder, fileName)];
  try {
    env.faults.hit("log.obsolete.before_remove", place);
    for (const path of paths) {
      if (env.disk.stat(path) === null) continue;
      env.disk.remove(path);
      env.trace({ kind: "obsolete_file_removed", brokerId: place.brokerId, path });
    }
    env.faults.hit("log.obsolete.after_remove", place);
    return true;
  } catch (problem) {
    if (!(problem instanceof DiskError)) throw problem;
    env.trace({ kind: "obsolete_file_kept", ...place, path: problem.path, problem: problem.message });
    return false;
  }
}

/**
 * At open: removes what the manifest calls obsolete, compacted segments that no manifest has ever counted, and empty ones
 * below the recovery point, which a restart has left that never counted. Throws DiskError when the manifest cannot be made
 * durable; then nothing was removed.
 */
export function removeLeftovers(context: LogContext, manifest: Manifest, contents: FolderContents): void {
  const { env, folder } = context;
  const { sealed, recoveryPoint, obsolete } = manifest;
  const { segments, indexes, timeIndexes, abortedIndexes } = contents;
  const names = [...segments, ...indexes, ...timeIndexes, ...abortedIndexes];
  // Of most folders nothing more has to be asked.
  if (obsolete.length === 0 && names.every(({ generation }) => generation === 0)) return;
  const counted = new Set([...sealed, recoverySegment(recoveryPoint)].map(segmentFileName));
  const isLeft = (name: SegmentName) => {
    const fileName = segmentFileName(name);
    if (obsolete.includes(fileName)) return true;
    if (counted.has(fileName)) return false;
    const isBelow = name.baseOffset < recoveryPoint.segmentBaseOffset;
    return name.generation > 0 || (isBelow && env.disk.stat(segmentPath(folder, name))?.sizeBytes === 0);
  };
  const left = names.filter(isLeft);
  if (left.length === 0) return;
  // A process that died behind the renaming left a manifest that a power cut may still take back, to one that counts them.
  env.disk.syncFolder(folder);
  for (const fileName of new Set(left.map(segmentFileName))) removeObsolete(context, fileName);
}
