/**
 * The batches between two offsets of a log, in order, each checked: what tells of its producers and their transactions. Looks ask for it
 * as well, so that no index is made for it.
 */
import { readMarker } from "@minikafka/record";
import { storageError } from "../../errors.ts";
import type { ScanEnd, ScannedFrame } from "../frames/frame-scan.ts";
import type { EndedTransaction } from "../producers/transaction-state.ts";
import type { Segment } from "../segment/segment.ts";

export interface WalkedRange {
  /** They hold everything up to `endOffset`. */
  readonly segments: readonly Segment[];
  readonly fromOffset: number;
  readonly endOffset: number;
}

/**
 * Calls `visit` for each batch of the range, also for one that only ends there, until it returns false. Throws STORAGE_ERROR for damage,
 * DiskError.
 */
export function walkRange(
  { segments, fromOffset, endOffset }: WalkedRange,
  visit: (frame: ScannedFrame, segment: Segment) => boolean | undefined,
): void {
  let isOver = false;
  for (const segment of segments) {
    if (isOver || segment.nextOffset <= fromOffset || segment.baseOffset >= endOffset) continue;
    const { position, problem } = scanFrom(segment, fromOffset, (frame) => {
      const { baseOffset, nextOffset } = frame.header;
      if (baseOffset >= endOffset) return false;
      isOver = nextOffset > fromOffset && visit(frame, segment) === false;
      return !isOver;
    });
    if (problem !== null) throw storageError(problem, { file: segment.path, position });
    if (segment !== segments.at(-1)) segment.close();
  }
}

/** The transactions whose markers lie in the range, by these: their values say where each began. Throws as walkRange() does. */
export function endedWithin(range: WalkedRange): EndedTransaction[] {
  const ended: EndedTransaction[] = [];
  walkRange(range, (frame, segment) => {
    const { control, producerId, baseOffset: lastOffset } = frame.header;
    if (control === null) return;
    const firstOffset = readMarker(segment.bytesOf(frame))?.firstOffset ?? lastOffset;
    if (firstOffset < lastOffset) ended.push({ producerId, firstOffset, lastOffset });
  });
  return ended;
}

/** Scans from the batch of `offset`, or from one before it. An index may be wrong; the first batch is where it is. */
function scanFrom(segment: Segment, offset: number, visit: (frame: ScannedFrame) => boolean): ScanEnd {
  const beginning = { offset: segment.baseOffset, position: 0 };
  const hit = offset > segment.baseOffset ? segment.peekEntry(offset) : beginning;
  const end = segment.scan(hit, visit);
  const isFalse = end.problem !== null && end.position === hit.position && hit.position > 0;
  return isFalse ? segment.scan(beginning, visit) : end;
}
