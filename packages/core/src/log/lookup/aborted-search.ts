/** The aborted transactions of a part of a log, told by the abort markers in it and behind it. */
import type { AbortedTransaction } from "../indexes/aborted-index.ts";
import type { Segment } from "../segment/segment.ts";

/** Of a reader, and of who only looks. */
type Asked = "abortedIn" | "peekAborted";

interface OffsetSpan {
  readonly fromOffset: number;
  /** The first offset behind it. */
  readonly endOffset: number;
}

/** A log whose segments know which of them have abort markers. */
export interface SegmentsWithAborts {
  withAborts(): readonly Pick<Segment, "nextOffset" | "aborted" | Asked>[];
}

/** Those with an offset in the part, by first offset. Throws STORAGE_ERROR where damage hides a marker, DiskError. */
export function findAborted(
  segments: SegmentsWithAborts,
  { fromOffset, endOffset }: OffsetSpan,
  asked: Asked = "abortedIn",
): AbortedTransaction[] {
  const found: AbortedTransaction[] = [];
  for (const segment of segments.withAborts()) {
    const { nextOffset, aborted } = segment;
    if (nextOffset <= fromOffset || aborted === null || aborted.firstOffset >= endOffset) continue;
    for (const { producerId, firstOffset, lastOffset } of segment[asked](fromOffset, endOffset))
      found.push({ producerId, firstOffset, lastOffset });
  }
  return found.sort((one, other) => one.firstOffset - other.firstOffset);
}
