/**
 * The first record of a time or later (Kafka: ListOffsets by timestamp, KIP-79). Times need not rise with the offsets: the
 * answer is the lowest offset whose record is late enough.
 *
 * Costs: one comparison for each segment; in one segment a search in each index and, from there, the batches of at most two
 * intervals of each; the records of one batch. Only in a segment whose latest records lie below `startOffset`, so that what
 * its time index says of them is of no use, every batch from there on is looked at.
 */
import { decodeRecords } from "@minikafka/record";
import type { ScannedFrame } from "../frames/frame-scan.ts";
import { requireUnpacked } from "../frames/unpacked.ts";
import { latestRecordMs } from "../indexes/time-index-builder.ts";
import type { LocatedBatch, LookupLog, LookupSegment, LookupStep } from "../segment/lookup.ts";
import { damage } from "../segment/segment-reader.ts";
import { scanSegment, withTrueIndex } from "./segment-scan.ts";
import { TimeSpanSearch } from "./time-span-search.ts";

export interface FoundTimestamp {
  readonly offset: number;
  readonly timestampMs: number;
}

export interface LocatedTimestamp extends FoundTimestamp {
  readonly batch: LocatedBatch;
  /** Its place among the records of the batch, from 0. */
  readonly place: number;
}

export interface OffsetRange {
  readonly startOffset: number;
  /** Exclusive. */
  readonly endOffset: number;
}

interface Sought extends OffsetRange {
  readonly timestampMs: number;
  readonly steps: LookupStep[];
}

/** `steps` takes what was done on the way. Throws STORAGE_ERROR, DiskError. */
export function findTimestamp<Segment extends LookupSegment>(
  log: LookupLog<Segment>,
  timestampMs: number,
  range: OffsetRange,
  steps: LookupStep[] = [],
): LocatedTimestamp | null {
  const sought = { ...range, timestampMs, steps };
  for (const segment of log.all()) {
    if (segment.baseOffset >= range.endOffset) return null;
    const { baseOffset, nextOffset, maxTimestampMs } = segment;
    const taken = nextOffset > range.startOffset && maxTimestampMs >= timestampMs;
    steps.push({ kind: "segment", segment: baseOffset, nextOffset, maxTimestampMs, taken });
    if (!taken) continue;
    const found = findInSegment(segment, sought);
    if (found !== null) return found;
  }
  return null;
}

function findInSegment(segment: LookupSegment, sought: Sought): LocatedTimestamp | null {
  let from = sought.startOffset;
  let frame = firstByTimeIndex(segment, sought);
  for (;;) {
    // The first batch may hold its late record below the start of what may be read; then the search goes on behind it.
    if (frame !== null && frame.header.nextOffset <= from) frame = firstFrom(segment, from, sought);
    if (frame === null || frame.header.baseOffset >= sought.endOffset) return null;
    const found = findInBatch(segment, frame, sought);
    if (found !== null) return found.offset < sought.endOffset ? found : null;
    from = frame.header.nextOffset;
  }
}

/** The first batch of the segment that is late enough. */
function firstByTimeIndex(segment: LookupSegment, { timestampMs, steps }: Sought): ScannedFrame | null {
  const search = new TimeSpanSearch(segment, timestampMs, steps);
  return withTrueIndex(segment, steps, () => search.run());
}

/** The first batch that ends behind `from` and is late enough. */
function firstFrom(segment: LookupSegment, from: number, sought: Sought): ScannedFrame | null {
  const { timestampMs, endOffset, steps } = sought;
  const judge = ({ header }: ScannedFrame) => {
    if (header.baseOffset >= endOffset) return "stop";
    return header.nextOffset > from && latestRecordMs(header) >= timestampMs ? "take" : "next";
  };
  return withTrueIndex(segment, steps, () =>
    scanSegment(segment, steps, { hit: segment.entryFor(from), check: "whole", judge }),
  );
}

function findInBatch(
  segment: LookupSegment,
  frame: ScannedFrame,
  { startOffset, timestampMs }: Sought,
): LocatedTimestamp | null {
  const { position, header } = frame;
  const plain = requireUnpacked(segment.bytesOf(frame), segment.compression, (problem) =>
    damage({ file: segment }, { position, problem }, header.baseOffset),
  );
  const records = decodeRecords(plain);
  const place = records.findIndex(
    (candidate) => candidate.offset >= startOffset && candidate.timestampMs >= timestampMs,
  );
  const record = records[place];
  if (record === undefined) return null;
  const { offset, timestampMs: found } = record;
  return { offset, timestampMs: found, batch: { ...frame, segment }, place };
}
