/**
 * The first batch of one segment that is late enough, by way of its time index.
 *
 * Invariants: every entry that is used is compared with the batch that it leads to; every batch that is looked at is checked
 * byte by byte, since a damaged timestamp would give a wrong answer in silence.
 */
import type { ScannedFrame } from "./frame-scan.ts";
import type { LookupSegment, LookupStep, TimedOffset } from "./lookup.ts";
import type { IndexHit } from "./segment-index.ts";
import { damage } from "./segment-reader.ts";
import type { TimeEntry } from "./time-index.ts";
import { latestRecordMs } from "./time-index-builder.ts";

/** An index named something that is not there. */
export interface FalseEntry {
  readonly falseEntry: string;
  /** Where it should have been, in the file and in the log. */
  readonly position: number;
  readonly offset: number;
}

export type FoundFrame = { readonly frame: ScannedFrame | null } | FalseEntry;

/** What to do with a batch: go on behind it, take it, end without one; or what is false about an index, in words. */
type Verdict = "next" | "take" | "stop" | { readonly isFalse: string };

export class TimeSpanSearch {
  readonly #segment: LookupSegment;
  readonly #timestampMs: number;
  readonly #steps: LookupStep[];

  constructor(segment: LookupSegment, timestampMs: number, steps: LookupStep[]) {
    this.#segment = segment;
    this.#timestampMs = timestampMs;
    this.#steps = steps;
  }

  /** Throws STORAGE_ERROR for damage on the way, DiskError. */
  run(): FoundFrame {
    const span = this.#segment.timeSpan(this.#timestampMs);
    const [after, until] = [this.#whole(span.after), this.#whole(span.until)];
    this.#steps.push({ kind: "time_index", segment: this.#segment.baseOffset, after, until });
    // Where `after` begins; known at once when it is the beginning of the segment.
    let lookFrom = after === null ? 0 : null;
    let isPassed = false;
    const near = this.scanFrom(this.#start(after), ({ position, header }) => {
      if (lookFrom === null && after !== null) {
        if (header.baseOffset < after.offset) return "next";
        lookFrom = position;
        return isAt(header, after) ? "next" : { isFalse: toldFalse(after) };
      }
      if (latestRecordMs(header) >= this.#timestampMs) return "take";
      if (until === null) return "next";
      if (header.baseOffset >= until.offset) return { isFalse: toldFalse(until) };
      isPassed = position - (lookFrom ?? 0) >= span.lookBytes;
      return isPassed ? "stop" : "next";
    });
    if (after !== null && lookFrom === null && "frame" in near) return falseEntry(toldFalse(after), after, 0);
    return isPassed && until !== null ? this.#at(until) : near;
  }

  /** What `judge` takes of the batches from `hit` on, which must be one itself. */
  scanFrom(hit: IndexHit, judge: (frame: ScannedFrame) => Verdict): FoundFrame {
    const { baseOffset: segment } = this.#segment;
    if (hit.position > 0) this.#steps.push({ kind: "offset_index", segment, ...hit });
    let batches = 0;
    let taken: ScannedFrame | null = null;
    let isFalse: FalseEntry | null = null;
    const end = this.#segment.scan(hit, (frame) => {
      batches += 1;
      const verdict = judge(frame);
      if (verdict === "take") taken = frame;
      else if (typeof verdict === "object")
        isFalse = falseEntry(verdict.isFalse, { offset: frame.header.baseOffset }, frame.position);
      return verdict === "next";
    });
    this.#steps.push({ kind: "scan", segment, position: hit.position, batches });
    if (isFalse !== null) return isFalse;
    if (end.problem === null) return { frame: taken };
    // The first batch is where it is, whatever an index says; and where the right batch is damaged, no index is false.
    const isFalseHit = end.position === hit.position && hit.position > 0;
    if (isFalseHit && this.#segment.headerAt(hit.position)?.baseOffset !== hit.offset)
      return falseEntry(end.problem, hit, hit.position);
    throw damage({ file: this.#segment }, { position: end.position, problem: end.problem }, end.nextOffset);
  }

  /** The batch of an entry that is late enough, where nothing before it is. */
  #at(until: TimedOffset): FoundFrame {
    return this.scanFrom(this.#start(until), ({ header }) => {
      if (header.baseOffset < until.offset)
        return latestRecordMs(header) < this.#timestampMs ? "next" : { isFalse: toldFalse(until) };
      return isAt(header, until) ? "take" : { isFalse: toldFalse(until) };
    });
  }

  #start(entry: TimedOffset | null): IndexHit {
    const { baseOffset } = this.#segment;
    return entry === null ? { offset: baseOffset, position: 0 } : this.#segment.entryFor(entry.offset);
  }

  #whole(entry: TimeEntry | null): TimedOffset | null {
    if (entry === null) return null;
    return { timestampMs: entry.timestampMs, offset: this.#segment.baseOffset + entry.relativeOffset };
  }
}

function isAt(header: ScannedFrame["header"], { offset, timestampMs }: TimedOffset): boolean {
  return header.baseOffset === offset && latestRecordMs(header) === timestampMs;
}

function toldFalse({ offset, timestampMs }: TimedOffset): string {
  return `its entry ${timestampMs} at ${offset} leads to no batch of that time that is the first`;
}

function falseEntry(problem: string, { offset }: { offset: number }, position: number): FalseEntry {
  return { falseEntry: problem, position, offset };
}
