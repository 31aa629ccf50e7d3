/**
 * What to do after a sync that failed, across a restart.
 *
 * Systems take pages for written whose writing failed, and go on showing them: a later sync succeeds without them, and
 * only a power cut tells. So the process whose sync failed leaves a mark in the folder. The mark need not be durable:
 * it is in the same memory as the pages in doubt, and gone when they are. Whoever opens the folder next finds it, writes
 * everything anew that may be in doubt, into new files, and syncs that. A disk that refuses the mark too is asked again with
 * every write that is refused for it (cluster/broker-health.ts).
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

export function isFailedSync(problem: unknown): boolean {
  return problem instanceof DiskError && SYNCS.includes(problem.operation) && !isOutOfDescriptors(problem);
}

/** Leaves the mark. Returns why it could not be left, or `null`. */
export function markDoubt({ env, folder }: LogContext): string | null {
  try {
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

/** Where the mark lies. Where the disk does not take it, whoever runs the broker may leave it by hand. */
export function doubtPath(folder: string): string {
  return posix.join(folder, DOUBT_FILE_NAME);
}
