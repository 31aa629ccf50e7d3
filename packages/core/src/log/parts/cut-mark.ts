/**
 * That the end of a log is being cut off, across a restart.
 *
 * What a process cut, and died before it was durable, the next one finds gone: the log looks as if it had always ended there.
 * A power cut may still bring it back, behind what has been appended in its place. So whoever cuts leaves a mark first, and
 * whoever opens a folder with one makes durable what it sees. The mark need not be durable: it is in the same memory as the
 * cut, and where a power cut takes that, what is found is what the disk holds.
 *
 * Never: a cut without its mark; a mark removed before the cut is durable. One too many costs an open a few syncs.
 */
import { posix } from "node:path";
import { DiskError } from "../../env/disk.ts";
import type { LogContext } from "../context/log-context.ts";
import { CUT_FILE_NAME } from "../files/file-names.ts";
import type { Segment } from "../segment/segment.ts";

/** Leaves the mark. Throws DiskError; then nothing may be cut. */
export function markCut({ env, folder }: LogContext): void {
  env.disk.openFile(markPath(folder), { create: "if-missing" }).close();
}

/** Everything that was cut is durably gone. A mark that the disk keeps does no harm. */
export function unmarkCut({ env, folder }: LogContext): void {
  try {
    env.disk.remove(markPath(folder));
  } catch (problem) {
    if (!(problem instanceof DiskError)) throw problem;
  }
}

/** Makes durable where `unsealed` end, and which files are gone, whoever cut them. Throws DiskError. */
export function settleCut(context: LogContext, unsealed: readonly Segment[]): void {
  const { env, folder } = context;
  for (const segment of unsealed) segment.syncNow();
  env.disk.syncFolder(folder);
  unmarkCut(context);
  env.disk.syncFolder(folder);
}

function markPath(folder: string): string {
  return posix.join(folder, CUT_FILE_NAME);
}
