/**
 * Cuts off what recovery has found not to count.
 *
 * Invariant: each cut is durable before the log is used. Otherwise a later crash could lose the cut and keep what was written
 * after it, and bytes that were cut off would continue the new ones.
 */
import type { LogContext } from "../context/log-context.ts";
import { indexPaths, type SegmentName, segmentPath } from "../files/file-names.ts";
import type { Segment } from "../segment/segment.ts";
import { markCut } from "./cut-mark.ts";

export interface Tail {
  /** Kept segments with something behind their last valid batch. */
  readonly torn: readonly Segment[];
  /** Segments that continue nothing. */
  readonly dropped: readonly SegmentName[];
  readonly recovered: TailNumbers;
}

export interface TailNumbers {
  readonly logEndOffset: number;
  readonly recoveryPoint: number;
  readonly scannedBytes: number;
  readonly cutBytes: number;
  /** The first reason to cut something off, or `null`. */
  readonly problem: string | null;
}

/** Cuts `tail` off; settleCut() must follow before the log is used. Throws DiskError. */
export function cutTail(context: LogContext, { torn, dropped, recovered }: Tail): void {
  const { env, folder, place } = context;
  // A truncation that died behind a renaming left a manifest that a power cut may still take back, to one that counts what
  // is cut here.
  if (needsCut({ torn, dropped })) {
    env.disk.syncFolder(folder);
    markCut(context);
  }
  for (const segment of torn) {
    env.faults.hit("log.recovery.before_truncate", place);
    segment.cutBack();
    env.faults.hit("log.recovery.after_truncate", place);
    segment.syncNow();
  }
  for (const name of dropped) {
    env.faults.hit("log.recovery.before_remove", place);
    for (const path of indexPaths(folder, name)) if (env.disk.stat(path) !== null) removeFile(context, path);
    removeFile(context, segmentPath(folder, name));
    env.faults.hit("log.recovery.after_remove", place);
  }
  if (recovered.scannedBytes > 0 || recovered.cutBytes > 0 || dropped.length > 0)
    env.trace({ kind: "recovered", ...place, ...recovered });
}

/** Whether anything of it does not count. */
export function needsCut({ torn, dropped }: Pick<Tail, "torn" | "dropped">): boolean {
  return torn.length > 0 || dropped.length > 0;
}

function removeFile({ env, place }: LogContext, path: string): void {
  env.disk.remove(path);
  env.trace({ kind: "stray_file_removed", brokerId: place.brokerId, path });
}
