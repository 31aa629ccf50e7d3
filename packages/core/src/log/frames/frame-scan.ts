/**
 * A walk over the frames of a file, in order: what recovery, the rebuilding of indexes and the search for damage do.
 *
 * Invariants: each frame begins where the one before it ended and carries the offset that is next; the walk ends at the
 * first that does not, and says why.
 */
import {
  type BatchHeader,
  frameProblem,
  HEADER_BYTES,
  prefixProblem,
  readBatchHeader,
} from "@minikafka/record";
import type { DiskFile } from "../../env/disk.ts";
import { LIMITS } from "../../limits.ts";
import { FrameWindow } from "./frame-window.ts";

export interface ScanRange {
  readonly from: number;
  readonly end: number;
  /** The offset of the frame at `from`. */
  readonly offset: number;
  readonly frameBytesMax: number;
  /** "whole": every byte is checked against the CRC. "headers": only magic, size and offset are, and the rest isn't read. */
  readonly check: "whole" | "headers";
  /** What one read takes at least. Default: what suits a walk over the whole file. */
  readonly chunkBytes?: number;
}

export interface ScannedFrame {
  readonly position: number;
  readonly header: BatchHeader;
}

export interface ScanEnd {
  /** Behind the last good frame. */
  readonly position: number;
  readonly nextOffset: number;
  /** Why the walk ended before the range did, or `null`. */
  readonly problem: string | null;
}

/** Calls `visit` for each good frame of the range until it returns false. */
export function scanFrames(
  file: DiskFile,
  range: ScanRange,
  visit: (frame: ScannedFrame) => boolean,
): ScanEnd {
  const { scanChunkBytes, headerChunkBytes } = LIMITS;
  const { end, chunkBytes = range.check === "whole" ? scanChunkBytes : headerChunkBytes } = range;
  const window = new FrameWindow(file, { end, chunkBytes });
  let position = range.from;
  let nextOffset = range.offset;
  while (position < range.end) {
    const header = headerAt(window, position, range);
    if (typeof header === "string") return { position, nextOffset, problem: header };
    const problem = orderProblem(header, nextOffset);
    if (problem !== null) return { position, nextOffset, problem };
    if (!visit({ position, header })) break;
    position += header.frameBytes;
    nextOffset = header.nextOffset;
  }
  return { position, nextOffset, problem: null };
}

/** The header of the frame at `position`, or why there is none. */
function headerAt(
  window: FrameWindow,
  position: number,
  { end, frameBytesMax, check }: ScanRange,
): BatchHeader | string {
  const at = window.reach(position, HEADER_BYTES);
  const problem = prefixProblem(window.bytes, at, frameBytesMax);
  if (problem !== null) return problem;
  const header = readBatchHeader(window.bytes, at);
  if (check === "whole") {
    // reach() may put other bytes in the place of those that were there.
    const start = window.reach(position, header.frameBytes);
    return frameProblem(window.bytes, start, frameBytesMax) ?? header;
  }
  const available = end - position;
  return header.frameBytes <= available
    ? header
    : `the frame says ${header.frameBytes} bytes, only ${available} are there`;
}

/** Why a frame cannot stand where `nextOffset` is expected. Stale bytes of an earlier life look like frames but for this. */
export function orderProblem(header: BatchHeader, nextOffset: number): string | null {
  if (header.baseOffset !== nextOffset)
    return `the batch has base offset ${header.baseOffset}, expected ${nextOffset}`;
  if (header.nextOffset <= header.baseOffset)
    return `the batch of offset ${header.baseOffset} ends at ${header.nextOffset}`;
  return null;
}
