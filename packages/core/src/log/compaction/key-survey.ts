/**
 * The first half of a pass: reads the part of a log that is not clean, and notes the latest offset of each key. When the
 * keys' memory is full the survey ends there, and the pass covers what was read: the next one goes on behind it. Kafka:
 * building the offset map.
 */
import { type BatchHeader, RecordCursor } from "@minikafka/record";
import type { LogContext } from "../context/log-context.ts";
import { plainOrNull } from "../frames/unpacked.ts";
import type { Segment } from "../segment/segment.ts";
import { SegmentSource } from "../segment/segment-source.ts";
import type { KeyOffsetMap } from "./key-offset-map.ts";
import type { Pace } from "./pace.ts";
import type { TransactionWatch } from "./transaction-watch.ts";

export interface SurveyParts {
  readonly context: LogContext;
  readonly latest: KeyOffsetMap;
  readonly transactions: TransactionWatch;
  /** Where the part that is not clean begins. */
  readonly firstDirtyOffset: number;
  readonly pace: Pace;
}

/**
 * Reads `segments`, oldest first, from the first dirty offset on, and returns the first offset that was not covered. Throws
 * STORAGE_ERROR with the place of damage, DiskError.
 */
export async function surveyKeys(parts: SurveyParts, segments: readonly Segment[]): Promise<number> {
  for (const segment of segments) {
    const coveredEnd = await surveySegment(parts, segment);
    if (coveredEnd !== null) return coveredEnd;
  }
  return Math.max(parts.firstDirtyOffset, segments.at(-1)?.nextOffset ?? 0);
}

async function surveySegment(parts: SurveyParts, segment: Segment): Promise<number | null> {
  const source = new SegmentSource(parts.context, segment, parts.pace.chunkBytes);
  try {
    for (let found = source.next(); found !== null; found = source.next()) {
      const full = surveyBatch(parts, found.frame, found.header);
      if (full !== null) return full;
      if (parts.pace.isDue(found.frame.length)) await parts.pace.rest();
    }
    return null;
  } finally {
    source.close();
  }
}

/** The offset of the first key that did not fit, or `null`. */
function surveyBatch(
  { context, latest, transactions, firstDirtyOffset, pace }: SurveyParts,
  frame: Buffer,
  header: BatchHeader,
): number | null {
  const hasKeys =
    header.nextOffset > firstDirtyOffset &&
    header.control === null &&
    !transactions.isAborted(header) &&
    !transactions.isOpen(header);
  if (!hasKeys) return null;
  // Batches that cannot be unpacked have no say, and are kept whole.
  const plain = plainOrNull(frame, header, context.env.compression);
  if (plain === null) return null;
  pace.note(Math.max(0, plain.length - frame.length));
  for (const cursor = new RecordCursor(plain); cursor.next(); ) {
    const offset = header.baseOffset + cursor.offsetDelta;
    if (!cursor.hasKey || offset < firstDirtyOffset) continue;
    if (!latest.put(plain, cursor.keyStart, cursor.keyEnd, offset)) return offset;
  }
  return null;
}
