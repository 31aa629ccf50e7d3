/** Whether a batch may still go into a segment: by its size, and by its age. */
import { UINT32_MAX } from "../indexes/offset-index.ts";

interface Room {
  readonly baseOffset: number;
  readonly sizeBytes: number;
}

interface AddedBatches {
  readonly addedBytes: number;
  /** Behind the last of them. */
  readonly nextOffset: number;
}

/** Whether batches of these numbers may still go behind those of `segment`. Positions and relative offsets in the index are u32. */
export function hasRoomBehind(
  { baseOffset, sizeBytes }: Room,
  { addedBytes, nextOffset }: AddedBatches,
  segmentBytes: number,
): boolean {
  const end = sizeBytes + addedBytes;
  return end <= segmentBytes && end <= UINT32_MAX && nextOffset - baseOffset <= UINT32_MAX;
}

/**
 * Whether a batch of `timestampMs` is too late for a segment, by Kafka's rule (LogSegment.shouldRoll): later than its first
 * batch by more than segment.ms. `firstTimestampMs`: of that batch; `null` or negative where there is none, or it has no time.
 */
export function isTooLate(timestampMs: number, firstTimestampMs: number | null, segmentMs: number): boolean {
  return firstTimestampMs !== null && firstTimestampMs >= 0 && timestampMs - firstTimestampMs > segmentMs;
}
