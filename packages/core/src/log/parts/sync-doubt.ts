/**
 * What to do after a sync that failed, across a restart.
 *
 * Systems take pages for written whose writing failed, and go on showing them: a later sync succeeds without them, and
 * only a power cut tells. So the process whose sync failed leaves a mark in the folder. The mark need not be durable:
 * it is in the same memory as the pages in doubt, and gone when they are. Whoever opens the folder next finds it, writes
 * everything anew that may be in doubt, into new files, and syncs that. A disk that refuses the mark too is asked again, and the error
 * says how to leave it by hand (cluster/broker-health.ts).
 *
 * Never: a guarantee for a process that is killed between the failure and its mark. Only a mark before each sync would
 * give one, and would cost every flush.
 */
import { posix } from "node:path";
import { DiskError, type DiskOperationName, isOutOfDescriptors } from "../../env/disk.ts";
import type { LogContext } from "../context/log-context.ts";
import { DOUBT_FILE_NAME } from "../files/file-names.ts";
import type { Manifest } from "../manifest/manifest.ts";
import { manifestFile } from "../manifest/manifest-file.ts";
import type { Segment } from "../segment/segment.ts";

const SYNCS: readonly DiskOperationName[] = ["sync", "syncFolder"];

export function isFailedSync(problem: unknown): problem is DiskError {
  return problem instanceof DiskError && SYNCS.includes(problem.operation) && !isOutOfDescriptors(problem);
}

/**
 * Told that the mark for the next opening could not be left. `leaveMark` tries again, and tells whether there is nothing left to try.
 */
export type OnUnmarked = (leaveMark: () => boolean) => void;

/** Leaves the mark for `problem`. Returns what is to be said of it: where the disk refuses the mark as well, what to do. */
export function noteDoubt(context: LogContext, problem: string, onUnmarked: OnUnmarked): string {
  const unmarked = markDoubt(context);
  if (unmarked === null) return problem;
  onUnmarked(() => markDoubt(context) === null);
  return `${problem}; nor could it be noted for the next start yet (${unmarked}): if the process is killed now, create the empty file ${doubtPath(context.folder)} before you start it`;
}

/** Returns why the mark could not be left, or `null`: it is there, or the folder is gone, and with it what was in doubt. */
function markDoubt({ env, folder }: LogContext): string | null {
  try {
    if (env.disk.stat(folder) === null) return null;
    env.disk.openFile(doubtPath(folder), { create: "if-missing" }).close();
    return null;
  } catch (problem) {
    if (problem instanceof DiskError) return problem.message;
    throw problem;
  }
}

/** Makes `unsealed` and the manifest durable as files that no failed sync has seen. Throws STORAGE_ERROR, DiskError. */
export function settleDoubt(context: LogContext, manifest: Manifest, unsealed: readonly Segment[]): void {
  const { env, folder } = context;
  for (const segment of unsealed) segment.renew();
  // Its own folder sync covers the names of the segments as well.
  manifestFile(context).replace(manifest);
  env.disk.remove(doubtPath(folder));
}

function doubtPath(folder: string): string {
  return posix.join(folder, DOUBT_FILE_NAME);
}
