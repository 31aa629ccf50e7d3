/**
 * Where a segment has to be cut so that it ends at an offset or before it, and what is known of the rest: found by the
 * indexes, each of whose answers is compared with the batches that lie there.
 *
 * Costs: a look into both indexes, and the headers of an interval or two of the segment.
 */
import type { BatchHeader } from "@minikafka/record";
import { storageError } from "../../errors.ts";
import type { ScanEnd, ScannedFrame } from "../frames/frame-scan.ts";
import type { IndexHit } from "../indexes/offset-index.ts";
import type { TimeBelow } from "../indexes/segment-times.ts";
import { latestRecordMs } from "../indexes/time-index-builder.ts";
import type { SegmentExtent } from "../segment/segment-extent.ts";

/** Every call may throw DiskError; abortedBelow() STORAGE_ERROR as well. */
export interface SegmentToCut {
  readonly path: string;
  readonly extent: SegmentExtent;
  /** A batch at or before `offset`, or the first one. To be checked. */
  entryFor(offset: number): IndexHit;
  /** To be checked. */
  timeBelow(offset: number): TimeBelow;
  /** What is known of the aborted transactions with a marker below `endOffset`. */
  abortedBelow(endOffset: number): SegmentExtent["aborted"];
  /** An entry was not true: from now on no index says the same again. */
  distrust(problem: string): void;
  /** Calls `visit` for each batch from there on, by the headers alone, until it returns false. */
  scan(from: IndexHit, visit: (frame: ScannedFrame) => boolean, check: "headers"): ScanEnd;
}

/**
 * How far `segment` would reach without the batch that holds `offset`, which must be there, and those behind it. Throws
 * STORAGE_ERROR for damage, DiskError.
 */
export function extentBelow(segment: SegmentToCut, offset: number): SegmentExtent {
  const { position: sizeBytes, nextOffset } = endBelow(segment, offset);
  const maxTimestampMs = maxTimestampBelow(segment, { nextOffset, sizeBytes });
  const aborted = segment.abortedBelow(nextOffset);
  return { ...segment.extent, nextOffset, sizeBytes, maxTimestampMs, aborted };
}

function endBelow(segment: SegmentToCut, offset: number): ScanEnd {
  for (let isSecond = false; ; isSecond = true) {
    const hit = segment.entryFor(offset);
    const end = segment.scan(hit, ({ header }) => header.nextOffset <= offset, "headers");
    if (end.problem === null) return end;
    if (isSecond || hit.position === 0) throw damaged(segment, end);
    segment.distrust(end.problem);
  }
}

/** The latest time of what is left; -1 when nothing is. */
function maxTimestampBelow(
  segment: SegmentToCut,
  left: Pick<SegmentExtent, "nextOffset" | "sizeBytes">,
): number {
  const { entry, lookBytes } = segment.timeBelow(left.nextOffset);
  const start = { offset: segment.extent.baseOffset, position: 0 };
  // Behind the last entry a later batch begins within `lookBytes`; without one, behind the beginning of the segment.
  let lookEnd = entry === null ? lookBytes : Number.POSITIVE_INFINITY;
  const found = latestUpTo(
    segment,
    entry === null ? start : segment.entryFor(entry.offset),
    (header, position) => {
      if (header.baseOffset === entry?.offset) lookEnd = position + lookBytes;
      return position < Math.min(left.sizeBytes, lookEnd);
    },
  );
  if (found.problem === null && (entry === null || found.maxTimestampMs >= entry.timestampMs))
    return found.maxTimestampMs;
  // An index is not true: all headers tell.
  const all = latestUpTo(segment, start, (_header, position) => position < left.sizeBytes);
  if (all.problem !== null) throw damaged(segment, all);
  return all.maxTimestampMs;
}

function latestUpTo(
  segment: SegmentToCut,
  from: IndexHit,
  isWanted: (header: BatchHeader, position: number) => boolean,
): ScanEnd & { readonly maxTimestampMs: number } {
  let maxTimestampMs = -1;
  const visit = ({ header, position }: ScannedFrame) => {
    if (!isWanted(header, position)) return false;
    maxTimestampMs = Math.max(maxTimestampMs, latestRecordMs(header));
    return true;
  };
  const end = segment.scan(from, visit, "headers");
  return { ...end, maxTimestampMs };
}

function damaged({ path: file }: SegmentToCut, { position, problem, nextOffset }: ScanEnd): Error {
  const expected = `the whole batch of offset ${nextOffset}`;
  return storageError(problem, { file, position, expected, details: { offset: nextOffset } });
}
