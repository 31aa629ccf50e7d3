/**
 * The indexes of one segment, as the segment uses them: that of its offsets, and that of its times (segment-times.ts).
 *
 * Owns: the `.index` file, and its entries in memory; when both files are written, and made anew in one walk.
 * Invariants: the entries in memory speak for everything from `#indexedFrom` on; what lies below is loaded, or made anew
 * from the segment, when somebody asks for it. An idle segment holds none.
 * Never: a read that fails because of an index file; an index file that is synced, since it can always be made anew.
 */
import type { BatchHeader } from "@minikafka/record";
import { DiskError } from "../../env/disk.ts";
import type { IdleIndex } from "../context/index-memory.ts";
import type { LogContext } from "../context/log-context.ts";
import { indexPath } from "../files/file-names.ts";
import { NO_FILE, readIndexFile, writeIndexFile } from "./index-file.ts";
import { type IndexedSegment, isEntryDue, type WalkedIndexes, walkIndexes } from "./index-walk.ts";
import { type IndexEntry, type IndexHit, OffsetIndex } from "./offset-index.ts";
import { SegmentTimes, type TimeBelow, type TimedOffset, type TimeSpan } from "./segment-times.ts";

/** Entries with whole offsets. */
export interface IndexEntries {
  readonly offsets: readonly IndexHit[];
  readonly times: readonly TimedOffset[];
}

export class SegmentIndex implements IdleIndex {
  readonly path: string;
  readonly #context: LogContext;
  readonly #segment: IndexedSegment;
  readonly #times: SegmentTimes;
  #entries = new OffsetIndex();
  #indexedFrom: number;
  /** Where note() began. */
  #notedFrom: number;
  /** Whether the files lack something that is in memory. */
  #isAhead = false;

  /** `indexedFrom`: how much of the segment was there before note() tells of more. */
  constructor(context: LogContext, segment: IndexedSegment, indexedFrom: number) {
    this.path = indexPath(context.folder, segment);
    this.#context = context;
    this.#segment = segment;
    this.#indexedFrom = indexedFrom;
    this.#notedFrom = indexedFrom;
    this.#times = new SegmentTimes(context, segment);
  }

  get bytes(): number {
    return this.#entries.bytes + this.#times.bytes;
  }

