/**
 * A segment's index files, compared with every batch of the segment: each entry must lead to the batch that it says.
 *
 * A file that does not is no damage: nothing is lost with it, and the broker makes it anew when it meets what is wrong.
 */
import { type Disk, DiskError, readSmallFile } from "../../env/disk.ts";
import { LIMITS } from "../../limits.ts";
import { indexPath, type SegmentName, timeIndexPath } from "../files/file-names.ts";
import type { WalkedFrame } from "../frames/frame-walk.ts";
import { type IndexEntry, OffsetIndex } from "../indexes/offset-index.ts";
import { type TimeCoverage, type TimeEntry, TimeIndex } from "../indexes/time-index.ts";
import { latestRecordMs } from "../indexes/time-index-builder.ts";
import type { Finding } from "./finding.ts";

export interface SegmentToCheck extends SegmentName {
  readonly disk: Disk;
  readonly folder: string;
}

interface Contents<Entry> {
  readonly entries: readonly Entry[];
  readonly problem: string | null;
}

export class OffsetIndexCheck {
  readonly #segment: SegmentToCheck;
  readonly #file: string;
  readonly #entries: readonly IndexEntry[];
  #problem: string | null;
  #next = 0;

  constructor(segment: SegmentToCheck) {
    this.#segment = segment;
    this.#file = indexPath(segment.folder, segment);
    const { entries, problem } = contentsOf(segment.disk, this.#file, (bytes) => {
      const decoded = OffsetIndex.decode(bytes);
      return "problem" in decoded ? decoded.problem : decoded.index.list();
    });
    this.#entries = entries;
    this.#problem = problem;
  }

  /** Every frame of the segment, in order. */
  meet({ header, position, problem }: WalkedFrame): void {
    if (header === null) return;
    for (;;) {
      const entry = this.#entries[this.#next];
      if (entry === undefined || entry.position > position) return;
      this.#next++;
      // What a damaged header says of its offset is no reason to doubt the index.
      const isThere = problem !== null || this.#offsetOf(entry) === header.baseOffset;
      if (entry.position !== position || !isThere) this.#refuse(entry);
    }
  }

  /** What is to be told of a segment that ends at `end`; nothing when the file is missing, as it is of an active segment. */
  *finding(end: number): Generator<Finding> {
    const beyond = this.#entries.find(({ position }) => position >= end);
    if (beyond !== undefined) this.#refuse(beyond);
    if (this.#entries.length === 0 && this.#problem === null) return;
    const { baseOffset: segmentBaseOffset } = this.#segment;
    const told = { file: this.#file, segmentBaseOffset, entries: this.#entries, problem: this.#problem };
    yield { kind: "index", ...told };
  }

  #offsetOf({ relativeOffset }: IndexEntry): number {
    return this.#segment.baseOffset + relativeOffset;
  }

  #refuse(entry: IndexEntry): void {
    this.#problem ??= `its entry ${this.#offsetOf(entry)} at ${entry.position} leads to no batch of that offset`;
  }
}

export class TimeIndexCheck {
  readonly #segment: SegmentToCheck;
  readonly #file: string;
  readonly #entries: readonly TimeEntry[];
  readonly #coverage: TimeCoverage | null;
  #problem: string | null;
  #next = 0;
  #latestMs = -1;
  /** Whether the last frame that the entries speak for was met. */
  #isComplete = false;
  /** Behind a damaged frame nobody can say what is the latest. */
  #isSound = true;

  constructor(segment: SegmentToCheck) {
    this.#segment = segment;
    this.#file = timeIndexPath(segment.folder, segment);
    let coverage: TimeCoverage | null = null;
    const { entries, problem } = contentsOf(segment.disk, this.#file, (bytes) => {
      const decoded = TimeIndex.decode(bytes);
      if ("problem" in decoded) return decoded.problem;
      coverage = decoded.coverage;
      return decoded.index.list();
    });
    this.#entries = entries;
    this.#problem = problem;
    this.#coverage = coverage;
  }

  meet({ header, position, problem }: WalkedFrame): void {
    if (problem !== null || header === null) this.#isSound = false;
    if (header === null) return;
    if (position === this.#coverage?.lastPosition) this.#isComplete = header.crc === this.#coverage.lastCrc;
    const timestampMs = problem === null ? latestRecordMs(header) : -1;
    const isLatest = timestampMs > this.#latestMs;
    this.#latestMs = Math.max(this.#latestMs, timestampMs);
    const entry = this.#entries[this.#next];
    if (entry === undefined || this.#offsetOf(entry) > header.baseOffset) return;
    this.#next++;
    if (!this.#isSound) return;
    const isTrue = this.#offsetOf(entry) === header.baseOffset && entry.timestampMs === timestampMs;
    if (!isTrue || !isLatest) this.#refuse(entry);
  }

  *finding(): Generator<Finding> {
    if (this.#coverage === null && this.#problem === null) return;
    const left = this.#entries[this.#next];
    if (this.#isSound && left !== undefined) this.#refuse(left);
    if (this.#isSound && this.#coverage !== null && !this.#isComplete)
      this.#problem ??= `the batch at ${this.#coverage.lastPosition} is not the one that it ends with`;
    const { baseOffset: segmentBaseOffset } = this.#segment;
    const told = { file: this.#file, segmentBaseOffset, entries: this.#entries, problem: this.#problem };
    yield { kind: "time_index", ...told };
  }

  #offsetOf({ relativeOffset }: TimeEntry): number {
    return this.#segment.baseOffset + relativeOffset;
  }

  #refuse(entry: TimeEntry): void {
    const offset = this.#offsetOf(entry);
    this.#problem ??= `its entry ${entry.timestampMs} at ${offset} leads to no batch that is the first of that time`;
  }
}

/** What the file says, or why it says nothing; nothing of either when there is no file. */
export function contentsOf<Entry>(
  disk: Disk,
  path: string,
  read: (bytes: Buffer) => readonly Entry[] | string,
): Contents<Entry> {
  try {
    const bytes = readSmallFile(disk, path, LIMITS.indexFileBytesMax);
    const contents = bytes === null ? [] : read(bytes);
    return typeof contents === "string"
      ? { entries: [], problem: contents }
      : { entries: contents, problem: null };
  } catch (problem) {
    if (problem instanceof DiskError) return { entries: [], problem: problem.message };
    throw problem;
  }
}
