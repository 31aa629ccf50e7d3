/** Whether a pass over one open log is due, and over what: the log's numbers, given to compaction-plan.ts. Changes nothing. */
import { onDisk } from "../../env/disk-answer.ts";
import type { LogParts } from "../parts/log-parts.ts";
import type { Segment } from "../segment/segment.ts";
import { bytesOf, type CompactionPlan, isHeld, planCompaction } from "./compaction-plan.ts";
import type { CompactionRequest } from "./compaction-request.ts";

/** What a pass is about to go over. */
export interface PassFacts {
  readonly firstDirtyOffset: number;
  readonly cleanEnd: number;
  readonly dirtyRatio: number;
  readonly segments: number;
  readonly bytes: number;
}

export interface DueCompaction {
  readonly plan: CompactionPlan<Segment>;
  readonly facts: PassFacts;
}

/** Nothing but tombstones or markers whose time is over would be dropped, and a replica may lack those. */
export interface HeldCompaction {
  readonly plan: null;
  readonly firstDirtyOffset: number;
  readonly copiedEnd: number;
  /** Since when. */
  readonly horizonMs: number;
}

export type CompactionQuestion = Pick<
  CompactionRequest,
  "nowMs" | "cleanEnd" | "copiedEnd" | "minCleanableDirtyRatio"
>;

/** `null` when none is due, or the topic is not compacted. Throws STORAGE_ERROR. */
export function dueCompaction(
  { context, segments, keeper, producers }: LogParts,
  request: CompactionQuestion,
): DueCompaction | HeldCompaction | null {
  const { config } = context;
  if (!config.compacts) return null;
  const { firstDirtyOffset, nextHorizonMs, logStartOffset } = keeper.manifest;
  const { nowMs, copiedEnd, minCleanableDirtyRatio = config.minCleanableDirtyRatio } = request;
  // Nobody knows yet whether the records of an open transaction count.
  const unstable = producers.transactions.firstUnstableOffset(request.cleanEnd, logStartOffset);
  const cleanEnd = Math.min(request.cleanEnd, unstable ?? request.cleanEnd);
  const facts = {
    ...{ firstDirtyOffset, cleanEnd, minCleanableDirtyRatio, nextHorizonMs, copiedEnd, nowMs },
    minCompactionLagMs: config.minCompactionLagMs,
    maxCompactionLagMs: config.maxCompactionLagMs,
    sealed: segments.sealed(),
  };
  // Of a setting that asks when a segment began, it is read in its first batch.
  const plan = onDisk(context.folder, () => planCompaction(facts));
  if (plan === null) {
    if (nextHorizonMs === null || !isHeld(facts)) return null;
    return { plan, firstDirtyOffset, copiedEnd, horizonMs: nextHorizonMs };
  }
  const { dirtyRatio } = plan;
  const inputs = [...plan.clean, ...plan.dirty];
  const size = { segments: inputs.length, bytes: bytesOf(inputs) };
  return { plan, facts: { firstDirtyOffset, cleanEnd, dirtyRatio, ...size } };
}
