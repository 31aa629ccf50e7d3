/** The aborted transactions of a part of a log, told by the abort markers in it and behind it. */
import { readMarker } from "@minikafka/record";
import { storageError } from "../../errors.ts";
import type { AbortedTransaction } from "../indexes/aborted-index.ts";
import type { SegmentList } from "../segment/segment-list.ts";

interface OffsetSpan {
  readonly fromOffset: number;
  readonly endOffset: number;
}

/** By first offset. Throws STORAGE_ERROR for damage, DiskError. */
export function findAborted(
  segments: SegmentList,
  { fromOffset, endOffset }: OffsetSpan,
): AbortedTransaction[] {
  const found: AbortedTransaction[] = [];
  for (const segment of segments.all()) {
    if (segment.nextOffset <= fromOffset) continue;
    const { position, problem } = segment.scan({ offset: segment.baseOffset, position: 0 }, (frame) => {
      const { control, baseOffset: lastOffset, producerId } = frame.header;
      if (control !== "abort" || lastOffset < fromOffset) return true;
      const firstOffset = readMarker(segment.bytesOf(frame))?.firstOffset;
      if (firstOffset !== undefined && firstOffset < endOffset)
        found.push({ producerId, firstOffset, lastOffset });
      return true;
    });
    if (problem !== null) throw storageError(problem, { file: segment.path, position });
  }
  return found.sort((one, other) => one.firstOffset - other.firstOffset);
}
