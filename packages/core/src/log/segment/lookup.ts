/**
 * What a search for an offset or a time needs of a log, and what it tells of its way: the same for a log that is open
 * (segment.ts) and for a folder that is only looked at (folder-lookup.ts).
 */
import type { BatchHeader, Compression } from "@minikafka/record";
import { assert } from "../../assert.ts";
import type { ScanEnd, ScannedFrame, ScanRange } from "../frames/frame-scan.ts";
import type { IndexHit } from "../indexes/offset-index.ts";
import type { TimedOffset, TimeSpan } from "../indexes/segment-times.ts";

/** A segment as a search sees it. Every call may throw DiskError. */
export interface LookupSegment {
  readonly path: string;
  readonly baseOffset: number;
  readonly nextOffset: number;
  readonly sizeBytes: number;
  /** The latest timestamp of its records; -1 while it has none. */
  readonly maxTimestampMs: number;
  /** What unpacks its compressed batches, if something does. */
  readonly compression: Compression | undefined;
  /** Where to begin to look for `offset`: an entry of the offset index, or the first batch. To be checked. */
  entryFor(offset: number): IndexHit;
  /** Between which entries of the time index to look. To be checked. */
  timeSpan(timestampMs: number): TimeSpan;
  /** An entry was not true: from now on no index says the same again. */
  distrust(problem: string): void;
  /** What the header of the frame at `position` says, damaged or not; `null` when none begins there. */
  headerAt(position: number): BatchHeader | null;
  /** Calls `visit` for each batch from there on until it returns false. `check` as in ScanRange; default "whole". */
  scan(from: IndexHit, visit: (frame: ScannedFrame) => boolean, check?: ScanRange["check"]): ScanEnd;
  /** The bytes of a batch that scan() told of. */
  bytesOf(frame: ScannedFrame): Buffer;
}

export interface LookupLog<Segment extends LookupSegment = LookupSegment> {
  /** Oldest first; they join without a gap. */
  all(): readonly Segment[];
}

/** One step of a search, in the order in which they were taken. `segment` is the base offset of the one it concerns. */
export type LookupStep =
  /** A segment's bounds were compared with what is sought, and it was `taken`, or not. */
  | {
      readonly kind: "segment";
      readonly segment: number;
      readonly nextOffset: number;
      readonly maxTimestampMs: number;
      readonly taken: boolean;
    }
  /** The time index says: the first batch that is late enough lies behind `after`, and is `until` at the latest. */
  | {
      readonly kind: "time_index";
      readonly segment: number;
      readonly after: TimedOffset | null;
      readonly until: TimedOffset | null;
    }
  /** The offset index says where to begin; position 0 when it has no entry that is near enough. */
  | {
      readonly kind: "offset_index";
      readonly segment: number;
      readonly offset: number;
      readonly position: number;
    }
  /** So many batches were looked at from `position` on. */
  | { readonly kind: "scan"; readonly segment: number; readonly position: number; readonly batches: number }
  /** An index said what the batches don't. */
  | { readonly kind: "index_refused"; readonly segment: number; readonly problem: string };

/** A batch that was found. */
export interface LocatedBatch extends ScannedFrame {
  readonly segment: LookupSegment;
}

/**
 * The segment that holds `offset`, or the last one when `offset` lies behind all. `compared` is told of those that were
 * looked at on the way.
 */
export function segmentHolding<Segment extends { readonly baseOffset: number }>(
  segments: readonly Segment[],
  offset: number,
  compared?: (segment: Segment) => void,
): Segment {
  let below = 0;
  let above = segments.length;
  while (above - below > 1) {
    const middle = (below + above) >>> 1;
    const segment = segments[middle];
    if (segment !== undefined) compared?.(segment);
    if ((segment?.baseOffset ?? 0) <= offset) below = middle;
    else above = middle;
  }
  const segment = segments[below];
  assert(segment !== undefined && segment.baseOffset <= offset, `no segment holds offset ${offset}`);
  return segment;
}
