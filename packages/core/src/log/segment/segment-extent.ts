/** How far a segment reaches. */
import type { SegmentName } from "../files/file-names.ts";

export interface SegmentExtent extends SegmentName {
  readonly nextOffset: number;
  readonly sizeBytes: number;
  /** The latest timestamp of its records; -1 while it has none. */
  readonly maxTimestampMs: number;
}

/** Of a segment that is begun at `baseOffset`. */
export function emptyExtent(baseOffset: number): SegmentExtent {
  return { baseOffset, generation: 0, nextOffset: baseOffset, sizeBytes: 0, maxTimestampMs: -1 };
}
