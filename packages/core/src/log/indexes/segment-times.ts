/**
 * The time index of one segment, as the segment uses it.
 *
 * Owns: the `.timeindex` file, and the entries in memory.
 * Invariants: the entries in memory speak for everything from `#notedFrom` on; what lies below is loaded when somebody asks
 * for it, and belongs to the very bytes that lie in the segment. An idle segment holds none.
 * Never: a walk over the segment of its own (index-walk.ts makes both indexes anew in one); a file that is synced.
 */
import type { BatchHeader } from "@minikafka/record";
import type { LogContext } from "../context/log-context.ts";
import { timeIndexPath } from "../files/file-names.ts";
import { readIndexFile } from "./index-file.ts";
import { type TimeCoverage, type TimeEntry, TimeIndex } from "./time-index.ts";
import { type LastBatch, TimeIndexBuilder } from "./time-index-builder.ts";

/** Where the first batch of some time can lie. */
export interface TimeSpan {
  /** Neither this batch nor one before it is late enough; `null` stands for the beginning of the segment. */
  readonly after: TimeEntry | null;
  /** This one is late enough; `null` when no entry is. */
  readonly until: TimeEntry | null;
  /** A batch that begins so far behind `after`, or further, is not the first, unless it is `until`. */
  readonly lookBytes: number;
}

/** An entry of a time index with its whole offset. */
export interface TimedOffset {
  readonly timestampMs: number;
  readonly offset: number;
}

/** The latest batch below some offset: `entry`, or one that begins less than `lookBytes` behind it. */
export interface TimeBelow {
  /** `null` stands for the beginning of the segment. */
  readonly entry: TimedOffset | null;
  readonly lookBytes: number;
}

/** What a time index needs of its segment. */
export interface TimedSegment {
  readonly baseOffset: number;
  readonly generation: number;
  readonly nextOffset: number;
  readonly sizeBytes: number;
  readonly maxTimestampMs: number;
  /** The header of the frame at `position`, or `null` when none begins there. Throws DiskError. */
  headerAt(position: number): BatchHeader | null;
}

/** A place between two batches. */
interface Boundary {
  readonly position: number;
  readonly relativeOffset: number;
}

export class SegmentTimes {
  readonly path: string;
  readonly #context: LogContext;
  readonly #segment: TimedSegment;
  #builder: TimeIndexBuilder;
  /** Where note() began; what lies below is missing in memory until `#isWhole`. */
  #notedFrom: Boundary;
  #isWhole: boolean;
  #lookBytes: number;

  /** `segment` as it is before note() tells of more. */
  constructor(context: LogContext, segment: TimedSegment) {
    this.path = timeIndexPath(context.folder, segment);
    this.#context = context;
    this.#segment = segment;
    this.#lookBytes = context.indexIntervalBytes;
    this.#notedFrom = endOf(segment);
    this.#isWhole = segment.sizeBytes === 0;
    this.#builder = this.begun(segment.maxTimestampMs);
  }

  /** Whether nothing is missing in memory. */
  get isWhole(): boolean {
    return this.#isWhole;
  }

  /** What its entries take of the memory. */
  get bytes(): number {
    return this.#builder.index.bytes;
  }

  note(header: BatchHeader, position: number): void {
    this.#builder.note(header, position);
  }

  /** A builder for a part of the segment that begins behind a part with `maxTimestampMs`, -1 for the whole of it. */
  begun(maxTimestampMs: number): TimeIndexBuilder {
    const { baseOffset: segmentBaseOffset } = this.#segment;
    const { indexIntervalBytes: intervalBytes } = this.#context;
    return new TimeIndexBuilder({ segmentBaseOffset, intervalBytes, maxTimestampMs });
  }

