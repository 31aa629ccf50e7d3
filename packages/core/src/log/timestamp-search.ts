/**
 * The first record of a time or later (Kafka: ListOffsets by timestamp, KIP-79). Times need not rise with the offsets: the
 * answer is the lowest offset whose record is late enough.
 *
 * Costs: one comparison for each segment, a walk over the headers of one segment, the records of one batch.
 */
import { type BatchHeader, decodeRecords } from "@minikafka/record";
import type { Segment } from "./segment.ts";
import type { SegmentList } from "./segment-list.ts";

export interface FoundTimestamp {
  readonly offset: number;
  readonly timestampMs: number;
}

export interface OffsetRange {
  readonly startOffset: number;
  /** Exclusive. */
  readonly endOffset: number;
}

/** Throws STORAGE_ERROR, DiskError. */
export function findTimestamp(
  segments: SegmentList,
  timestampMs: number,
  range: OffsetRange,
): FoundTimestamp | null {
  for (const segment of segments.all()) {
    if (segment.baseOffset >= range.endOffset) return null;
    if (segment.nextOffset <= range.startOffset || segment.maxTimestampMs < timestampMs) continue;
    segments.noteRead(segment);
    const found = findInSegment(segment, timestampMs, range);
    if (found !== null) return found;
  }
  return null;
}

function findInSegment(
  segment: Segment,
  timestampMs: number,
  { startOffset, endOffset }: OffsetRange,
): FoundTimestamp | null {
  // The first batch may hold its late record below the start of what may be read; then the search goes on behind it.
  for (let from = startOffset; ; ) {
    const batch = segment.findBatch(
      (header) => header.nextOffset > from && header.maxTimestampMs >= timestampMs,
    );
    if (batch === null || batch.baseOffset >= endOffset) return null;
    const found = findInBatch(segment, batch, timestampMs, startOffset);
    if (found !== null) return found.offset < endOffset ? found : null;
    from = batch.nextOffset;
  }
}

function findInBatch(
  segment: Segment,
  { baseOffset, nextOffset: endOffset }: BatchHeader,
  timestampMs: number,
  startOffset: number,
): FoundTimestamp | null {
  const { batches } = segment.read(baseOffset, { bytesMax: 0, endOffset });
  const record = decodeRecords(batches).find(
    (candidate) => candidate.offset >= startOffset && candidate.timestampMs >= timestampMs,
  );
  return record === undefined ? null : { offset: record.offset, timestampMs: record.timestampMs };
}