  /** Of the files. */
  get paths(): readonly string[] {
    return [this.#times.path, this.path];
  }

  /** Tells of a batch that follows everything so far. */
  note(header: BatchHeader, position: number): void {
    this.#times.note(header, position);
    // Behind a part that is not in memory the first batch gets an entry in any case, so that no search for it or for what
    // follows needs that part.
    const isBehindGap = this.#indexedFrom > 0 && this.#entries.entries === 0;
    if (!isBehindGap && !isEntryDue(this.#entries, position, this.#context.indexIntervalBytes)) return;
    this.#entries.add({ relativeOffset: header.baseOffset - this.#segment.baseOffset, position });
    this.#isAhead = true;
    this.#context.indexMemory.noteUse(this);
  }

  /** Where to begin to look for `offset`: at a batch of that offset or below. May read the disk; throws DiskError. */
  lookup(offset: number): IndexHit {
    const relativeOffset = offset - this.#segment.baseOffset;
    const isMissing = this.#indexedFrom > 0 && this.#entries.lookup(relativeOffset).position === 0;
    if (isMissing && this.#load() === "rebuilt") this.write();
    this.#context.indexMemory.noteUse(this);
    return this.#hit(this.#entries.lookup(relativeOffset));
  }

  /**
   * As lookup(), for who only looks: what is missing in memory is read for this answer alone, and where no file has it, the first batch
   * is where to begin. Nothing is kept, written or told. May read the disk; throws DiskError.
   */
  peek(offset: number): IndexHit {
    const relativeOffset = offset - this.#segment.baseOffset;
    const known = this.#entries.lookup(relativeOffset);
    if (this.#indexedFrom === 0 || known.position > 0) return this.#hit(known);
    const below = this.#read();
    return this.#hit(typeof below === "string" ? known : below.lookup(relativeOffset));
  }

  /** Where to look for the first batch that is as late as `timestampMs`. May read the disk; throws DiskError. */
  lookupTime(timestampMs: number): TimeSpan {
    if (this.#loadTimes() === "rebuilt") this.write();
    this.#context.indexMemory.noteUse(this);
    return this.#times.lookup(timestampMs);
  }

  /** All entries of both. May read the disk; throws DiskError. */
  list(): IndexEntries {
    if (this.#indexedFrom > 0) this.#load();
    this.#loadTimes();
    this.write();
    this.#context.indexMemory.noteUse(this);
    return { offsets: this.#entries.list().map((entry) => this.#hit(entry)), times: this.#times.list() };
  }

  /** The last entry of a batch below `offset`, or `null`, and how far behind it a later batch may lie. Throws DiskError. */
  timeBelow(offset: number): TimeBelow {
    if (this.#loadTimes() === "rebuilt") this.write();
    this.#context.indexMemory.noteUse(this);
    return this.#times.below(offset);
  }

  /** An entry was not true: makes all anew from the segment. Throws DiskError. */
  rebuild(problem: string): void {
    const before = this.#entries;
    const { offsets, position, times, isSound } = this.#walk(this.#segment.sizeBytes, this.path, problem);
    // Where damage in the segment ended the walk, the entry was true once. Those behind the damage may still be, and are
    // the only way to the batches there.
    offsets.append(before.after({ position, relativeOffset: offsets.last.relativeOffset }));
    this.#entries = offsets;
    this.#indexedFrom = 0;
    this.#notedFrom = 0;
    this.#times.replace(times, isSound);
    this.#isAhead = true;
    this.write();
  }

  /** Writes the files if they lack something. A refusal of the disk is traced and costs a rebuilding later, nothing else. */
  write(): void {
    if (!this.#isAhead) return;
    this.#changeFiles(() => {
      if (this.#indexedFrom > 0) this.#load();
      this.#loadTimes();
      this.#writeFiles();
      this.#isAhead = false;
    });
  }

  /** The segment was cut, and says so already. What is in memory stays as far as that goes; the files are made anew. */
  cut(): void {
    const { baseOffset, nextOffset, sizeBytes } = this.#segment;
    this.#entries = this.#entries.upTo({ relativeOffset: nextOffset - baseOffset, position: sizeBytes });
    this.#indexedFrom = Math.min(this.#indexedFrom, sizeBytes);
    this.#notedFrom = Math.min(this.#notedFrom, sizeBytes);
    this.#times.cut();
    this.#isAhead = true;
    this.#context.indexMemory.noteUse(this);
    const { disk } = this.#context.env;
    this.#changeFiles(() => {
      for (const path of this.paths) if (disk.stat(path) !== null) disk.remove(path);
    });
  }

  giveWay(): void {
    this.write();
    // What the disk did not take is nowhere else.
    if (!this.#isAhead) this.release();
  }

  /** Forgets everything; the files, or the segment, tell it again. */
  release(): void {
    this.close();
    this.#entries = new OffsetIndex();
    this.#indexedFrom = this.#segment.sizeBytes;
    this.#notedFrom = this.#segment.sizeBytes;
    this.#times.release();
    this.#isAhead = false;
  }

  /** Nobody will ask it, or only after it was noted anew: its memory is not ours to count any more. */
  close(): void {
    this.#context.indexMemory.forget(this);
  }

  #writeFiles(): void {
    const { env, place } = this.#context;
    env.faults.hit("log.index.before_write", place);
    writeIndexFile(env.disk, this.path, this.#entries.encode(this.#segment.sizeBytes));
    env.faults.hit("log.index.after_write", place);
    const times = this.#times.encode();
    if (times !== null) writeIndexFile(env.disk, this.#times.path, times);
    env.faults.hit("log.time_index.after_write", place);
  }

  #changeFiles(change: () => void): void {
    try {
      change();
    } catch (problem) {
      if (!(problem instanceof DiskError)) throw problem;
      const { env, place } = this.#context;
      const { baseOffset: segmentBaseOffset } = this.#segment;
      env.trace({ kind: "index_unwritten", ...place, segmentBaseOffset, problem: problem.message });
    }
  }

  #hit({ relativeOffset, position }: IndexEntry): IndexHit {
    return { offset: this.#segment.baseOffset + relativeOffset, position };
  }

  /** Completes the entries in memory with those below. */
  #load(): "loaded" | "rebuilt" {
    const below = this.#read();
    if (typeof below === "string") return this.#completed(this.path, below);
    this.#startBehind(below);
    return "loaded";
  }

  #loadTimes(): "loaded" | "rebuilt" {
    const problem = this.#times.load();
    return problem === null ? "loaded" : this.#completed(this.#times.path, problem);
  }

  /** What either index lacks below is made anew. */
  #completed(path: string, problem: string): "rebuilt" {
    const below = this.#walk(this.#notedFrom, path, problem);
    if (this.#indexedFrom > 0) this.#startBehind(below.offsets);
    if (!this.#times.isWhole && !(below.isSound && this.#times.complete(below.times))) {
      const { times, isSound } = this.#walk(this.#segment.sizeBytes, path, problem);
      this.#times.replace(times, isSound);
    }
    this.#isAhead = true;
    return "rebuilt";
  }

  #startBehind(below: OffsetIndex): void {
    below.append(this.#entries);
    this.#entries = below;
    this.#indexedFrom = 0;
  }

  /** The file's entries below `#indexedFrom`, or why they cannot be used. */
  #read(): OffsetIndex | string {
    const bytes = readIndexFile(this.#context.env.disk, this.path);
    if (typeof bytes === "string") return bytes;
    const decoded = OffsetIndex.decode(bytes);
    if ("problem" in decoded) return decoded.problem;
    if (decoded.indexedBytes < this.#indexedFrom)
      return `it speaks for ${decoded.indexedBytes} bytes, expected ${this.#indexedFrom}`;
    // Whatever a file says that is whole, but another segment's, must not run into what is known.
    const { baseOffset, nextOffset } = this.#segment;
    const relativeOffset = this.#entries.first?.relativeOffset ?? nextOffset - baseOffset;
    return decoded.index.upTo({ relativeOffset, position: this.#indexedFrom });
  }

  /** Both indexes of what lies below `end`. `path` is the file that made it necessary by its `problem`. */
  #walk(end: number, path: string, problem: string): WalkedIndexes {
    const { env, place, indexIntervalBytes: intervalBytes } = this.#context;
    const walked = walkIndexes(this.#segment, { end, intervalBytes, times: this.#times.begun(-1) });
    const [entries, timeEntries] = [walked.offsets.entries, walked.times.index.entries];
    // A segment of one batch has no entry, and gets no file until somebody asks for one.
    if (entries + timeEntries === 0 && problem === NO_FILE) return walked;
    const { baseOffset: segmentBaseOffset } = this.#segment;
    env.trace({ kind: "index_rebuilt", ...place, segmentBaseOffset, path, entries, timeEntries, problem });
    return walked;
  }
}
