/**
 * The offset index of one segment, as the segment uses it.
 *
 * Owns: the `.index` file, and the entries in memory.
 * Invariants: the entries in memory speak for everything from `#indexedFrom` on; what lies below is loaded, or made anew
 * from the segment, when somebody asks for it. An idle segment holds none.
 * Never: a read that fails because of an index file; an index file that is synced, since it can always be made anew.
 */
import { type Disk, DiskError, readSmallFile } from "../env/disk.ts";
import { LIMITS } from "../limits.ts";
import { indexPath } from "./file-names.ts";
import type { LogContext } from "./log-context.ts";
import { type IndexEntry, OffsetIndex } from "./offset-index.ts";

/** Where a batch is said to begin. */
export interface IndexHit {
  readonly offset: number;
  readonly position: number;
}

/** What an index needs of its segment. */
export interface IndexedSegment {
  readonly baseOffset: number;
  readonly generation: number;
  readonly nextOffset: number;
  readonly sizeBytes: number;
  /**
   * Tells of each batch from the beginning up to `end`, or up to the first that is damaged. Returns the position where it
   * came to its end. Throws DiskError.
   */
  walk(end: number, visit: (offset: number, position: number) => void): number;
}

export class SegmentIndex {
  readonly path: string;
  readonly #context: LogContext;
  readonly #segment: IndexedSegment;
  #entries = new OffsetIndex();
  #indexedFrom: number;
  /** Whether the file lacks something that is in memory. */
  #isAhead = false;

  /** `indexedFrom`: how much of the segment was there before note() tells of more. */
  constructor(context: LogContext, segment: IndexedSegment, indexedFrom: number) {
    this.path = indexPath(context.folder, segment);
    this.#context = context;
    this.#segment = segment;
    this.#indexedFrom = indexedFrom;
  }

  /** Tells of a batch that follows everything so far. */
  note(offset: number, position: number): void {
    // Behind a part that is not in memory the first batch gets an entry in any case, so that no search for it or for what
    // follows needs that part.
    const isBehindGap = this.#indexedFrom > 0 && this.#entries.entries === 0;
    if (!isBehindGap && !this.#isDue(this.#entries, position)) return;
    this.#entries.add({ relativeOffset: offset - this.#segment.baseOffset, position });
    this.#isAhead = true;
  }

  /** Where to begin to look for `offset`: at a batch of that offset or below. May read the disk; throws DiskError. */
  lookup(offset: number): IndexHit {
    const relativeOffset = offset - this.#segment.baseOffset;
    const entry = this.#entries.lookup(relativeOffset);
    if (entry.position > 0 || this.#indexedFrom === 0) return this.#hit(entry);
    if (this.#load() === "rebuilt") this.write();
    return this.#hit(this.#entries.lookup(relativeOffset));
  }

  /** An entry was not true: makes all anew from the segment. Throws DiskError. */
  rebuild(problem: string): void {
    const before = this.#entries;
    const { index, walkedBytes } = this.#rebuilt(this.#segment.sizeBytes, problem);
    // Where damage in the segment ended the walk, the entry was true once. Those behind the damage may still be, and are
    // the only way to the batches there.
    index.append(before.after({ position: walkedBytes, relativeOffset: index.last.relativeOffset }));
    this.#entries = index;
    this.#indexedFrom = 0;
    this.#isAhead = true;
    this.write();
  }

  /** Writes the file if it lacks something. A refusal of the disk is traced and costs a rebuilding later, nothing else. */
  write(): void {
    if (!this.#isAhead) return;
    const { env, place } = this.#context;
    try {
      if (this.#indexedFrom > 0) this.#load();
      env.faults.hit("log.index.before_write", place);
      writeWhole(env.disk, this.path, this.#entries.encode(this.#segment.sizeBytes));
      env.faults.hit("log.index.after_write", place);
      this.#isAhead = false;
    } catch (problem) {
      if (!(problem instanceof DiskError)) throw problem;
      const { baseOffset } = this.#segment;
      env.trace({
        kind: "index_unwritten",
        ...place,
        segmentBaseOffset: baseOffset,
        problem: problem.message,
      });
    }
  }

  /** Forgets everything; the file, or the segment, tells it again. For a segment that grows no more. */
  release(): void {
    this.#entries = new OffsetIndex();
    this.#indexedFrom = this.#segment.sizeBytes;
    this.#isAhead = false;
  }

  #hit({ relativeOffset, position }: IndexEntry): IndexHit {
    return { offset: this.#segment.baseOffset + relativeOffset, position };
  }

  #isDue(index: OffsetIndex, position: number): boolean {
    return position - index.last.position >= this.#context.indexIntervalBytes;
  }

  /** Completes the entries in memory with those below. */
  #load(): "loaded" | "rebuilt" {
    const below = this.#read();
    const isUseless = typeof below === "string";
    const entries = isUseless ? this.#rebuilt(this.#indexedFrom, below).index : below;
    entries.append(this.#entries);
    this.#entries = entries;
    this.#indexedFrom = 0;
    this.#isAhead ||= isUseless;
    return isUseless ? "rebuilt" : "loaded";
  }

  /** The file's entries below `#indexedFrom`, or why they cannot be used. */
  #read(): OffsetIndex | string {
    let bytes: Buffer | null;
    try {
      bytes = readSmallFile(this.#context.env.disk, this.path, LIMITS.indexFileBytesMax);
    } catch (problem) {
      if (problem instanceof DiskError) return problem.message;
      throw problem;
    }
    if (bytes === null) return "it is missing";
    const decoded = OffsetIndex.decode(bytes);
    if ("problem" in decoded) return decoded.problem;
    if (decoded.indexedBytes < this.#indexedFrom)
      return `it speaks for ${decoded.indexedBytes} bytes, expected ${this.#indexedFrom}`;
    // Whatever a file says that is whole, but another segment's, must not run into what is known.
    const { baseOffset, nextOffset } = this.#segment;
    const relativeOffset = this.#entries.first?.relativeOffset ?? nextOffset - baseOffset;
    return decoded.index.upTo({ relativeOffset, position: this.#indexedFrom });
  }

  #rebuilt(end: number, problem: string): { index: OffsetIndex; walkedBytes: number } {
    const { baseOffset } = this.#segment;
    const index = new OffsetIndex();
    const walkedBytes = this.#segment.walk(end, (offset, position) => {
      if (this.#isDue(index, position)) index.add({ relativeOffset: offset - baseOffset, position });
    });
    const { env, place } = this.#context;
    env.trace({
      kind: "index_rebuilt",
      ...place,
      segmentBaseOffset: baseOffset,
      entries: index.entries,
      problem,
    });
    return { index, walkedBytes };
  }
}

function writeWhole(disk: Disk, path: string, bytes: Buffer): void {
  const file = disk.openFile(path, { create: "if-missing" });
  try {
    file.truncate(0);
    file.writeAt(0, bytes);
  } finally {
    file.close();
  }
}
