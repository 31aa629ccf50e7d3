/** Both indexes of a segment made anew, in one walk over its batches. */
import type { BatchHeader } from "@minikafka/record";
import { OffsetIndex } from "./offset-index.ts";
import type { TimedSegment } from "./segment-times.ts";
import type { TimeIndexBuilder } from "./time-index-builder.ts";

/** What an index needs of its segment. */
export interface IndexedSegment extends TimedSegment {
  /**
   * Tells of each batch from the beginning up to `end`, or up to where none can be told from the next. `isSound` as long
   * as no batch is damaged: what the header of a damaged one says is good for a hint at best. Throws DiskError.
   */
  walk(end: number, visit: (header: BatchHeader, position: number, isSound: boolean) => void): WalkEnd;
}

export interface WalkEnd {
  readonly position: number;
  /** Whether every batch up to there is sound. */
  readonly isSound: boolean;
}

/** Both indexes as a walk found them. */
export interface WalkedIndexes extends WalkEnd {
  readonly offsets: OffsetIndex;
  readonly times: TimeIndexBuilder;
}

interface IndexWalk {
  /** How much of the segment is walked over. */
  readonly end: number;
  readonly intervalBytes: number;
  /** Empty. */
  readonly times: TimeIndexBuilder;
}

/** Throws DiskError. */
export function walkIndexes(
  segment: IndexedSegment,
  { end, intervalBytes, times }: IndexWalk,
): WalkedIndexes {
  const offsets = new OffsetIndex();
  const walked = segment.walk(end, (header, position, isSound) => {
    if (isSound) times.note(header, position);
    if (!isEntryDue(offsets, position, intervalBytes)) return;
    offsets.add({ relativeOffset: header.baseOffset - segment.baseOffset, position });
  });
  return { offsets, times, ...walked };
}

/** Whether a batch at `position` is so far behind the last entry that it gets one. */
export function isEntryDue(offsets: OffsetIndex, position: number, intervalBytes: number): boolean {
  return position - offsets.last.position >= intervalBytes;
}
