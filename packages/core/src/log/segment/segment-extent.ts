/** How far a segment reaches. */
import type { SegmentName } from "../files/file-names.ts";
import type { AbortedExtent } from "../indexes/aborted-index.ts";

export interface SegmentExtent extends SegmentName {
  readonly nextOffset: number;
  readonly sizeBytes: number;
  /** The latest timestamp of its records; -1 while it has none. */
  readonly maxTimestampMs: number;
  /** The abort markers in it; `null` for none. */
  readonly aborted: AbortedExtent | null;
}

/** Of a segment that is begun at `baseOffset`; a compaction says which generation it writes. */
export function emptyExtent(baseOffset: number, generation = 0): SegmentExtent {
  return { baseOffset, generation, nextOffset: baseOffset, sizeBytes: 0, maxTimestampMs: -1, aborted: null };
}