  /** Completes the entries in memory from the file. Returns why it cannot; then complete() or replace() has to. */
  load(): string | null {
    // No entry is due that near to the beginning, and no file is there for a segment that has none.
    if (this.#isWhole || this.#notedFrom.position <= this.#context.indexIntervalBytes) {
      this.#isWhole = true;
      return null;
    }
    const read = this.#read();
    if (typeof read === "string") return read;
    const { index, coverage } = read;
    const isToThere = coverage.indexedBytes === this.#notedFrom.position;
    if (isToThere && (index.last?.relativeOffset ?? 0) >= this.#notedFrom.relativeOffset)
      return "its entries lead further than it speaks for";
    const last = isToThere ? { position: coverage.lastPosition, crc: coverage.lastCrc } : null;
    if (!this.#startBehind(index.upTo(this.#notedFrom.relativeOffset), last))
      return "its entries are later than what follows";
    this.#lookBytes = Math.max(this.#lookBytes, coverage.intervalBytes);
    return null;
  }

  /** Completes the entries with `below`, told of everything below what note() told of. False when they do not fit. */
  complete({ index, last }: TimeIndexBuilder): boolean {
    return this.#startBehind(index, last);
  }

  /** Takes `whole`, which was told of the whole segment. When it met damage (`isSound` is false) nothing is skipped any more. */
  replace(whole: TimeIndexBuilder, isSound: boolean): void {
    this.#builder = whole;
    this.#notedFrom = { position: 0, relativeOffset: 0 };
    this.#isWhole = true;
    this.#lookBytes = isSound ? this.#context.indexIntervalBytes : Number.POSITIVE_INFINITY;
  }

  /** All entries must be in memory. */
  lookup(timestampMs: number): TimeSpan {
    const { index } = this.#builder;
    const entry = index.search(timestampMs);
    return { after: index.at(entry - 1), until: index.at(entry), lookBytes: this.#lookBytes };
  }

  /** All entries. All must be in memory. */
  list(): TimedOffset[] {
    return this.#builder.index.list().map((entry) => this.#timed(entry));
  }

  /** All entries must be in memory. */
  below(offset: number): TimeBelow {
    const { last } = this.#builder.index.upTo(offset - this.#segment.baseOffset);
    return { entry: last && this.#timed(last), lookBytes: this.#lookBytes };
  }

  /** The segment was cut, and says so already. */
  cut(): void {
    const { nextOffset, baseOffset, maxTimestampMs } = this.#segment;
    this.#builder.cut(nextOffset - baseOffset, maxTimestampMs);
    if (this.#notedFrom.position > this.#segment.sizeBytes) this.#notedFrom = endOf(this.#segment);
  }

  /** The bytes of a file that says what is in memory; `null` when there is nothing to say. All must be in memory. */
  encode(): Buffer | null {
    const { index, last } = this.#builder;
    const { sizeBytes } = this.#segment;
    if (sizeBytes <= this.#context.indexIntervalBytes || last === null || !Number.isFinite(this.#lookBytes))
      return null;
    return index.encode({
      indexedBytes: sizeBytes,
      intervalBytes: this.#lookBytes,
      lastPosition: last.position,
      lastCrc: last.crc,
    });
  }

  /** Forgets everything; the file, or the segment, tells it again. For a segment that grows no more. */
  release(): void {
    this.#builder = this.begun(this.#segment.maxTimestampMs);
    this.#notedFrom = endOf(this.#segment);
    this.#isWhole = this.#segment.sizeBytes === 0;
    this.#lookBytes = this.#context.indexIntervalBytes;
  }

  #timed({ timestampMs, relativeOffset }: TimeEntry): TimedOffset {
    return { timestampMs, offset: this.#segment.baseOffset + relativeOffset };
  }

  #startBehind(below: TimeIndex, last: LastBatch | null): boolean {
    if (!this.#builder.startBehind(below, last)) return false;
    this.#isWhole = true;
    return true;
  }

  /** What the file says, or why it cannot be used. */
  #read(): { index: TimeIndex; coverage: TimeCoverage } | string {
    const bytes = readIndexFile(this.#context.env.disk, this.path);
    if (typeof bytes === "string") return bytes;
    const decoded = TimeIndex.decode(bytes);
    if ("problem" in decoded) return decoded.problem;
    return coverageProblem(this.#segment, decoded.coverage, this.#notedFrom.position) ?? decoded;
  }
}

/** Why a file of this coverage is not for this segment, up to `end` at least; `null` when it is. Throws DiskError. */
export function coverageProblem(
  segment: Pick<TimedSegment, "sizeBytes" | "headerAt">,
  { indexedBytes, lastPosition, lastCrc }: TimeCoverage,
  end: number,
): string | null {
  const { sizeBytes } = segment;
  if (indexedBytes < end || indexedBytes > sizeBytes)
    return `it speaks for ${indexedBytes} bytes, expected ${end} to ${sizeBytes}`;
  // A batch says its offset and its leader's epoch; where that one is the same, all before it is the same too (KIP-101).
  const last = segment.headerAt(lastPosition);
  if (last?.crc === lastCrc && lastPosition + last.frameBytes === indexedBytes) return null;
  return `the batch at ${lastPosition} is not the one that it ends with`;
}

function endOf({ baseOffset, nextOffset, sizeBytes }: TimedSegment): Boundary {
  return { position: sizeBytes, relativeOffset: nextOffset - baseOffset };
}
