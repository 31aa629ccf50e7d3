/**
 * A search among the batches of one segment, from where an index says to begin: what the searches for an offset and for a
 * time have in common.
 *
 * Invariants: an index that says what is not there is made anew once, and then asked again; what is still not there then is
 * damage of the segment, and named with its position.
 */
import type { ScannedFrame } from "../frames/frame-scan.ts";
import type { IndexHit } from "../indexes/offset-index.ts";
import type { LookupSegment, LookupStep } from "../segment/lookup.ts";
import { damage } from "../segment/segment-reader.ts";

/** An index named something that is not there. */
export interface FalseEntry {
  readonly falseEntry: string;
  /** Where it should have been, in the file and in the log. */
  readonly position: number;
  readonly offset: number;
}

export type FoundFrame = { readonly frame: ScannedFrame | null } | FalseEntry;

/** What to do with a batch: go on behind it, take it, end without one; or what is false about an index, in words. */
export type Verdict = "next" | "take" | "stop" | { readonly isFalse: string };

export interface ScanRequest {
  /** Must be a batch itself. */
  readonly hit: IndexHit;
  /** "whole": what is stepped over is checked byte by byte. "headers": only that it leads from one batch to the next. */
  readonly check: "whole" | "headers";
  readonly judge: (frame: ScannedFrame) => Verdict;
}

/** What `judge` takes of the batches from `hit` on. Throws STORAGE_ERROR for damage on the way, DiskError. */
export function scanSegment(
  segment: LookupSegment,
  steps: LookupStep[],
  { hit, check, judge }: ScanRequest,
): FoundFrame {
  const { baseOffset } = segment;
  if (hit.position > 0) steps.push({ kind: "offset_index", segment: baseOffset, ...hit });
  let batches = 0;
  let taken: ScannedFrame | null = null;
  let isFalse: FalseEntry | null = null;
  const visit = (frame: ScannedFrame): boolean => {
    batches += 1;
    const verdict = judge(frame);
    if (verdict === "take") taken = frame;
    else if (typeof verdict === "object")
      isFalse = falseEntry(verdict.isFalse, { offset: frame.header.baseOffset }, frame.position);
    return verdict === "next";
  };
  const end = segment.scan(hit, visit, check);
  steps.push({ kind: "scan", segment: baseOffset, position: hit.position, batches });
  if (isFalse !== null) return isFalse;
  if (end.problem === null) return { frame: taken };
  // The first batch is where it is, whatever an index says; and where the right batch is damaged, no index is false.
  const isFalseHit = end.position === hit.position && hit.position > 0;
  if (isFalseHit && segment.headerAt(hit.position)?.baseOffset !== hit.offset)
    return falseEntry(end.problem, hit, hit.position);
  const { position, problem, nextOffset } = { ...end, ...firstProblem(segment, hit, end.position) };
  throw damage({ file: segment }, { position, problem: problem ?? "" }, nextOffset);
}

/** A false size leads to where no batch begins: the first damaged batch before `position` is the one to name, if there is one. */
function firstProblem(segment: LookupSegment, hit: IndexHit, position: number) {
  const end = segment.scan(hit, (frame) => frame.position < position);
  return end.problem === null ? {} : end;
}

/** What `search` finds. An index that turns out to be false on the way is made anew, once. */
export function withTrueIndex(
  segment: LookupSegment,
  steps: LookupStep[],
  search: () => FoundFrame,
): ScannedFrame | null {
  const first = search();
  if ("frame" in first) return first.frame;
  steps.push({ kind: "index_refused", segment: segment.baseOffset, problem: first.falseEntry });
  segment.distrust(first.falseEntry);
  const second = search();
  if ("frame" in second) return second.frame;
  // An index that was just made anew is true. The segment is not.
  throw damage({ file: segment }, { position: second.position, problem: second.falseEntry }, second.offset);
}

export function falseEntry(problem: string, { offset }: { offset: number }, position: number): FalseEntry {
  return { falseEntry: problem, position, offset };
}
