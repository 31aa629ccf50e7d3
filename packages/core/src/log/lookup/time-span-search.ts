/**
 * The first batch of one segment that is late enough, by way of its time index.
 *
 * Invariants: every entry that is used is compared with the batch that it leads to; every batch that is looked at is checked
 * byte by byte, since a damaged timestamp would give a wrong answer in silence.
 */
import type { ScannedFrame } from "../frames/frame-scan.ts";
import type { TimedOffset } from "../indexes/segment-times.ts";
import type { TimeEntry } from "../indexes/time-index.ts";
import { latestRecordMs } from "../indexes/time-index-builder.ts";
import type { LookupSegment, LookupStep } from "../segment/lookup.ts";
import { type FoundFrame, falseEntry, scanSegment, type Verdict } from "./segment-scan.ts";

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
    const near = this.#scan(after, ({ position, header }) => {
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

  /** The batch of an entry that is late enough, where nothing before it is. */
  #at(until: TimedOffset): FoundFrame {
    return this.#scan(until, ({ header }) => {
      if (header.baseOffset < until.offset)
        return latestRecordMs(header) < this.#timestampMs ? "next" : { isFalse: toldFalse(until) };
      return isAt(header, until) ? "take" : { isFalse: toldFalse(until) };
    });
  }

  /** From where the offset index leads for `entry`, or from the beginning. */
  #scan(entry: TimedOffset | null, judge: (frame: ScannedFrame) => Verdict): FoundFrame {
    const { baseOffset } = this.#segment;
    const hit = entry === null ? { offset: baseOffset, position: 0 } : this.#segment.entryFor(entry.offset);
    return scanSegment(this.#segment, this.#steps, { hit, check: "whole", judge });
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
